/** Mailroom as a system under measurement: the whole service on its own data folder, with one account and 100 mailboxes. */
import { writeFileSync } from 'node:fs'
import { engineUrl } from '../cli/instance.ts'
import { administrator } from '../core/access/principal.ts'
import { createAccount } from '../core/account/accounts.ts'
import { createDomain } from '../core/domains/claims.ts'
import { createMailbox } from '../core/mailbox/mailboxes.ts'
import { closeContext } from '../core/process/context.ts'
import { openStore, type Store } from '../store/open.ts'
import { countOf } from '../store/usage.ts'
import { eventually } from '../test/eventually.ts'
import { client } from '../test/peers/rest.ts'
import { contextOf, type Service, startService } from '../test/start/service.ts'
import { addressOf } from './load.ts'
import { makeKeys } from './senders.ts'
import { slowEngine } from './slow-sync.ts'
import type { System } from './system.ts'

const mailboxCount = 100
const arrivalMs = 60_000
const sampleSize = 5
/** A message counts as complete if its text has this share of its body; line ends make the text a little shorter. */
const wholeShare = 0.95
/** Keys are used in turn, because the requests of one key in a minute are limited. */
const keyCount = 10

type Account = { readonly accountId: string; readonly folderIds: readonly string[]; readonly keys: readonly string[] }

/** Starts Mailroom with `addresses` addresses at `domain`: the first 100 are mailboxes, the others are aliases of them. */
export async function startMailroom({
  domain,
  addresses,
  syncDelayMs,
  profileDir,
}: {
  domain: string
  addresses: number
  syncDelayMs: number
  profileDir: string | null
}): Promise<System> {
  const service = await startService({
    env: {
      MAILROOM_LOG_LEVEL: 'warn',
      MAILROOM_LIMITS_SMTP_CONNECTIONS_PER_ADDRESS: '1000',
      MAILROOM_LIMITS_SMTP_CONNECTIONS_PER_NETWORK: '1000',
      ...slowEngine(syncDelayMs),
      ...(profileDir !== null && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` }),
    },
  })
  const store = await openStore({ url: engineUrl(service.data), role: 'bench' })
  const account = await fill(service, store, { domain, addresses })
  let turn = 0
  let since = ''
  const call = () => client(service.http, account.keys[turn++ % account.keys.length])
  return {
    name: 'Mailroom',
    port: Number(service.smtp.split(':')[1]),
    pids: [service.process.pid ?? 0],
    async mark() {
      since = new Date().toISOString()
      await forgetEventLimit(store, account.accountId)
      return receivedOf(store, account.accountId)
    },
    async delivered(before, { count }) {
      await eventually('the last message in a list', () => lastIsThere({ call, domain, since, count }), arrivalMs)
      const readable = performance.now()
      const all = async () => (await receivedOf(store, account.accountId)) >= before + count
      await eventually('every message announced', all, arrivalMs)
      return { readable, settled: performance.now() }
    },
    verify: (before, { count, sizeBytes }) => verify({ store, account, call, domain, before, count, sizeBytes }),
    async stop() {
      await store.close()
      if (profileDir !== null) writeFileSync(`${profileDir}/service.log`, service.logs())
      await service.dispose()
    },
  }
}

async function fill(
  service: Service,
  store: Store,
  { domain, addresses }: { domain: string; addresses: number },
): Promise<Account> {
  const ctx = await contextOf(service)
  const account = await createAccount(ctx, { name: 'bench', owner: null })
  await createDomain(ctx, { domain, accountId: account.id, verified: true })
  for (let n = 1; n <= mailboxCount; n++)
    await createMailbox(ctx, administrator(account), { address: addressOf(n, domain) })
  const mailboxes = await store.mailboxes.find({ accountId: account.id }).sort({ accountId: 1, _id: 1 }).toArray()
  const aliases = Array.from({ length: addresses - mailboxCount }, (_, n) => n + mailboxCount + 1)
  await store.addresses.insertMany(
    aliases.map((n) => ({
      _id: addressOf(n, domain),
      accountId: account.id,
      mailboxIds: [mailboxes[(n - 1) % mailboxCount]!._id],
      kind: 'alias' as const,
      domain,
      createdAt: new Date(),
      releasedAt: null,
    })),
  )
  const keys = await makeKeys(ctx, account.id, keyCount)
  await closeContext(ctx)
  const inboxes = await store.folders
    .find({ mailboxId: { $in: mailboxes.map(({ _id }) => _id) }, path: 'INBOX' })
    .toArray()
  return { accountId: account.id, folderIds: inboxes.map(({ _id }) => _id), keys }
}

/** Resets the counter that limits the events of an account per hour, so that every message has its event. */
async function forgetEventLimit(store: Store, accountId: string): Promise<void> {
  await store.usage.updateMany({ _id: { $regex: `^${accountId}:` } }, { $unset: { 'counts.messageEvents': '' } })
}

/** How many messages have been announced. They are counted after their events and contacts are written. */
async function receivedOf(store: Store, accountId: string): Promise<number> {
  const months = await store.usage.find({ _id: { $regex: `^${accountId}:\\d{4}-\\d{2}$` } }).toArray()
  return months.reduce((sum, month) => sum + countOf(month, 'received'), 0)
}

type Call = () => ReturnType<typeof client>
type Listing = {
  readonly messages: readonly { readonly message_id: string }[]
}

/** Whether the API lists all messages of the run (since `since`) in the mailbox that gets its last one. */
async function lastIsThere({
  call,
  domain,
  since,
  count,
}: {
  call: Call
  domain: string
  since: string
  count: number
}): Promise<boolean> {
  const number = ((count - 1) % mailboxCount) + 1
  const where = `/api/v1/mailboxes/${addressOf(number, domain)}/messages?limit=100&since=${since}`
  const { body } = await call()<Listing>('GET', where)
  return body.messages.length === Math.ceil(count / mailboxCount)
}

/** Counts all messages and reads some of them completely through the API. Throws if one is missing or cut off. */
async function verify({
  store,
  account,
  call,
  domain,
  before,
  count,
  sizeBytes,
}: {
  store: Store
  account: Account
  call: Call
  domain: string
  before: number
  count: number
  sizeBytes: number
}): Promise<void> {
  const folders = await store.folders.find({ _id: { $in: [...account.folderIds] } }).toArray()
  const total = folders.reduce((sum, folder) => sum + folder.total, 0)
  if (total !== before + count) throw new Error(`The folders count ${total} messages, ${before + count} were accepted.`)
  for (let n = 1; n <= sampleSize; n++) {
    const messages = `/api/v1/mailboxes/${addressOf(n * 7, domain)}/messages`
    const listing = await call()<Listing>('GET', `${messages}?limit=1`)
    const { body } = await call()<{ text: string | null }>('GET', `${messages}/${listing.body.messages[0]?.message_id}`)
    const read = body.text?.length ?? 0
    if (read < sizeBytes * wholeShare) throw new Error(`A message of ${sizeBytes} bytes was read as ${read}.`)
  }
}
