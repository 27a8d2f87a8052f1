/**
 * `npm run check -- imaptest PROGRAM SCRIPTS`: runs the conformance suite of Dovecot's authors (github.com/dovecot/imaptest) against a
 * whole service: every script of its folder `src/tests`, and then ten simulated mail programs that issue random commands at the same
 * time. PROGRAM is the compiled `imaptest`, SCRIPTS the folder; the variables IMAPTEST and IMAPTEST_SCRIPTS may name them instead.
 * Without them nothing is checked. If Dovecot is installed, the scripts run against it as well, for comparison.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startDovecot } from '../../bench/dovecot.ts'
import { startMailService } from '../../bench/imap-service.ts'

const scriptsMs = 300_000
const randomSeconds = 15

/**
 * The modes in which ten mail programs issue random commands, each using another part of the protocol. `own_msgs`, `own_flags` and
 * `checkpoint` are left out: the first two assume an owner of messages that another session is changing at the same moment, and the
 * last fails an assertion of imaptest itself, with Dovecot too.
 */
const modes = ['random', 'qresync', 'imap4rev2', 'no_pipelining'] as const

/**
 * Whether imaptest complains about a missing STORE response that RFC 9051 6.4.6 does not require: the flags of messages that another
 * session has expunged meanwhile (`?` if this session has not been notified yet), or a keyword to remove that no message has.
 */
const isNotAsked = (line: string) =>
  /STORE didn't .* \(expunged=(?:yes|\?)\)/.test(line) || line.includes("STORE didn't create keyword")

type Suite = { readonly program: string; readonly scripts: string }
type Peer = { readonly port: number; readonly user: string; readonly password: string }

/** @returns whether every script that the announced capabilities call for passes, and the random sessions find no fault */
export async function run([
  program = process.env.IMAPTEST,
  scripts = process.env.IMAPTEST_SCRIPTS,
]: readonly string[]): Promise<boolean> {
  if (program === undefined || scripts === undefined || !existsSync(program) || !existsSync(scripts)) {
    console.log('skipped: name the program imaptest and the folder of its scripts (src/tests) as arguments')
    return true
  }
  const suite = { program, scripts }
  const { service, port, logins } = await startMailService({ mailboxes: modes.length + 1, connections: 100 })
  try {
    const peers = logins.map(({ user, password }) => ({ port, user, password }))
    let isWell = await runScripts('Mailroom', suite, peers[0]!)
    for (const [n, mode] of modes.entries()) isWell = (await runAtRandom(suite, peers[n + 1]!, mode)) && isWell
    await compare(suite)
    return isWell
  } finally {
    await service.dispose()
  }
}

async function compare(suite: Suite): Promise<void> {
  const dovecot = await startDovecot()
  if (typeof dovecot === 'string') return console.log(dovecot)
  try {
    await runScripts('Dovecot', suite, { ...dovecot, user: 'check' })
  } finally {
    await dovecot.stop()
  }
}

async function runScripts(name: string, suite: Suite, peer: Peer): Promise<boolean> {
  const output = await call(suite, peer, `test=${path.resolve(suite.scripts)}`)
  const [counts, groups, failed] = /^(\d+) test groups: (\d+) failed.*$/m.exec(output) ?? []
  for (const [, failure] of output.matchAll(/^(\*\*\* Test [\s\S]*?)\n\n/gm)) console.log(failure)
  console.log(`${name}: ${counts ?? `no result: ${output}`}`)
  for (const [line] of output.matchAll(/^(?:base protocol|extensions): .*$/gm)) console.log(`  ${line}`)
  return Number(groups) > 0 && failed === '0'
}

async function runAtRandom(suite: Suite, peer: Peer, mode: string): Promise<boolean> {
  const output = await call(suite, peer, mode, 'clients=10', `secs=${randomSeconds}`)
  const wrong = output.split('\n').filter((line) => /^(?:Error|Panic|Fatal)/.test(line) && !isNotAsked(line))
  for (const line of wrong) console.log(line)
  const result = !/^Totals:/m.test(output)
    ? `no result: ${output}`
    : wrong.length === 0
      ? 'ok'
      : `${wrong.length} errors`
  console.log(`ten programs at random, ${mode}: ${result}`)
  return result === 'ok'
}

/** Returns everything imaptest prints. Its exit status adds nothing to the text. */
async function call(
  { program, scripts }: Suite,
  { port, user, password }: Peer,
  ...args: readonly string[]
): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'mailroom-imaptest-'))
  const all = ['host=127.0.0.1', `port=${port}`, `user=${user}`, `pass=${password}`, ...args]
  const options = { cwd: dir, timeout: scriptsMs, maxBuffer: 64 * 1024 ** 2 }
  try {
    return await new Promise((resolve) =>
      execFile(
        path.resolve(program),
        [...all, `mbox=${path.resolve(scripts, 'default.mbox')}`],
        options,
        (_, out, err) => resolve(out + err),
      ),
    )
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
