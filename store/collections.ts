/**
 * The collections: their indexes, shard keys and schema versions, in one table (ARCHITECTURE.md, Data). Every unique index
 * begins with the shard key, so that the same code runs on a sharded cluster.
 */
import type { Collection, Db, IndexDescription } from 'mongodb'
import type * as accounts from './documents/accounts.ts'
import type * as events from './documents/events.ts'
import type * as mail from './documents/mail.ts'
import type * as sending from './documents/sending.ts'
import type * as service from './documents/service.ts'

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
  readonly accounts: Collection<accounts.AccountDoc>
  readonly keys: Collection<accounts.KeyDoc>
  readonly addresses: Collection<mail.AddressDoc>
  readonly domains: Collection<accounts.DomainDoc>
  readonly mailboxes: Collection<mail.MailboxDoc>
  readonly folders: Collection<mail.FolderDoc>
  readonly messages: Collection<mail.MessageDoc>
  readonly blobs: Collection<mail.BlobDoc>
  readonly contacts: Collection<mail.ContactDoc>
  readonly emails: Collection<sending.EmailDoc>
  readonly outbox: Collection<sending.OutboxDoc>
  readonly lanes: Collection<sending.LaneDoc>
  readonly usage: Collection<accounts.UsageDoc>
  readonly events: Collection<events.EventDoc>
  readonly webhooks: Collection<events.WebhookDoc>
  readonly deliveries: Collection<events.DeliveryDoc>
  readonly idempotency: Collection<accounts.IdempotencyDoc>
  readonly audit: Collection<accounts.AuditDoc>
  readonly changes: Collection<service.ChangeDoc>
  readonly state: Collection<service.StateDoc>
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
