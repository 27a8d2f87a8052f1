/**
 * How the documents of each collection belong to an account: how they are found, shown in an export, and erased. A collection without
 * a row here does not compile. The rows are in the order in which they are erased: documents by which others are found come after
 * those. Every function reads ranges of indexes, works in pages, and is safe to repeat.
 */
import type { Collection, Document, Filter } from 'mongodb'
import { customerIdOf } from '../schemas/partners.ts'
import { withoutNames, withoutPerson } from './audit-hash.ts'
import { dropBlobUsers } from './blobs.ts'
import type { CollectionName, DocOf } from './collections.ts'
import type { EmailDoc } from './documents/sending.ts'
import { removeDriveEntries } from './drive.ts'
import { removeIntakeRecords } from './intake.ts'
import { mailboxIdsOf } from './mailboxes.ts'
import { findPeopleOf } from './members.ts'
import { purgeMessages } from './messages.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'
import { eraseCustomerMarks } from './records.ts'
import { removeIndex } from './search.ts'

/** An account, and the ids by which its documents are found. */
export type Owner = {
  readonly accountId: string
  /** All its mailboxes, including deleted ones that are not purged yet. */
  readonly mailboxIds: readonly string[]
  /** Its members who are in no other account: they are exported and erased with it. */
  readonly people: readonly { readonly id: string; readonly email: string }[]
  /** All its members. */
  readonly memberIds: readonly string[]
  /** For a customer: its partner, whose events and requests are also about it. */
  readonly partnerId: string | null
}

/** An account, with the current ids by which its documents are found. */
export async function ownerOf(store: Store, accountId: string): Promise<Owner> {
  const [mailboxIds, people, account] = await Promise.all([
    mailboxIdsOf(store, accountId),
    findPeopleOf(store, accountId),
    readOne(store, 'accounts', { _id: accountId }, { projection: { partnerId: 1 } }),
  ])
  return { accountId, mailboxIds, ...people, partnerId: account?.partnerId ?? null }
}

/** A person who is in no account, as the owner of personal data. The person's id serves as an account id that no account has. */
export const loneOwner = ({ id, email }: Owner['people'][number]): Owner => ({
  accountId: id,
  mailboxIds: [],
  people: [{ id, email }],
  memberIds: [id],
  partnerId: null,
})

export type Personal<D extends Document> = Nobodys | Owned<D>

/** A collection whose documents are not erased as those of an account, and why. */
type Nobodys = { readonly of: 'nobody'; readonly because: string }

type Owned<D extends Document> = {
  readonly of: 'account'
  /** Finds the documents that an export contains; null: it contains none of this collection. */
  readonly find: ((owner: Owner) => Filter<D>) | null
  /** Fields that an export leaves out: secrets, and fields that only the service itself can use. */
  readonly without: readonly (keyof D & string)[]
  /** Why an export contains none of it. */
  readonly because?: string
  /** Erases the account's documents. Returns how many. */
  readonly erase: (store: Store, owner: Owner) => Promise<number>
  /**
   * Set for documents by which others are found: they are erased at the end, when no process is working for the account any more.
   */
  readonly isLast?: true
}

const pageSize = 500

