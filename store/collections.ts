/**
 * The collections: their indexes, shard keys and schema versions, in one table (ARCHITECTURE.md, Data). Every unique index
 * begins with the shard key, so that the same code runs on a sharded cluster.
 */
import type { Collection, Db, IndexDescription } from 'mongodb'
import type * as docs from './documents.ts'

type Row = { readonly version: number; readonly shardKey: string; readonly indexes: readonly IndexDescription[] }

const expire = (field: string, seconds = 0): IndexDescription => ({ key: { [field]: 1 }, expireAfterSeconds: seconds })
const index = (...fields: readonly string[]): IndexDescription => ({
  key: Object.fromEntries(fields.map((field) => [field, 1])),
})
const unique = (...fields: readonly string[]): IndexDescription => ({ ...index(...fields), unique: true })

export const collections = {
  accounts: {
    version: 1,
    shardKey: '_id',
    indexes: [
      { ...index('claimExpiresAt'), sparse: true },
      { ...index('claimHash'), sparse: true },
    ],
  },
  keys: { version: 1, shardKey: 'hash', indexes: [unique('hash'), index('accountId', '_id')] },
  addresses: { version: 1, shardKey: '_id', indexes: [index('accountId'), index('mailboxId')] },
  domains: { version: 1, shardKey: '_id', indexes: [index('accountId')] },
  mailboxes: {
    version: 1,
    shardKey: '_id',
    indexes: [index('accountId', '_id'), { ...index('deletedAt'), sparse: true }],
  },
  folders: {
    version: 1,
    shardKey: 'mailboxId',
    indexes: [unique('mailboxId', 'path'), { ...index('open.at'), sparse: true }],
  },
  messages: {
    version: 1,
    shardKey: 'mailboxId',
    indexes: [
      unique('mailboxId', 'folderId', 'uid'),
      index('mailboxId', 'folderId', '_id'),
      index('mailboxId', '_id'),
      index('mailboxId', 'threadId', '_id'),
      { ...unique('mailboxId', 'fingerprint'), partialFilterExpression: { fingerprint: { $exists: true } } },
      { ...index('mailboxId', 'messageIdHeader'), partialFilterExpression: { messageIdHeader: { $exists: true } } },
      { ...index('mailboxId', 'labels', '_id'), partialFilterExpression: { labels: { $exists: true } } },
    ],
  },
  blobs: { version: 1, shardKey: '_id', indexes: [] },
  contacts: { version: 1, shardKey: '_id', indexes: [index('mailboxId', 'lastSeenAt')] },
  emails: {
    version: 1,
    shardKey: 'accountId',
    indexes: [index('accountId', '_id'), { key: { todoAt: 1 }, sparse: true }],
  },
  outbox: {
    version: 1,
    shardKey: 'accountId',
    indexes: [
      { ...index('accountId', 'notBefore'), partialFilterExpression: { notBefore: { $exists: true } } },
      { ...expire('doneAt', 86_400), sparse: true },
    ],
  },
  lanes: { version: 1, shardKey: '_id', indexes: [index('dueAt')] },
  usage: { version: 1, shardKey: '_id', indexes: [expire('expiresAt')] },
  events: {
    version: 1,
    shardKey: 'accountId',
    indexes: [unique('accountId', 'seq'), index('accountId', 'type', 'seq'), expire('createdAt', 30 * 86_400)],
  },
  webhooks: { version: 1, shardKey: 'accountId', indexes: [index('accountId', '_id')] },
  deliveries: {
    version: 1,
    shardKey: 'accountId',
    indexes: [{ key: { nextAt: 1 }, sparse: true }, index('webhookId', '_id')],
  },
  idempotency: { version: 1, shardKey: '_id', indexes: [expire('expiresAt')] },
  audit: { version: 1, shardKey: 'accountId', indexes: [unique('accountId', 'seq'), expire('at', 365 * 86_400)] },
  changes: { version: 1, shardKey: '_id', indexes: [expire('at', 600)] },
  state: { version: 1, shardKey: '_id', indexes: [] },
} as const satisfies { readonly [name: string]: Row }

export type CollectionName = keyof typeof collections

export type Collections = {
  readonly accounts: Collection<docs.AccountDoc>
  readonly keys: Collection<docs.KeyDoc>
  readonly addresses: Collection<docs.AddressDoc>
  readonly domains: Collection<docs.DomainDoc>
  readonly mailboxes: Collection<docs.MailboxDoc>
  readonly folders: Collection<docs.FolderDoc>
  readonly messages: Collection<docs.MessageDoc>
  readonly blobs: Collection<docs.BlobDoc>
  readonly contacts: Collection<docs.ContactDoc>
  readonly emails: Collection<docs.EmailDoc>
  readonly outbox: Collection<docs.OutboxDoc>
  readonly lanes: Collection<docs.LaneDoc>
  readonly usage: Collection<docs.UsageDoc>
  readonly events: Collection<docs.EventDoc>
  readonly webhooks: Collection<docs.WebhookDoc>
  readonly deliveries: Collection<docs.DeliveryDoc>
  readonly idempotency: Collection<docs.IdempotencyDoc>
  readonly audit: Collection<docs.AuditDoc>
  readonly changes: Collection<docs.ChangeDoc>
  readonly state: Collection<docs.StateDoc>
}

/** The typed handles of all collections of a database. */
export function collectionsOf(db: Db): Collections {
  const names = Object.keys(collections) as CollectionName[]
  return Object.fromEntries(names.map((name) => [name, db.collection(name)])) as unknown as Collections
}

/** Makes every index that is missing. Safe to repeat and to run in several processes. */
export async function ensureIndexes(db: Db): Promise<void> {
  const rows: readonly (readonly [string, Row])[] = Object.entries(collections)
  await Promise.all(
    rows.map(async ([name, { indexes }]) => {
      if (indexes.length > 0) await db.collection(name).createIndexes([...indexes])
    }),
  )
}
