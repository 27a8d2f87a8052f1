/**
 * Sends the commands that requests of the API wait for (ARCHITECTURE.md, 6), by the database driver alone and in a process of its
 * own. Reads use the driver's cursors. No two requests share a command.
 */
import { newId } from '../schemas/ids.ts'
import { readBlob } from '../store/blobs.ts'
import type { BlobDoc } from '../store/documents/mail.ts'
import type { EmailDoc } from '../store/documents/sending.ts'
import { findDomains } from '../store/domains.ts'
import { storageUsed } from '../store/folders.ts'
import { listMailboxes } from '../store/mailboxes.ts'
import { findMessage, listMessages } from '../store/messages.ts'
import { openStore, type Store } from '../store/open.ts'
import { takesTo } from '../store/usage.ts'
import { insertInto, modelOf } from '../store/writes.ts'
import { connect } from '../test/start/engine.ts'
import { answerParent } from './child.ts'
import type { Timed } from './http-load.ts'

export type Kind = 'mailboxes' | 'message' | 'message again' | 'list of 50' | 'simulated send' | 'routed send'

export type DriverTarget = {
  readonly accountId: string
  readonly mailboxId: string
  readonly domain: string
  readonly messageIds: readonly string[]
  /** A send of the account, which the measured sends copy. */
  readonly emailId: string
}

export type DriverLoad = {
  readonly url: string
  readonly kind: Kind
  readonly connections: number
  readonly count: number
  /** How many answers come before time is measured. */
  readonly uncounted: number
  readonly targets: readonly DriverTarget[]
}

const usageKeptMs = 86_400_000

type Ask = (target: DriverTarget, n: number) => Promise<unknown>

type Asks = { readonly [kind in Kind]: Ask }

let opened: Asks | undefined

answerParent(drive)

async function drive({ url, kind, connections, count, uncounted, targets }: DriverLoad): Promise<Timed> {
  opened ??= await open(url, targets)
  const ask = opened[kind]
  const times: number[] = []
  let [next, beganAt] = [0, 0]
  const one = async () => {
    while (next < count) {
      const n = next++
      const asked = performance.now()
      await ask(targets[n % targets.length]!, Math.floor(n / targets.length))
      const answered = performance.now()
      times.push(answered - asked)
      if (times.length === uncounted) beganAt = answered
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  const perSecond = ((count - uncounted) * 1_000) / (performance.now() - beganAt)
  return { perSecond, times: times.slice(uncounted) }
}

async function open(url: string, targets: readonly DriverTarget[]): Promise<Asks> {
  const store = await byDriver(url, await openStore({ url, role: 'bench' }))
  const originals = new Map<string, Original>()
  for (const { accountId, emailId } of targets) originals.set(accountId, await originalOf(store, emailId))
  const send = (limited: readonly Limited[]) => (target: DriverTarget) =>
    sendCopy(store, originals.get(target.accountId)!, limited)
  const message: Ask = async ({ mailboxId, messageIds }, n) => {
    const messageId = messageIds[n % messageIds.length]!
    const found = await findMessage(store, { mailboxId, messageId })
    if (found === null) throw new Error(`There is no message ${messageId}.`)
    await readBlob(store, found.blob)
  }
  return {
    async mailboxes({ accountId, domain }) {
      const found = await listMailboxes(store, { accountId, only: null, before: null, limit: 51 })
      const ids = found.map(({ _id }) => _id)
      await Promise.all([storageUsed(store, ids), findDomains(store, [domain])])
    },
    message,
    // The driver has no cache, so the second read costs the same.
    'message again': message,
    'list of 50': ({ mailboxId }) => listMessages(store, { mailboxId }, { before: null, limit: 51 }),
    'simulated send': send([{ period: 'month', counters: ['agentEmails', 'sent'] }]),
    'routed send': send([
      { period: 'month', counters: ['agentEmails', 'sent', 'd01.sent'] },
      { period: 'minute', counters: ['sent'] },
    ]),
  }
}

type FindCommand = {
  readonly find: string
  readonly filter: object
  readonly batchSize: number
  readonly projection?: object
  readonly limit?: number
}

/** A store that reads by the cursors of the driver where the real one reads by a command (store/reads.ts). */
async function byDriver(url: string, store: Store): Promise<Store> {
  const db = (await connect(url)).db(store.db.databaseName)
  const read = async ({ find, filter, batchSize: _, ...options }: FindCommand) => {
    const found = db.collection(find)
    const firstBatch =
      options.limit === 1 ? [await found.findOne(filter, options)] : await found.find(filter, options).toArray()
    return { cursor: { id: 0, firstBatch: firstBatch.filter((each) => each !== null) } }
  }
  return { ...store, db: Object.create(db, { command: { value: read } }) }
}

type Original = { readonly email: EmailDoc; readonly blob: BlobDoc }
/** The counters of one period that a send increments. */
type Limited = { readonly period: string; readonly counters: readonly string[] }

async function originalOf({ emails, blobs }: Store, emailId: string): Promise<Original> {
  const email = await emails.findOne({ _id: emailId })
  const blob = email === null ? null : await blobs.findOne({ _id: `${email.blob.id}#0` })
  if (email === null || blob === null) throw new Error(`There is no send ${emailId} to copy.`)
  return { email, blob }
}

/** Commits a send as the service does: allowance, blob and send in one command. */
async function sendCopy(store: Store, { email, blob }: Original, limited: readonly Limited[]): Promise<void> {
  const now = new Date()
  const [id, blobId] = [newId('em', now), newId('blb', now)]
  const writes = [
    ...takesTo(
      store,
      limited.map(({ period, counters }) => ({
        id: `${email.accountId}:${period}`,
        counts: counters.map((counter) => ({ counter, by: 1, limit: Number.MAX_SAFE_INTEGER })),
        expiresAt: new Date(now.getTime() + usageKeptMs),
      })),
    ),
    insertInto(store.blobs, { ...blob, _id: `${blobId}#0`, users: [id] }),
    insertInto(store.emails, { ...email, _id: id, blob: { ...email.blob, id: blobId }, createdAt: now }),
  ]
  await store.db.client.bulkWrite(writes.map((write) => modelOf(store.db, write)))
}
