/** A real Haraka with our plugins on a real database, in a temporary data folder, and one account to use it. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { callersChanged } from '../../core/access/known-callers.ts'
import { authenticate, type Principal } from '../../core/access/principal.ts'
import { signup } from '../../core/account/accounts.ts'
import { certificateFiles } from '../../core/certificates/files.ts'
import { type Context, closeContext, openContext } from '../../core/process/context.ts'
import { createLog } from '../../core/process/log.ts'
import { rawMessage } from '../../core/read/bodies.ts'
import { listMessages } from '../../core/read/list.ts'
import { writeInstance } from '../../plugins/instance.ts'
import type { Settings } from '../../schemas/settings.ts'
import { defaultSettings, type SettingsChange } from '../default-settings.ts'
import { type Pair, writeCertificate } from '../peers/certificates.ts'
import { openSharedDomain } from './domains.ts'
import { openReadyDatabase } from './ready-database.ts'

export type Service = {
  /** The address on which Haraka listens, `127.0.0.1:port`. */
  readonly smtp: string
  readonly ctx: Context
  readonly haraka: ChildProcess
  readonly principal: Principal
  /** The account's mailbox. */
  readonly address: string
  /** The raw messages of the mailbox, oldest first. */
  messages(): Promise<readonly Buffer[]>
  /** Stops Haraka by message, and then everything else. Resolves to the exit status of Haraka. */
  stop(): Promise<number | null>
}

export async function startService(change: SettingsChange = {}): Promise<Service> {
  const data = await mkdtemp(join(tmpdir(), 'mailroom-plugins-'))
  // Everything that was started is stopped in reverse order, also when the start fails halfway.
  const ends: (() => Promise<unknown>)[] = [() => rm(data, { recursive: true })]
  const endAll = async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
  }
  try {
    const database = await openReadyDatabase()
    ends.push(async () => database.release())
    const settings = defaultSettings({
      data,
      hostname: 'mx.mailroom.test',
      mongodbUrl: database.url,
      log: { level: 'error' },
      ...change,
      smtp: { ...change.smtp, host: '127.0.0.1', port: 0 },
      submission: { port: null, ...change.submission },
      submissions: { port: null, ...change.submissions },
    })
    const ctx = await openContext({ settings, role: 'test', log: createLog(settings, 'test') })
    ends.push(() => closeContext(ctx))
    await openSharedDomain(ctx)
    const { smtp, haraka } = await startHaraka(settings)
    ends.push(() => stopHaraka(haraka))
    const { principal, address } = await makeAccount(ctx)
    return {
      smtp,
      ctx,
      haraka,
      principal,
      address,
      messages: () => messagesOf(ctx, principal, address),
      async stop() {
        await endAll()
        return haraka.exitCode
      },
    }
  } catch (error) {
    await endAll()
    throw error
  }
}

/** Starts Haraka on the settings' data folder; resolves when it says that it is ready. */
export async function startHaraka(settings: Settings): Promise<{ smtp: string; haraka: ChildProcess }> {
  const { data, hostname } = settings
  await writeCertificate(data, await certificateFor(hostname ?? 'localhost'))
  const dir = join(data, 'haraka')
  await writeInstance({ dir, settings, repository: process.cwd(), tls: certificateFiles(settings) })
  const haraka = fork(join('node_modules', 'haraka', 'bin', 'haraka'), ['-c', dir], {
    env: { ...process.env, MAILROOM_SETTINGS: JSON.stringify(settings) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [message] = (await Promise.race([once(haraka, 'message'), failOnExit(haraka)])) as [{ smtp: string }]
  return { smtp: message.smtp, haraka }
}

/** The certificates that this process has made, by name, shared by all of its Haraka instances. */
const certificates = new Map<string, Promise<Pair>>()

function certificateFor(name: string): Promise<Pair> {
  const made = certificates.get(name) ?? makeCertificate(name)
  certificates.set(name, made)
  return made
}

async function makeCertificate(name: string): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: name }], { keySize: 2048 })
  return { key: made.private, cert: made.cert }
}

/** Asks Haraka to stop, unless it has ended already. Resolves to its exit status. */
export async function stopHaraka(haraka: ChildProcess): Promise<number | null> {
  if (haraka.exitCode !== null || haraka.signalCode !== null) return haraka.exitCode
  const ended = once(haraka, 'exit')
  haraka.send({ stop: true })
  await ended
  return haraka.exitCode
}

async function failOnExit(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`${child.spawnargs.join(' ')} ended with ${code}`)
}

async function makeAccount(ctx: Context): Promise<{ principal: Principal; address: string }> {
  const { apiKey, address, account } = await signup(ctx, { name: 'tester', inbox: 'agent', address: '127.0.0.1' })
  await ctx.store.accounts.updateOne(
    { _id: account.id },
    { $set: { status: 'active', plan: 'business', agentsPlan: 'scale' }, $unset: { claimExpiresAt: '' } },
  )
  await callersChanged(ctx, { accountIds: [account.id] })
  return { principal: await authenticate(ctx, apiKey), address }
}

async function messagesOf(ctx: Context, principal: Principal, address: string): Promise<readonly Buffer[]> {
  const { items } = await listMessages(ctx, principal, { address, folder: 'INBOX', limit: 200 })
  const read = items.map(({ id }) => rawMessage(ctx, principal, { address, messageId: id }))
  return (await Promise.all(read)).map(({ content }) => content).reverse()
}
