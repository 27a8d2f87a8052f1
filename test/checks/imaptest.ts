/**
 * `npm run check -- imaptest PROGRAM SCRIPTS`: the conformance suite of Dovecot's authors (github.com/dovecot/imaptest) against a whole
 * service: every script of its folder `src/tests`, and then ten programs at once that do at random what programs do. PROGRAM is
 * `imaptest` as it was built, SCRIPTS the folder; the environment may name them too, as IMAPTEST and IMAPTEST_SCRIPTS. Without them
 * nothing is checked. Where Dovecot is installed the scripts run there as well, to tell what it makes of them.
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
 * What ten programs do at random, each time with something else of the protocol. `own_msgs`, `own_flags` and `checkpoint` are not
 * among it: the first two name an owner of what another session is changing at that moment, and the last ends in an assertion of
 * imaptest itself, with Dovecot too.
 */
const modes = ['random', 'qresync', 'imap4rev2', 'no_pipelining'] as const

/**
 * What imaptest misses in an answer to STORE, and RFC 9051 6.4.6 does not ask for: flags of messages that another session took out
 * meanwhile, which are `?` to a session that was not told of it yet, and a keyword that was to be taken away and no message has.
 */
const isNotAsked = (line: string) =>
  /STORE didn't .* \(expunged=(?:yes|\?)\)/.test(line) || line.includes("STORE didn't create keyword")

type Suite = { readonly program: string; readonly scripts: string }
type Peer = { readonly port: number; readonly user: string; readonly password: string }

/** @returns whether every script passes that the announced capabilities ask for, and nothing went wrong at random */
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

/** All that it says. Its exit status tells nothing that the text does not. */
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
