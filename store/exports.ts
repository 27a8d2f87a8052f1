/**
 * Reads all data of an account, and keeps the exports made of it. An export's file is stored in the database, so that any process can
 * serve it. The ids of its chunks contain the number of the try, so that an interrupted try leaves nothing in the file of the next.
 */
import type { Collection, Document, Filter } from 'mongodb'
import { toBinary } from './bytes.ts'
import type { CollectionName } from './collections.ts'
import type { ExportDoc } from './documents/accounts.ts'
import type { MessageDoc } from './documents/mail.ts'
import type { EmailDoc } from './documents/sending.ts'
import { takeDue } from './earliest.ts'
import { isDuplicate, type Store } from './open.ts'
import { type Owner, personal } from './personal.ts'
import { readOne } from './reads.ts'

const batchSize = 100

/** The collections that an export contains, in the order of their names. */
export function shownCollections(): readonly CollectionName[] {
  const names = Object.keys(personal) as CollectionName[]
  return names.filter((name) => selection(name) !== null).toSorted()
}

/** The documents of an account in a collection, without the fields that an export leaves out. */
export async function* documentsOf(store: Store, name: CollectionName, owner: Owner): AsyncGenerator<Document> {
  const selected = selection(name)
  if (selected === null) return
  const projection = Object.fromEntries(selected.without.map((field) => [field, 0]))
  yield* anyOf(store, name).find(selected.find(owner), { projection, batchSize })
}

/** How many documents of an account an export contains. */
export async function countDocuments(store: Store, owner: Owner): Promise<number> {
  const counts = shownCollections().map((name) => {
    const selected = selection(name)
    return selected === null ? 0 : anyOf(store, name).countDocuments(selected.find(owner))
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** The messages of a mailbox in the order of their ids, with the fields that its mbox file needs. */
export function messagesOf(
  store: Store,
  mailboxId: string,
): AsyncIterable<Pick<MessageDoc, '_id' | 'receivedAt' | 'from' | 'trace' | 'cuts' | 'blob'>> {
  const projection = { receivedAt: 1, from: 1, trace: 1, cuts: 1, blob: 1 }
  return store.messages.find({ mailboxId }, { projection, batchSize }).sort({ mailboxId: 1, _id: 1 })
}

/** The sends of an account without a copy in a mailbox, oldest first. */
export async function* sendsWithoutCopy(
  store: Store,
  accountId: string,
): AsyncGenerator<Pick<EmailDoc, '_id' | 'createdAt' | 'from' | 'messageId' | 'blob'>> {
  const projection = { createdAt: 1, from: 1, messageId: 1, blob: 1 }
  const sends = store.emails.find({ accountId }, { projection, batchSize }).sort({ accountId: 1, _id: 1 })
  for await (const send of sends) if (send.messageId === null) yield send
}

function selection(name: CollectionName) {
  const row = personal[name]
  if (row.of === 'nobody' || row.find === null) return null
  return { find: row.find as (owner: Owner) => Filter<Document>, without: row.without as readonly string[] }
}

const anyOf = (store: Store, name: CollectionName) => store[name] as unknown as Collection<Document>

/** Inserts a new export. Returns false when another export of the account is waiting or running. */
export async function insertExport(store: Store, doc: ExportDoc): Promise<boolean> {
  try {
    await store.exports.insertOne(doc)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** Makes an export due. */
export async function startExport(store: Store, { _id, accountId }: ExportDoc, at: Date): Promise<void> {
  await store.exports.updateOne({ accountId, _id, tries: 0 }, { $set: { dueAt: at } })
}

/** Deletes an export that was not started. */
export async function removeExport(store: Store, { _id, accountId }: ExportDoc): Promise<void> {
  await store.exports.deleteOne({ accountId, _id, tries: 0 })
}

/** The newest export of an account; null when there is none. */
export function newestExport(store: Store, accountId: string): Promise<ExportDoc | null> {
  return readOne(store, 'exports', { accountId }, { sort: { accountId: -1, _id: -1 } })
}

export function findExport(store: Store, exportId: string): Promise<ExportDoc | null> {
  return readOne(store, 'exports', { _id: exportId })
}

/** Claims the export that has been due longest, until `until`. Returns it after the claim; null when none is due. */
export function claimExport(
  store: Store,
  { now, until, token }: { now: Date; until: Date; token: string },
): Promise<ExportDoc | null> {
  return takeDue(
    store.exports,
    { field: 'dueAt', shardKey: 'accountId', now },
    {
      $set: { state: 'running', dueAt: until, token, written: 0, chunks: 0, sizeBytes: 0 },
      $inc: { tries: 1 },
    },
  )
}

/** Records the progress of an export. Returns false when it is claimed under another token by now, or gone. */
export async function noteExport(
  store: Store,
  { accountId, _id, token }: Pick<ExportDoc, 'accountId' | '_id' | 'token'>,
  progress: Partial<ExportDoc>,
): Promise<boolean> {
  const { matchedCount } = await store.exports.updateOne({ accountId, _id, token }, { $set: progress })
  return matchedCount === 1
}

/** Ends an export. Returns false when it is claimed under another token by now, or gone. */
export async function endExport(
  store: Store,
  { accountId, _id, token }: Pick<ExportDoc, 'accountId' | '_id' | 'token'>,
  { state, expiresAt }: Pick<ExportDoc, 'state' | 'expiresAt'>,
): Promise<boolean> {
  const { matchedCount } = await store.exports.updateOne(
    { accountId, _id, token },
    { $set: { state, expiresAt }, $unset: { dueAt: '', token: '' } },
  )
  return matchedCount === 1
}

export async function insertExportChunk(
  store: Store,
  { _id, tries, expiresAt }: Pick<ExportDoc, '_id' | 'tries' | 'expiresAt'>,
  n: number,
  bytes: Uint8Array,
): Promise<void> {
  await store.exportChunks.insertOne({ _id: chunkId({ _id, tries }, n), data: toBinary(bytes), expiresAt })
}

/** The bytes of a chunk of an export's file; null when it has expired or was erased. */
export async function readExportChunk(
  store: Store,
  written: Pick<ExportDoc, '_id' | 'tries'>,
  n: number,
): Promise<Buffer | null> {
  const chunk = await readOne(store, 'exportChunks', { _id: chunkId(written, n) })
  return chunk === null ? null : Buffer.from(chunk.data.buffer)
}

const chunkId = ({ _id, tries }: Pick<ExportDoc, '_id' | 'tries'>, n: number) => `${_id}#${tries}#${n}`

/** The messages of a folder in the order of their UIDs. */
export function messagesIn(
  store: Store,
  { mailboxId, folderId }: { readonly mailboxId: string; readonly folderId: string },
): AsyncIterable<MessageDoc> {
  return store.messages.find({ mailboxId, folderId }, { batchSize }).sort({ uid: 1 })
}
