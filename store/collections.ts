/**
 * The collections with their indexes, shard keys and schema versions, in one table (ARCHITECTURE.md, Data). Every unique
 * index begins with the shard key, so that the same code can run on a sharded cluster.
 */
import { type Collection, type Db, type Document, type IndexDescription, MongoServerError } from 'mongodb'
import type * as accounts from './documents/accounts.ts'
import type * as certificates from './documents/certificates.ts'
import type * as deliverability from './documents/deliverability.ts'
import type * as domains from './documents/domains.ts'
import type * as drive from './documents/drive.ts'
import type * as events from './documents/events.ts'
import type * as intake from './documents/intake.ts'
import type * as mail from './documents/mail.ts'
import type * as oauth from './documents/oauth.ts'
import type * as people from './documents/people.ts'
import type * as search from './documents/search.ts'
import type * as factors from './documents/second-factors.ts'
import type * as sending from './documents/sending.ts'
import type * as service from './documents/service.ts'

type Row = {
  readonly version: number
  /** null: the collection cannot be sharded. */
  readonly shardKey: string | null
  readonly indexes: readonly IndexDescription[]
  /** Its name in the database, if that differs from its name here. */
  readonly name?: string
  /** Set for a capped collection: above this size the oldest documents are removed. */
  readonly cappedBytes?: number
  /** Set if it records which processes run on this database. */
  readonly ofProcesses?: true
}

const expire = (field: string, seconds = 0): IndexDescription => ({ key: { [field]: 1 }, expireAfterSeconds: seconds })
const index = (...fields: readonly string[]): IndexDescription => ({
  key: Object.fromEntries(fields.map((field) => [field, 1])),
})
const unique = (...fields: readonly string[]): IndexDescription => ({ ...index(...fields), unique: true })
/** Messages of a folder in the order of arrival, read and unread ones apart. */
const inFolder = index('mailboxId', 'folderId', 'seen', '_id')
/** Live threads in the order of their newest message, read and unread ones apart. */
const liveThreads = index('mailboxId', 'live', 'unread', 'lastMessageId')