export const personal: { readonly [N in CollectionName]: Personal<DocOf<N>> } = {
  addresses: owned('addresses', ({ accountId }) => ({ accountId })),
  webhooks: owned('webhooks', ({ accountId }) => ({ accountId }), [
    'secret',
    'previousSecret',
    'dueAt',
    'dueRev',
    'looked',
    'noticeDueAt',
  ]),
  // Before the messages, because no mail can arrive without a folder.
  folders: owned('folders', ({ mailboxIds }) => ({ mailboxId: { $in: [...mailboxIds] } }), [
    'open',
    'recount',
    'touched',
    'gate',
  ]),
  messages: {
    ...owned('messages', ({ mailboxIds }) => ({ mailboxId: { $in: [...mailboxIds] } }), [
      'blob',
      'fingerprint',
      'lease',
    ]),
    erase: (store, { mailboxIds }) =>
      sumOf(mailboxIds, (mailboxId) => untilNone(() => purgeMessages(store, mailboxId, pageSize))),
  },
  searchSegments: {
    ...unshown('an index of the words of messages, which the export contains in full'),
    erase: (store, { mailboxIds }) => sumOf(mailboxIds, (mailboxId) => removeIndex(store, mailboxId).then(() => 0)),
  },
  searchBlocks: goesWith('searchSegments'),
  searchMerges: goesWith('searchSegments'),
  searchTexts: goesWith('blobs'),
  threads: owned('threads', ({ mailboxIds }) => ({ mailboxId: { $in: [...mailboxIds] } }), ['rev']),
  metadata: owned('metadata', ({ mailboxIds }) => ({ mailboxId: { $in: [...mailboxIds] } }), ['rev']),
  contacts: owned('contacts', ({ mailboxIds }) => ({ mailboxId: { $in: [...mailboxIds] } }), [
    'words',
    'seqs',
    'seq',
    'sends',
  ]),
  intakes: owned('intakes', ({ accountId }) => ({ accountId }), ['checkAt']),
  intakeRecords: {
    ...owned('intakeRecords', ({ accountId }) => ({ accountId }), ['blob', 'linkKey', 'lease', 'dueAt', 'tries']),
    erase: (store, { accountId }) => untilNone(() => removeIntakeRecords(store, { accountId }, pageSize)),
  },
  driveEntries: {
    ...owned('driveEntries', ({ accountId }) => ({ accountId }), ['parts', 'source', 'incoming', 'isNew']),
    erase: (store, { accountId }) => untilNone(() => removeDriveEntries(store, accountId, pageSize)),
  },
  driveFiles: goesWith('driveEntries'),
  driveChunks: goesWith('driveEntries'),
  // Before the sends. Only the unfinished rows: finished rows are found by the ids of the sends, and erased with them.
  outbox: {
    ...unshown('one row for each recipient of a send; the send itself lists them all'),
    erase: (store, { accountId }) => removeAll(store.outbox, { accountId, notBefore: { $exists: true } }),
  },
  lanes: { ...unshown('only the time at which mail of the account is due'), erase: byId((store) => store.lanes) },
  emails: {
    ...owned('emails', ({ accountId }) => ({ accountId }), ['blob', 'taken', 'takenBy', 'planned', 'rev', 'todoAt']),
    erase: async (store, { accountId, people }) =>
      (await untilNone(() => removeSends(store, { accountId }))) +
      (await untilNone(() => removeSends(store, { noticeOf: accountId }))) +
      (await sumOf(people, ({ email }) => untilNone(() => removeSends(store, { noticeTo: email })))),
  },
  approvals: {
    ...owned('approvals', ({ accountId }) => ({ accountId }), ['blob', 'dueAt', 'untoldSince']),
    erase: (store, { accountId }) => untilNone(() => removeApprovals(store, accountId)),
  },
  blobs: { of: 'nobody', because: 'removed with the last message or send that uses them' },
  batches: owned('batches', ({ accountId }) => ({ accountId }), ['fingerprint', 'taken', 'takenBy', 'nextAt']),
  templates: owned('templates', ({ accountId }) => ({ accountId })),
  suppressions: owned('suppressions', ({ accountId }) => ({ accountId })),
  events: {
    ...owned('events', ({ accountId }) => ({ accountId })),
    erase: async (store, owner) =>
      (await emptyCustomerEvents(store, owner)) + (await removeAll(store.events, { accountId: owner.accountId })),
  },
  deliveries: {
    ...owned('deliveries', ({ accountId }) => ({ accountId }), ['lease', 'nextAt', 'order']),
    erase: async (store, { accountId, partnerId }) =>
      (await removeAll(store.deliveries, { accountId })) +
      (partnerId === null
        ? 0
        : await removeAll(store.deliveries, { accountId: partnerId, customerId: customerIdOf(accountId) })),
  },
  usage: {
    ...owned('usage', ({ accountId }) => usageOf(accountId), ['open', 'granted']),
    erase: (store, { accountId, people }) =>
      sumOf([accountId, ...people.map(({ email }) => `notices:${email}`)], (owner) =>
        removeAll(store.usage, usageOf(owner)),
      ),
  },
  idempotency: {
    ...unshown('answers that callers have already received, under keys that only they know'),
    erase: async (store, owner) =>
      (await emptyCustomerMarks(store, owner)) + (await removeAll(store.idempotency, { accountId: owner.accountId })),
  },
  exports: {
    ...unshown('an export does not contain itself or other exports'),
    erase: (store, { accountId }) => untilNone(() => removeExports(store, accountId)),
  },
  exportChunks: goesWith('exports'),
  domainClaims: owned('domainClaims', ({ accountId }) => ({ accountId }), ['dkim', 'backend']),
  zoneRecords: owned('zoneRecords', ({ accountId }) => ({ accountId })),
  zones: owned('zones', ({ accountId }) => ({ accountId })),
  zoneKeys: owned('zoneKeys', ({ accountId }) => ({ accountId }), ['privateKey', 'next']),
  domainReports: owned('domainReports', ({ accountId }) => ({ accountId })),
  domains: owned('domains', ({ accountId }) => ({ accountId }), ['dkim', 'backend']),
  audit: {
    ...owned('audit', ({ accountId }) => ({ accountId })),
    erase: async (store, owner) => (await eraseNames(store, owner.accountId)) + (await eraseFromAudits(store, owner)),
  },
  mailedLinks: {
    ...owned('mailedLinks', ({ accountId }) => ({ accountId })),
    erase: async (store, { accountId, people }) =>
      (await removeAll(store.mailedLinks, { accountId })) +
      (await sumOf(people, ({ email }) => removeAll(store.mailedLinks, { email }))),
  },
  accountRequests: {
    ...owned('accountRequests', ({ accountId }) => ({ accountId }), ['following', 'answeredBy']),
    erase: async (store, { accountId, people }) =>
      (await removeAll(store.accountRequests, { accountId })) +
      (await sumOf(people, ({ id: personId }) => removeAll(store.accountRequests, { personId }))),
  },
  sessions: {
    ...owned('sessions', ({ people }) => ({ personId: { $in: idsOf(people) } }), ['hash']),
    erase: endSessions,
  },
  // Last, because a person who joins another account before the end is not erased.
  authenticators: {
    ...owned('authenticators', ({ people }) => ({ _id: { $in: idsOf(people) } }), ['secret', 'recovery']),
    isLast: true,
  },
  passkeys: {
    ...owned('passkeys', ({ people }) => ({ personId: { $in: idsOf(people) } }), ['publicKey']),
    isLast: true,
  },
  people: {
    ...owned('people', ({ people }) => ({ _id: { $in: idsOf(people) } }), ['passwordHash', 'leaving']),
    isLast: true,
  },
  oauthArtifacts: {
    ...unshown('hashes of tokens; the grants that they belong to are exported as keys'),
    erase: (store, { accountId }) => removeAll(store.oauthArtifacts, { accountId }),
  },
  oauthClients: { of: 'nobody', because: 'registrations of programs, which expire when they are unused' },
  // Revoked at the beginning, but erased last, so that requests with them are answered as invalid until the end.
  keys: { ...owned('keys', ({ accountId }) => ({ accountId }), ['hash']), isLast: true },
  mailboxes: { ...owned('mailboxes', ({ accountId }) => ({ accountId })), isLast: true },
  accounts: {
    ...owned('accounts', ({ accountId }) => ({ _id: accountId }), [
      'claimHash',
      'claiming',
      'joining',
      'eventSeqFloor',
      'customerChanges',
      'administered',
    ]),
    erase: (store, { accountId }) => reduceAccount(store, accountId),
    isLast: true,
  },
  usedChallenges: { of: 'nobody', because: 'expire within minutes' },
  certificates: { of: 'nobody', because: 'removed a week after the domain whose names they cover' },
  stsPolicies: { of: 'nobody', because: 'policies that other domains publish' },
  deliveryChecks: { of: 'nobody', because: 'mail with which an administrator checks a domain; removed after an hour' },
  tlsResults: {
    of: 'nobody',
    because: 'results of connections to the mail servers of other domains, whoever sent; reported within a day',
  },
  requestRates: { of: 'nobody', because: 'expire within minutes' },
  processHours: { of: 'nobody', because: 'measurements of the processes of the service' },
  failedLogins: { of: 'nobody', because: 'expire 15 minutes after the login' },
  changes: {
    of: 'nobody',
    because: 'new notes push out the oldest; they hold ids and addresses for minutes to hours',
  },
  keyHolders: {
    of: 'nobody',
    because: 'which processes have which master keys; removed minutes after the process ends',
  },
  state: { of: 'nobody', because: 'the state of the service itself' },
}

