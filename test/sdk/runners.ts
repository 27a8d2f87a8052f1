/** The fixtures of the package in the test runners that they are for, as their users write tests. */
import { execFile } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { Mailroom } from '../../sdk/index.ts'
import type { ProgramOptions } from './runtimes.ts'

const run = promisify(execFile)
const runMs = 170_000

const tests = (runner: string) => `import { expect, test as base } from '${runner}'
import { type InboxFixtures, inboxFixtures } from 'mailroom-sdk/testing'

declare const process: { env: { STAGE: string } }
const { gateway: baseUrl, stage, key: apiKey, domain } = JSON.parse(process.env.STAGE)
const test = base.extend<InboxFixtures>(inboxFixtures({ apiKey, baseUrl, domain, prefix: 'fixture' }))
const send = (to: string, text: string) =>
  fetch(stage + '/mail', { method: 'POST', body: JSON.stringify({ to, subject: 'Sign up', text }) })
const seen: string[] = []

test('waits for a code', async ({ inbox }) => {
  seen.push(inbox.address)
  await send(inbox.address, 'Your verification code is 482913.')
  const { code } = await inbox.waitForCode()
  expect(code).toBe('482913')
  // @ts-expect-error no such method
  expect(inbox.waitForCodes).toBe(undefined)
})

test('waits for a link, in another inbox', async ({ inbox, mail }) => {
  expect(seen).toHaveLength(1)
  expect(seen).not.toContain(inbox.address)
  const error = await mail.mailboxes.get(seen[0] ?? '').catch((reason) => reason)
  expect(error.code).toBe('mailbox_not_found')
  await send(inbox.address, 'Please verify your email address: https://remote.example/verify?token=abc123def456')
  const { url } = await inbox.waitForLink()
  expect(url).toBe('https://remote.example/verify?token=abc123def456')
})
`

export type RunnerOptions = Omit<ProgramOptions, 'file'> & { readonly runtime: string }

/**
 * Compiles the tests and runs them. `runtime` is the folder in which npm installed the runner; `command` what runs a file. Rejects with
 * what was said when they do not compile or pass, or when an inbox is left.
 */
export async function runInRunner(
  { runner, command }: { readonly runner: string; readonly command: readonly string[] },
  { runtime, folder, stage, key, domain }: RunnerOptions,
): Promise<void> {
  const sdk = 'node_modules/mailroom-sdk'
  await cp(path.join(folder, sdk), path.join(runtime, sdk), { recursive: true })
  await writeFile(path.join(runtime, 'package.json'), '{"private": true, "type": "module"}')
  await writeFile(path.join(runtime, 'fixtures.spec.ts'), tests(runner))
  const lib = 'es2022,dom,dom.iterable,dom.asynciterable'
  const compiler = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    lib,
  ]
  const options = { cwd: runtime, timeout: runMs }
  await told(run('tsc', [...compiler, 'fixtures.spec.ts'], options))
  const [program = '', ...args] = command
  const env = { ...process.env, STAGE: JSON.stringify({ ...stage, key, domain }) }
  await told(run(path.join(runtime, 'node_modules/.bin', program), [...args, 'fixtures.spec.ts'], { ...options, env }))
  const left: string[] = []
  for await (const { address } of new Mailroom({ apiKey: key, baseUrl: stage.http }).mailboxes.list())
    if (address.startsWith('fixture-')) left.push(address)
  if (left.length > 0) throw new Error(`Inboxes are left: ${left.join(' ')}`)
}

/** Compilers and runners say on standard output what is wrong. */
async function told(work: Promise<unknown>): Promise<void> {
  await work.catch((error: { readonly stdout?: string; readonly message: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`)
  })
}