export const collections = {
  accounts: {
    version: 1,
    shardKey: '_id',
    indexes: [
      { ...index('claimExpiresAt'), sparse: true },
      { ...index('claimHash'), sparse: true },
      { ...index('erasing'), sparse: true },
      { ...index('clockMovedAt'), sparse: true },
      index('name'),
      { ...index('sandboxOf'), sparse: true },
      { ...index('members.personId'), sparse: true },
      { ...index('movingSince'), sparse: true },
      { ...index('claiming.at'), sparse: true },
      { ...index('joining.at'), sparse: true },
      { ...index('pauseChanges.at'), sparse: true },
      { ...index('administered.at'), sparse: true },
      { ...index('isPartner', '_id'), partialFilterExpression: { isPartner: { $exists: true } } },
      { ...index('partnerId', 'sandbox', '_id'), partialFilterExpression: { partnerId: { $exists: true } } },
      { ...index('customerChanges.at'), sparse: true },
    ],
  },
  people: { version: 1, shardKey: 'email', indexes: [unique('email')] },
  sessions: { version: 1, shardKey: 'hash', indexes: [unique('hash'), index('personId', '_id'), expire('endsAt')] },
  accountRequests: {
    version: 1,
    shardKey: 'accountId',
    indexes: [
      index('accountId', '_id'),
      index('status', '_id'),
      index('personId'),
      { ...index('following'), sparse: true },
    ],
  },
  keys: {
    version: 1,
    shardKey: 'hash',
    // A key that is not revoked has no date in `revokedAt`, so it does not expire. Grants are also removed after `expiresAt`.
    indexes: [
      unique('hash'),
      index('accountId', '_id'),
      expire('revokedAt', 90 * 86_400),
      { ...expire('expiresAt', 90 * 86_400), partialFilterExpression: { program: { $exists: true } } },
    ],
  },
  oauthClients: { version: 1, shardKey: '_id', indexes: [expire('expiresAt')] },
  oauthArtifacts: {
    version: 1,
    shardKey: '_id',
    indexes: [{ ...index('accountId'), sparse: true }, { ...index('grantId'), sparse: true }, expire('expiresAt')],
  },
  mailedLinks: {
    version: 1,
    shardKey: '_id',
    indexes: [index('email', 'kind'), { ...index('accountId', 'createdAt'), sparse: true }, expire('expiresAt')],
  },
  addresses: {
    version: 1,
    shardKey: '_id',
    indexes: [index('accountId', 'kind', 'createdAt', '_id'), index('mailboxIds')],
  },
  domains: {
    version: 2,
    shardKey: '_id',
    indexes: [index('accountId'), index('parent', '_id'), { ...index('watch.dueAt'), sparse: true }],
  },
  domainClaims: {
    version: 1,
    shardKey: 'accountId',
    indexes: [unique('accountId', 'domain'), index('domain', '_id'), index('watch.dueAt')],
  },
  zones: { version: 1, shardKey: '_id', indexes: [index('accountId'), index('changedAt')] },
  zoneKeys: {
    version: 1,
    shardKey: '_id',
    indexes: [index('accountId'), index('createdAt'), { ...index('next.dueAt'), sparse: true }],
  },
  zoneRecords: {
    version: 1,
    shardKey: 'domain',
    indexes: [index('domain', 'accountId', '_id'), index('accountId', '_id'), { ...expire('expiresAt'), sparse: true }],
  },
  domainReports: {
    version: 1,
    shardKey: 'accountId',
    indexes: [index('accountId', 'domain', 'from'), index('accountId', 'domain', 'receivedAt'), expire('expiresAt')],
  },
  deliveryChecks: { version: 1, shardKey: '_id', indexes: [expire('expiresAt')] },
  tlsResults: { version: 1, shardKey: '_id', indexes: [index('dueAt'), expire('expiresAt')] },
  mailboxes: {
    version: 1,
    shardKey: '_id',
    indexes: [
      index('accountId', '_id'),
      { ...index('deletedAt'), sparse: true },
      { ...index('warned.at'), sparse: true },
    ],
  },
  folders: {
    version: 1,
    shardKey: 'mailboxId',
    indexes: [
      unique('mailboxId', 'path'),
      // For the storage used by a mailbox, which is queried often: most of its folders are empty.
      { ...index('mailboxId'), name: 'filled', partialFilterExpression: { bytes: { $gt: 0 } } },
      { ...index('open.at'), sparse: true },
    ],
  },
  messages: {
    version: 1,
    shardKey: 'mailboxId',
    indexes: [
      unique('mailboxId', 'folderId', 'uid'),
      index('mailboxId', 'folderId', 'modseq'),
      { ...inFolder, name: 'inFolder' },
      { ...inFolder, name: 'flagged', partialFilterExpression: { flagged: true } },
      { ...inFolder, name: 'withAttachment', partialFilterExpression: { 'attachments.0': { $exists: true } } },
      index('mailboxId', '_id'),
      index('mailboxId', 'threadId', '_id'),
      { ...unique('mailboxId', 'fingerprint'), partialFilterExpression: { fingerprint: { $exists: true } } },
      { ...unique('mailboxId', 'importedFrom'), partialFilterExpression: { importedFrom: { $exists: true } } },
      { ...index('mailboxId', 'messageIdHeader'), partialFilterExpression: { messageIdHeader: { $exists: true } } },
      { ...index('mailboxId', 'labels', '_id'), partialFilterExpression: { labels: { $exists: true } } },
      { ...index('discardedAt'), sparse: true },
    ],
  },
  threads: {
    version: 1,
    shardKey: 'mailboxId',
    indexes: [
      { ...liveThreads, name: 'live' },
      { ...liveThreads, name: 'flagged', partialFilterExpression: { flagged: true } },
      { ...liveThreads, name: 'withAttachment', partialFilterExpression: { hasAttachment: true } },
      index('mailboxId', 'folderIds', 'lastMessageId'),
      index('mailboxId', 'senders', 'lastMessageId'),
      { ...index('mailboxId', 'labels', 'lastMessageId'), partialFilterExpression: { labels: { $exists: true } } },
      {
        ...index('mailboxId', 'subjectKey', 'lastMessageId'),
        partialFilterExpression: { subjectKey: { $exists: true } },
      },
      { ...expire('emptyAt', 3_600), sparse: true },
    ],
  },
  blobs: { version: 2, shardKey: '_id', indexes: [{ ...index('inDoubt'), sparse: true }] },
  searchSegments: {
    version: 1,
    shardKey: 'mailboxId',
    indexes: [index('mailboxId', 'newest'), index('accountId', 'newest', '_id'), index('tidyAt')],
  },
  searchBlocks: { version: 1, shardKey: '_id', indexes: [] },
  searchTexts: { version: 1, shardKey: '_id', indexes: [] },
  searchMerges: { version: 1, shardKey: '_id', indexes: [] },
  metadata: { version: 1, shardKey: '_id', indexes: [index('mailboxId')] },
  contacts: {
    version: 1,
    shardKey: 'mailboxId',
    indexes: [index('mailboxId', 'lastSeenAt', '_id'), index('mailboxId', 'words')],
  },
  intakes: {
    version: 1,
    shardKey: '_id',
    indexes: [index('accountId', '_id'), index('checkAt'), { ...index('backfill.dueAt'), sparse: true }],
  },
  intakeRecords: {
    version: 1,
    shardKey: 'mailboxId',
    indexes: [index('accountId', '_id'), index('mailboxId', '_id'), { ...index('dueAt'), sparse: true }],
  },
  driveEntries: {
    version: 1,
    shardKey: 'accountId',
    indexes: [
      unique('accountId', 'parentId', 'name'),
      index('accountId', 'parentId', '_id'),
      { ...index('incoming.at'), sparse: true },
    ],
  },
  // The indexes that the driver's GridFS bucket expects (store/drive.ts).
  driveFiles: { version: 1, shardKey: '_id', indexes: [index('filename', 'uploadDate')], name: 'drive.files' },
  driveChunks: { version: 1, shardKey: 'files_id', indexes: [unique('files_id', 'n')], name: 'drive.chunks' },
  emails: {
    version: 1,
    shardKey: 'accountId',
    indexes: [
      index('accountId', '_id'),
      index('accountId', 'keyId', '_id'),
      index('accountId', 'messageId'),
      { ...index('accountId', 'formerMessageIds'), partialFilterExpression: { formerMessageIds: { $exists: true } } },
      { ...index('accountId', 'mailboxId', '_id'), partialFilterExpression: { scheduledFor: { $exists: true } } },
      { key: { todoAt: 1 }, sparse: true },
      { ...index('noticeTo'), sparse: true },
      { ...index('noticeOf'), sparse: true },
    ],
  },
  approvals: {
    version: 1,
    shardKey: 'accountId',
    indexes: [
      index('accountId', '_id'),
      index('accountId', 'status', '_id'),
      index('accountId', 'emailId'),
      { ...index('accountId', 'draft.messageId'), partialFilterExpression: { status: 'waiting' } },
      { ...index('dueAt'), sparse: true },
      { ...index('untoldSince'), sparse: true },
      expire('removeAt'),
    ],
  },
  outbox: {
    version: 1,
    shardKey: 'accountId',
    indexes: [
      { ...index('accountId', 'notBefore'), partialFilterExpression: { notBefore: { $exists: true } } },
      { ...expire('doneAt', 86_400), sparse: true },
    ],
  },
  batches: {
    version: 1,
    shardKey: 'accountId',
    indexes: [
      unique('accountId', 'mailboxId', 'idempotencyKey'),
      index('accountId', '_id'),
      { key: { nextAt: 1 }, sparse: true },
      expire('expiresAt'),
    ],
  },
  templates: { version: 1, shardKey: 'accountId', indexes: [unique('accountId', 'alias')] },
  suppressions: { version: 1, shardKey: 'accountId', indexes: [index('accountId', 'at', '_id')] },
  lanes: { version: 1, shardKey: '_id', indexes: [index('dueAt')] },
  stsPolicies: { version: 1, shardKey: '_id', indexes: [expire('expiresAt')] },
  certificates: {
    version: 1,
    shardKey: '_id',
    indexes: [index('nextAt'), { ...index('challenge.token'), sparse: true }],
  },
  usage: { version: 3, shardKey: '_id', indexes: [expire('expiresAt'), { ...index('open.at'), sparse: true }] },
  events: {
    version: 1,
    shardKey: 'accountId',
    indexes: [
      unique('accountId', 'seq'),
      index('accountId', 'type', 'seq'),
      { ...index('accountId', 'movedFrom', 'seq'), partialFilterExpression: { movedFrom: { $exists: true } } },
      { ...index('accountId', 'customerId', 'seq'), partialFilterExpression: { customerId: { $exists: true } } },
      expire('createdAt', 30 * 86_400),
    ],
  },
  exports: {
    version: 1,
    shardKey: 'accountId',
    indexes: [
      index('accountId', '_id'),
      { ...unique('accountId'), partialFilterExpression: { dueAt: { $exists: true } } },
      { ...index('dueAt'), sparse: true },
      expire('expiresAt'),
    ],
  },
  exportChunks: { version: 1, shardKey: '_id', indexes: [expire('expiresAt')] },
  webhooks: {
    version: 2,
    shardKey: 'accountId',
    indexes: [
      index('accountId', '_id'),
      { ...index('dueAt'), sparse: true },
      { ...index('noticeDueAt'), sparse: true },
      { ...index('previousUntil'), sparse: true },
    ],
  },
  deliveries: {
    version: 2,
    shardKey: 'accountId',
    indexes: [
      { ...index('webhookId', 'nextAt'), partialFilterExpression: { nextAt: { $exists: true } } },
      index('webhookId', '_id'),
      { ...index('webhookId', '_id'), name: 'failed', partialFilterExpression: { state: 'failed' } },
      { ...index('eventId'), partialFilterExpression: { type: 'intake.message' } },
      { ...index('webhookId', 'mailboxId', 'order'), partialFilterExpression: { order: { $exists: true } } },
      { ...index('accountId', 'customerId'), partialFilterExpression: { customerId: { $exists: true } } },
      index('accountId', '_id'),
      expire('expiresAt'),
    ],
  },
  failedLogins: { version: 1, shardKey: '_id', indexes: [expire('expiresAt')] },
  processHours: { version: 1, shardKey: '_id', indexes: [expire('expiresAt')] },
  authenticators: { version: 1, shardKey: '_id', indexes: [] },
  passkeys: { version: 1, shardKey: '_id', indexes: [index('personId', 'createdAt')] },
  usedChallenges: { version: 1, shardKey: '_id', indexes: [expire('expiresAt')] },
  requestRates: { version: 1, shardKey: '_id', indexes: [expire('expiresAt')] },
  idempotency: {
    version: 1,
    shardKey: '_id',
    indexes: [
      index('accountId'),
      { ...index('accountId', 'customerId'), partialFilterExpression: { customerId: { $exists: true } } },
      expire('expiresAt'),
    ],
  },
  audit: {
    version: 2,
    shardKey: 'accountId',
    indexes: [
      unique('accountId', 'seq'),
      index('accountId', 'action', 'seq'),
      { ...index('userId', 'accountId'), partialFilterExpression: { userId: { $exists: true } } },
      expire('at', 365 * 86_400),
    ],
  },
  // Holds the notes of several seconds at the highest rate of mail, and of hours in quieter times.
  changes: { version: 2, shardKey: null, indexes: [], name: 'changeNotes', cappedBytes: 2 * 1024 * 1024 },
  keyHolders: { version: 1, shardKey: '_id', indexes: [expire('expiresAt')], ofProcesses: true },
  state: { version: 1, shardKey: '_id', indexes: [] },
} as const satisfies { readonly [name: string]: Row }