/** Documents for which one filter serves the export and the erasure. */
function owned<N extends CollectionName>(
  name: N,
  find: (owner: Owner) => Filter<DocOf<N>>,
  without: readonly (keyof DocOf<N> & string)[] = [],
): Owned<DocOf<N>> {
  return {
    of: 'account',
    find,
    without,
    erase: (store, owner) => removeAll(store[name] as unknown as Collection<Document>, find(owner) as Filter<Document>),
  }
}

function unshown(because: string) {
  return { of: 'account', find: null, without: [], because } as const
}

/** Documents that are parts of documents of another collection, and are written and erased with them. */
function goesWith(name: CollectionName): Nobodys {
  return { of: 'nobody', because: `goes with \`${name}\`` }
}

function byId(of: (store: Store) => unknown): Owned<Document>['erase'] {
  return async (store, { accountId }) => {
    const { deletedCount } = await (of(store) as Collection<{ _id: string }>).deleteOne({ _id: accountId })
    return deletedCount
  }
}

/** Deletes all documents that match a filter, a page at a time, so that other commands run in between. */
function removeAll<D extends Document>(collection: Collection<D>, filter: Filter<D>): Promise<number> {
  return untilNone(async () => {
    const found = await collection
      .find(filter, { projection: { _id: 1 } })
      .limit(pageSize)
      .toArray()
    if (found.length > 0)
      await collection.deleteMany({ $and: [filter, { _id: { $in: found.map(({ _id }) => _id) } }] } as Filter<D>)
    return found.length
  })
}

