/** The peer of outgoing mail: a private instance of Postfix in a temporary folder, which relays everything to the sink. */
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../test/eventually.ts'
import { freePort, masterConfiguration } from './postfix.ts'
import { cpuMs } from './processes.ts'
import { arrived, type Measured, type Sink } from './sink.ts'
import { slowPeer } from './slow-sync.ts'

const run = promisify(execFile)
const programs = '/usr/sbin/'
const startMs = 15_000

export type Relay = {
  /** Submits messages while they are relayed. Measures from the first submission to the last message in the sink. */
  relay(sink: Sink, count: number): Promise<Measured>
  /** Submits messages while relaying is off, then turns it on. Measures from the first message in the sink to the last. */
  drain(sink: Sink, count: number): Promise<Measured>
  stop(): Promise<void>
}

/** Starts Postfix. If it cannot run here, returns a text that says why. */
export async function startRelay(
  sinkPort: number,
  { syncDelayMs }: { readonly syncDelayMs: number },
): Promise<Relay | string> {
  if (process.getuid?.() !== 0) return 'the peer can only be started by root'
  for (const name of ['postfix', 'smtp-source']) {
    try {
      accessSync(programs + name, constants.X_OK)
    } catch {
      return `${name} is not installed`
    }
  }
  const dir = await mkdtemp(path.join(tmpdir(), 'mailroom-bench-relay-'))
  await chmod(dir, 0o755)
  const port = await freePort()
  const etc = path.join(dir, 'etc')
  await Promise.all(['etc', 'queue', 'data'].map((name) => mkdir(path.join(dir, name))))
  const owner = Number((await run('id', ['-u', 'postfix'])).stdout)
  await chown(path.join(dir, 'data'), owner, 0)
  const slow = await slowPeer(dir, syncDelayMs)
  await writeFile(path.join(etc, 'main.cf'), configuration(dir, sinkPort) + slow)
  await writeFile(path.join(etc, 'master.cf'), masterConfiguration(port))
  const postfix = (...args: readonly string[]) => run(`${programs}postfix`, ['-c', etc, ...args])
  const setting = (text: string) => run(`${programs}postconf`, ['-c', etc, '-e', text])
  await postfix('start')
  const pidFile = path.join(dir, 'queue', 'pid', 'master.pid')
  const master = await eventually('Postfix', async () => Number(await readFile(pidFile, 'utf8')) || null, startMs)
  const submit = (count: number) =>
    run(`${programs}smtp-source`, [
      ...['-s', '10', '-m', String(count), '-l', '4096', '-f', 'agent@bench.example', '-t', 'r@remote.example'],
      `127.0.0.1:${port}`,
    ])
  return {
    async relay(sink, count) {
      await sink.reset()
      const [cpu, start] = [cpuMs([master]), performance.now()]
      await submit(count)
      await arrived(sink, count)
      const seconds = (performance.now() - start) / 1_000
      return { perSecond: count / seconds, cpuMsEach: (cpuMs([master]) - cpu) / count }
    },
    async drain(sink, count) {
      await setting('defer_transports=smtp')
      await postfix('reload')
      await submit(count)
      await sink.reset()
      const cpu = cpuMs([master])
      await setting('defer_transports=')
      await postfix('reload')
      await postfix('flush')
      const { firstAt, lastAt } = await arrived(sink, count)
      return { perSecond: count / ((lastAt - firstAt) / 1_000), cpuMsEach: (cpuMs([master]) - cpu) / count }
    },
    async stop() {
      await postfix('stop')
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function configuration(dir: string, sinkPort: number): string {
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
relayhost = [127.0.0.1]:${sinkPort}
`
}