export type CollectionName = keyof typeof collections

const rows: readonly (readonly [string, Row])[] = Object.entries(collections)

/** The name of Agenda's collection: when each clock (jobs/clocks.ts) runs next, and whether a process has locked it. */
export const clocksName = 'agendaJobs'

/**
 * The names of the collections that record which processes run on a database, and what these do. A copy of the database is made without
 * their documents, because no process runs on the copy yet.
 */
export const namesOfProcesses: ReadonlySet<string> = new Set([
  clocksName,
  ...rows.filter(([, { ofProcesses }]) => ofProcesses === true).map(([key, { name = key }]) => name),
])

export type Collections = {
  readonly accounts: Collection<accounts.AccountDoc>
  readonly people: Collection<people.PersonDoc>
  readonly sessions: Collection<people.SessionDoc>
  readonly mailedLinks: Collection<people.MailedLinkDoc>
  readonly accountRequests: Collection<people.AccountRequestDoc>
  readonly keys: Collection<accounts.KeyDoc>
  readonly oauthClients: Collection<oauth.OauthClientDoc>
  readonly oauthArtifacts: Collection<oauth.OauthArtifactDoc>
  readonly addresses: Collection<mail.AddressDoc>
  readonly domains: Collection<domains.DomainDoc>
  readonly domainClaims: Collection<domains.DomainClaimDoc>
  readonly zones: Collection<domains.ZoneDoc>
  readonly zoneKeys: Collection<domains.ZoneKeyDoc>
  readonly zoneRecords: Collection<domains.ZoneRecordDoc>
  readonly domainReports: Collection<deliverability.DomainReportDoc>
  readonly deliveryChecks: Collection<deliverability.CheckDoc>
  readonly tlsResults: Collection<deliverability.TlsResultDoc>
  readonly mailboxes: Collection<mail.MailboxDoc>
  readonly folders: Collection<mail.FolderDoc>
  readonly messages: Collection<mail.MessageDoc>
  readonly threads: Collection<mail.ThreadDoc>
  readonly blobs: Collection<mail.BlobDoc>
  readonly searchSegments: Collection<search.SegmentDoc>
  readonly searchBlocks: Collection<search.SearchBlockDoc>
  readonly searchTexts: Collection<search.SearchTextDoc>
  readonly searchMerges: Collection<search.SearchMergeDoc>
  readonly metadata: Collection<mail.MetadataDoc>
  readonly contacts: Collection<mail.ContactDoc>
  readonly intakes: Collection<intake.IntakeDoc>
  readonly intakeRecords: Collection<intake.IntakeRecordDoc>
  readonly driveEntries: Collection<drive.DriveEntryDoc>
  readonly driveFiles: Collection<drive.DriveFileDoc>
  readonly driveChunks: Collection<drive.DriveChunkDoc>
  readonly emails: Collection<sending.EmailDoc>
  readonly approvals: Collection<sending.ApprovalDoc>
  readonly outbox: Collection<sending.OutboxDoc>
  readonly batches: Collection<sending.BatchDoc>
  readonly templates: Collection<sending.TemplateDoc>
  readonly suppressions: Collection<sending.SuppressionDoc>
  readonly lanes: Collection<sending.LaneDoc>
  readonly stsPolicies: Collection<sending.StsPolicyDoc>
  readonly certificates: Collection<certificates.CertificateDoc>
  readonly usage: Collection<accounts.UsageDoc>
  readonly events: Collection<events.EventDoc>
  readonly exports: Collection<accounts.ExportDoc>
  readonly exportChunks: Collection<accounts.ExportChunkDoc>
  readonly webhooks: Collection<events.WebhookDoc>
  readonly deliveries: Collection<events.DeliveryDoc>
  readonly failedLogins: Collection<accounts.FailedLoginsDoc>
  readonly requestRates: Collection<accounts.RequestRateDoc>
  readonly processHours: Collection<service.ProcessHourDoc>
  readonly authenticators: Collection<factors.AuthenticatorDoc>
  readonly passkeys: Collection<factors.PasskeyDoc>
  readonly usedChallenges: Collection<factors.UsedChallengeDoc>
  readonly idempotency: Collection<accounts.IdempotencyDoc>
  readonly audit: Collection<accounts.AuditDoc>
  readonly changes: Collection<service.ChangeDoc>
  readonly keyHolders: Collection<service.KeyHolderDoc>
  readonly state: Collection<service.StateDoc>
}

/** A document of a collection. */
export type DocOf<N extends CollectionName> = Collections[N] extends Collection<infer D extends Document> ? D : never

/** The typed handles of all collections of a database. */
export function collectionsOf(db: Db): Collections {
  return Object.fromEntries(rows.map(([key, { name = key }]) => [key, db.collection(name)])) as unknown as Collections
}

/** Creates the indexes and capped collections that are missing. Safe to repeat and to run in several processes. */
export async function ensureIndexes(db: Db): Promise<void> {
  await Promise.all(
    rows.map(async ([key, { name = key, indexes, cappedBytes }]) => {
      if (cappedBytes !== undefined) await ensureCapped(db, name, cappedBytes)
      if (indexes.length > 0) await db.collection(name).createIndexes([...indexes])
    }),
  )
}

async function ensureCapped(db: Db, name: string, size: number): Promise<void> {
  await db.createCollection(name, { capped: true, size }).catch((error: unknown) => {
    if (!(error instanceof MongoServerError) || error.codeName !== 'NamespaceExists') throw error
  })
}