const idsOf = (people: Owner['people']) => people.map(({ id }) => id)
/** The filter for all counters of an owner. */
const usageOf = (owner: string) => ({ _id: { $gte: `${owner}:`, $lt: `${owner};` } })

/** Deletes the sessions of people who are erased, and detaches other members' sessions from the account. Returns how many it deleted. */
async function endSessions(store: Store, { accountId, people, memberIds }: Owner): Promise<number> {
  const ended = await removeAll(store.sessions, { personId: { $in: idsOf(people) } })
  await store.sessions.updateMany({ personId: { $in: [...memberIds] }, accountId }, { $set: { accountId: null } })
  return ended
}

/** Deletes a page of sends with their outbox rows and blobs. Returns how many sends it deleted. */
async function removeSends(store: Store, filter: Filter<EmailDoc>): Promise<number> {
  const sends = await readMany(store, 'emails', filter, {
    projection: { accountId: 1, blob: 1, messageId: 1, 'recipients.status': 1 },
    limit: pageSize,
  })
  if (sends.length === 0) return 0
  const ids = sends.map(({ _id }) => _id)
  const rows = sends.flatMap(({ _id, recipients }) => recipients.map((_, n) => `${_id}#${n}`))
  const accountId = { $in: [...new Set(sends.map((send) => send.accountId))] }
  await store.outbox.deleteMany({ accountId, _id: { $in: rows } })
  // A Sent copy is listed as a user of the blob even if it was not written yet.
  await dropBlobUsers(
    store,
    sends.map(({ _id, blob, messageId }) => ({
      blobId: blob.id,
      users: messageId === null ? [_id] : [_id, messageId],
    })),
  )
  await store.emails.deleteMany({ accountId, _id: { $in: ids } })
  return sends.length
}

