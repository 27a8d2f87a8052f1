/** The peer of the IMAP server: a private instance of Dovecot, with sdbox mailboxes in a temporary folder. Anybody may log in. */
import { execFile, spawn } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../test/eventually.ts'
import { freePort, idsOf, inPath } from './postfix.ts'

const execute = promisify(execFile)
const startMs = 15_000

export type Dovecot = {
  readonly port: number
  readonly password: string
  readonly pids: readonly number[]
  stop(): Promise<void>
}

/** Starts Dovecot. If it cannot run here, returns a text that says why. */
export async function startDovecot(): Promise<Dovecot | string> {
  if (process.getuid?.() !== 0) return 'Dovecot can only be started by root'
  const program = inPath('dovecot')
  if (program === null) return 'Dovecot is not installed'
  const { stdout: version } = await execute(program, ['--version'])
  if (!version.startsWith('2.3.')) return `Dovecot ${version.trim()} has another form of configuration`
  const { uid, gid } = await idsOf('nobody')
  const dir = await mkdtemp(path.join(tmpdir(), 'mailroom-bench-dovecot-'))
  await chmod(dir, 0o755)
  const boxes = path.join(dir, 'boxes')
  await mkdir(boxes)
  await chown(boxes, uid, gid)
  const port = await freePort()
  const file = path.join(dir, 'dovecot.conf')
  await writeFile(file, configuration({ dir, boxes, port, uid, gid }))
  const child = spawn(program, ['-F', '-c', file], { stdio: 'ignore' })
  await eventually('Dovecot', () => child.exitCode === null && isListening(port), startMs)
  return {
    port,
    password,
    pids: [child.pid ?? 0],
    async stop() {
      if (child.exitCode === null && child.kill('SIGTERM')) await new Promise((resolve) => child.once('exit', resolve))
      await rm(dir, { recursive: true, force: true })
    },
  }
}

const password = 'bench'

type Places = {
  readonly dir: string
  readonly boxes: string
  readonly port: number
  readonly uid: number
  readonly gid: number
}

/** The configuration, with the defaults for all but the limits on connections. */
const configuration = ({ dir, boxes, port, uid, gid }: Places) => `base_dir = ${dir}/dovecot
state_dir = ${dir}/dovecot-state
log_path = ${dir}/dovecot.log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
mail_location = sdbox:~/mail
mail_max_userip_connections = 2000
default_client_limit = 4000
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${boxes}/%n allow_all_users=yes
}
service imap-login {
  process_min_avail = 2
  service_count = 0
  inet_listener imap {
    address = 127.0.0.1
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service imap {
  process_limit = 2000
}
`

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
