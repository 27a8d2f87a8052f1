/**
 * The peer of incoming mail: Postfix delivers by LMTP to Dovecot, which stores maildirs. Both run as private instances, with
 * queue, configuration and mail in one temporary folder. All settings that matter for speed and safety have their defaults.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../test/eventually.ts'
import { slowPeer } from './slow-sync.ts'
import type { System } from './system.ts'

const run = promisify(execFile)
export const peerName = 'Postfix + Dovecot'
const mailboxCount = 100
const startMs = 15_000
const arrivalMs = 90_000
const queuePollMs = 10

/** Starts both. If they cannot run here, returns a text that says why. */
export async function startPostfix(
  domain: string,
  { syncDelayMs }: { readonly syncDelayMs: number },
): Promise<System | string> {
  const found = await findTools()
  if (typeof found === 'string') return found
  const dir = await mkdtemp(path.join(tmpdir(), 'mailroom-bench-peer-'))
  await chmod(dir, 0o755)
  const [port, lmtpPort] = [await freePort(), await freePort()]
  const slow = await slowPeer(dir, syncDelayMs)
  const dovecot = await startDovecot(found, { dir, lmtpPort, slow })
  const stopDovecot = async () => {
    if (dovecot.exitCode === null && dovecot.kill('SIGTERM'))
      await new Promise((resolve) => dovecot.once('exit', resolve))
    await rm(dir, { recursive: true, force: true })
  }
  const queue = path.join(dir, 'queue')
  const started = configurePostfix(found, { dir, domain, port, lmtpPort, slow }).then((etc) =>
    launchPostfix(found, etc, queue),
  )
  const { etc, master } = await started.catch(async (error: unknown) => {
    await stopDovecot()
    throw error
  })
  const boxes = path.join(dir, 'boxes')
  return {
    name: peerName,
    port,
    pids: [master, dovecot.pid ?? 0],
    mark: () => countMail(boxes),
    async delivered() {
      await until(() => isEmpty(queue), arrivalMs)
      const now = performance.now()
      return { readable: now, settled: now }
    },
    async verify(before, { count }) {
      const there = await countMail(boxes)
      if (there !== before + count)
        throw new Error(`The maildirs hold ${there} messages, ${before + count} were accepted.`)
    },
    async stop() {
      await run(found.postfix, ['-c', etc, 'stop'])
      await stopDovecot()
    },
  }
}

async function launchPostfix({ postfix }: Tools, etc: string, queue: string): Promise<{ etc: string; master: number }> {
  await run(postfix, ['-c', etc, 'start'])
  const pidFile = path.join(queue, 'pid', 'master.pid')
  const master = await eventually(
    'the pid of Postfix',
    async () => Number(await readFile(pidFile, 'utf8')) || null,
    startMs,
  )
  return { etc, master }
}

type Tools = {
  readonly postfix: string
  readonly dovecot: string
  readonly mailUid: number
  readonly mailGid: number
  readonly owner: number
}

async function findTools(): Promise<Tools | string> {
  if (process.getuid?.() !== 0) return 'the peer can only be started by root'
  const postfix = inPath('postfix')
  const dovecot = inPath('dovecot')
  if (postfix === null || dovecot === null) return 'postfix or dovecot is not installed'
  const { stdout: version } = await run(dovecot, ['--version'])
  if (!version.startsWith('2.3.')) return `dovecot ${version.trim()} has another form of configuration`
  const [mail, owner] = await Promise.all([idsOf('nobody'), idsOf('postfix')])
  return { postfix, dovecot, mailUid: mail.uid, mailGid: mail.gid, owner: owner.uid }
}

/** The path of a program of the system; null if it is not installed. */
export function inPath(name: string): string | null {
  const found = ['/usr/sbin', '/usr/local/sbin', '/usr/bin'].map((dir) => path.join(dir, name)).find(isProgram)
  return found ?? null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export async function idsOf(user: string): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, user])).stdout)))
  return { uid: uid ?? 0, gid: gid ?? 0 }
}

