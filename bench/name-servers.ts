/** The peers of the DNS server: BIND and Knot, each with one zone and one thread. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { query } from '../core/dns/query.ts'
import { eventually } from '../test/eventually.ts'
import { freePort, inPath } from './postfix.ts'

export type NameServerPeer = {
  readonly target: { readonly name: string; readonly port: number; readonly pid: number }
  stop(): Promise<void>
}
type Served = { readonly dir: string; readonly zone: string; readonly file: string }

const startMs = 15_000

/** Starts BIND. If it cannot run here, returns a text that says why. */
export async function startBind({ dir, zone, file }: Served): Promise<NameServerPeer | string> {
  const program = inPath('named')
  if (program === null) return 'BIND is not installed.'
  const port = await freePort()
  const config = path.join(dir, 'named.conf')
  await writeFile(
    config,
    `options { directory "${dir}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no;
      pid-file none; session-keyfile none; dnssec-validation no; };
    controls { };
    zone "${zone}" { type primary; file "${file}"; };`,
  )
  return started('BIND', { zone, port, child: spawn(program, ['-n', '1', '-c', config, '-f'], { stdio: 'ignore' }) })
}

/** Starts Knot. If it cannot run here, returns a text that says why. */
export async function startKnot({ dir, zone, file }: Served): Promise<NameServerPeer | string> {
  const program = inPath('knotd')
  if (program === null) return 'Knot is not installed.'
  const port = await freePort()
  const folder = path.join(dir, 'knot')
  await mkdir(folder)
  const config = path.join(folder, 'knot.conf')
  await writeFile(
    config,
    `server:
    rundir: "${folder}"
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: "${folder}"
zone:
  - domain: ${zone}
    file: "${file}"
    zonefile-load: whole
    zonefile-sync: -1
`,
  )
  return started('Knot', { zone, port, child: spawn(program, ['-c', config], { stdio: 'ignore' }) })
}

type Starting = { readonly zone: string; readonly port: number; readonly child: ChildProcess }

async function started(name: string, { zone, port, child }: Starting): Promise<NameServerPeer> {
  const answers = () =>
    query([{ address: '127.0.0.1', port }], `host0.${zone}`, 'A').then(
      ({ records }) => records.length > 0,
      () => false,
    )
  await eventually(name, answers, startMs)
  return {
    target: { name, port, pid: child.pid ?? 0 },
    async stop() {
      if (child.exitCode === null && child.kill('SIGTERM')) await new Promise((resolve) => child.once('exit', resolve))
    },
  }
}