/** Empties the partner's events about the customer. The events remain, because their numbers must have no gap. */
async function emptyCustomerEvents(store: Store, { accountId, partnerId }: Owner): Promise<number> {
  if (partnerId === null) return 0
  const { modifiedCount } = await store.events.updateMany(
    { accountId: partnerId, customerId: customerIdOf(accountId), type: { $ne: emptiedEventType } },
    { $set: { type: emptiedEventType, mailbox: null, mailboxId: null, domain: null, data: {} } },
  )
  return modifiedCount
}

/** Empties the marks of the partner's requests about the customer. They remain, so that a repeat does not create the customer again. */
export async function emptyCustomerMarks(store: Store, { accountId, partnerId }: Owner): Promise<number> {
  if (partnerId === null) return 0
  const ofCustomer = { accountId: partnerId, customerId: customerIdOf(accountId), limit: pageSize }
  return untilNone(() => eraseCustomerMarks(store, ofCustomer))
}

/** The type of an emptied event, which is in no list and is sent to no endpoint. */
const emptiedEventType = 'customer.erased'

async function removeApprovals(store: Store, accountId: string): Promise<number> {
  const found = await readMany(store, 'approvals', { accountId }, { projection: { blob: 1 }, limit: pageSize })
  await dropBlobUsers(
    store,
    found.map(({ _id, blob }) => ({ blobId: blob.id, users: [_id] })),
  )
  if (found.length > 0) await store.approvals.deleteMany({ accountId, _id: { $in: found.map(({ _id }) => _id) } })
  return found.length
}

async function removeExports(store: Store, accountId: string): Promise<number> {
  const found = await readMany(store, 'exports', { accountId }, { projection: { _id: 1 }, limit: pageSize })
  for (const { _id } of found) {
    await removeAll(store.exportChunks, { _id: { $gte: `${_id}#`, $lt: `${_id}$` } })
    await store.exports.deleteOne({ accountId, _id })
  }
  return found.length
}

/** Removes the names from audit entries. What was done and when remains, as does the chain of hashes. Returns how many it changed. */
async function eraseNames(store: Store, accountId: string): Promise<number> {
  const named = { $or: [{ personal: { $ne: null } }, { userId: { $exists: true } }] }
  const { modifiedCount } = await store.audit.updateMany({ accountId, ...named }, withoutNames)
  return modifiedCount
}

/** Removes the addresses and targets from the entries of people in the audits of accounts that they left. Returns how many it changed. */
async function eraseFromAudits(store: Store, { people }: Owner): Promise<number> {
  const { modifiedCount } = await store.audit.updateMany(
    { userId: { $in: idsOf(people) }, personal: { $ne: null } },
    withoutPerson,
  )
  return modifiedCount
}

/** Reduces an account to its id, under which its audit is kept, and the fact that it was removed. */
async function reduceAccount(store: Store, _id: string): Promise<number> {
  const before = await readOne(store, 'accounts', { _id })
  if (before === null) return 0
  const { createdAt, sandbox } = before
  const { modifiedCount } = await store.accounts.replaceOne(
    { _id },
    {
      name: '',
      status: 'removed',
      plan: null,
      agentsPlan: null,
      sandbox,
      createdAt,
      owner: null,
      inboxes: 0,
      webhooks: 0,
      eventSeqFloor: 0,
      sendingPaused: null,
    },
  )
  return modifiedCount
}

async function sumOf<T>(all: readonly T[], count: (each: T) => Promise<number>): Promise<number> {
  let sum = 0
  for (const each of all) sum += await count(each)
  return sum
}

async function untilNone(removePage: () => Promise<number>): Promise<number> {
  let sum = 0
  for (;;) {
    const removed = await removePage()
    sum += removed
    if (removed < pageSize) return sum
  }
}