async function startDovecot(
  { dovecot, mailUid, mailGid }: Tools,
  { dir, lmtpPort, slow }: { dir: string; lmtpPort: number; slow: string },
): Promise<ChildProcess> {
  const boxes = path.join(dir, 'boxes')
  await mkdir(boxes)
  await chown(boxes, mailUid, mailGid)
  const file = path.join(dir, 'dovecot.conf')
  await writeFile(
    file,
    `base_dir = ${dir}/dovecot
state_dir = ${dir}/dovecot-state
log_path = ${dir}/dovecot.log
protocols = lmtp
listen = 127.0.0.1
ssl = no
first_valid_uid = 1
mail_location = maildir:~/mail
passdb {
  driver = static
  args = password=bench
}
userdb {
  driver = static
  args = uid=${mailUid} gid=${mailGid} home=${boxes}/%n allow_all_users=yes
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${lmtpPort}
  }
}
${slow}`,
  )
  const child = spawn(dovecot, ['-F', '-c', file], { stdio: ['ignore', 'ignore', 'ignore'] })
  await eventually(
    'Dovecot',
    async () => child.exitCode === null && (await exists(`${dir}/dovecot/master.pid`)),
    startMs,
  )
  return child
}

async function configurePostfix(
  { owner }: Tools,
  { dir, domain, port, lmtpPort, slow }: { dir: string; domain: string; port: number; lmtpPort: number; slow: string },
): Promise<string> {
  const etc = path.join(dir, 'etc')
  await Promise.all(['etc', 'queue', 'data'].map((name) => mkdir(path.join(dir, name))))
  await chown(path.join(dir, 'data'), owner, 0)
  const boxes = Array.from({ length: mailboxCount }, (_, n) => `box${String(n).padStart(2, '0')}@${domain}`)
  const exact = domain.replaceAll('.', '\\.')
  await Promise.all([
    writeFile(path.join(etc, 'main.cf'), mainConfiguration({ dir, domain, lmtpPort }) + slow),
    writeFile(path.join(etc, 'master.cf'), masterConfiguration(port)),
    writeFile(path.join(etc, 'boxes'), boxes.map((box) => `${box} x\n`).join('')),
    writeFile(
      path.join(etc, 'aliases'),
      `/^[0-9]*([0-9][0-9])u@${exact}$/ box$1@${domain}\n/^([0-9])u@${exact}$/ box0$1@${domain}\n`,
    ),
  ])
  await run('postmap', ['-c', etc, `hash:${etc}/boxes`], { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } })
  return etc
}

function mainConfiguration({ dir, domain, lmtpPort }: { dir: string; domain: string; lmtpPort: number }): string {
  return `compatibility_level = 3.6
myhostname = peer.test
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
queue_directory = ${dir}/queue
data_directory = ${dir}/data
maillog_file = ${dir}/postfix.log
maillog_file_prefixes = ${dir}
virtual_mailbox_domains = ${domain}
virtual_mailbox_maps = hash:${dir}/etc/boxes
virtual_alias_maps = regexp:${dir}/etc/aliases
virtual_transport = lmtp:inet:127.0.0.1:${lmtpPort}
`
}

/** A master.cf with the usual services that receiving and LMTP need, none of them in a chroot. */
export function masterConfiguration(port: number): string {
  const rows = [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    'pickup unix n - n 60 1 pickup',
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'verify unix - - n - 1 verify',
    'flush unix n - n 1000? 0 flush',
    'proxymap unix - - n - - proxymap',
    'proxywrite unix - - n - 1 proxymap',
    'smtp unix - - n - - smtp',
    'relay unix - - n - - smtp',
    'showq unix n - n - - showq',
    'error unix - - n - - error',
    'retry unix - - n - - error',
    'discard unix - - n - - discard',
    'virtual unix - n n - - virtual',
    'lmtp unix - - n - - lmtp',
    'anvil unix - - n - 1 anvil',
    'scache unix - - n - 1 scache',
    'postlog unix-dgram n - n - 1 postlogd',
  ]
  return `${rows.join('\n')}\n`
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Whether the queue is empty. Files in its folders are messages that are not delivered yet. */
async function isEmpty(queue: string): Promise<boolean> {
  for (const name of ['incoming', 'active', 'deferred']) {
    const entries = await readdir(path.join(queue, name), { recursive: true, withFileTypes: true })
    if (entries.some((entry) => entry.isFile())) return false
  }
  return true
}

async function countMail(boxes: string): Promise<number> {
  let count = 0
  for (const box of await readdir(boxes)) {
    for (const name of ['new', 'cur']) {
      const folder = path.join(boxes, box, 'mail', name)
      if (await exists(folder)) count += (await readdir(folder)).length
    }
  }
  return count
}

async function until(done: () => Promise<boolean>, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await done())) {
    if (performance.now() > end) throw new Error(`The queue was not empty within ${withinMs} ms.`)
    await new Promise((resolve) => setTimeout(resolve, queuePollMs))
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch {
    return false
  }
}
