/**
 * The reads and writes that a sharded cluster sends to all shards because their filters do not contain the shard key, each with its
 * reason. All other filters contain it; the tests enforce this with a router of their own.
 */
import type { CollectionName } from './collections.ts'

/** Fields that the filter contains, possibly among others; an empty list stands for an empty filter. */
type By = readonly string[]

export type Scattered = {
  readonly kind: 'read' | 'write'
  readonly collection: CollectionName
  readonly by: By
  readonly why: string
}

const reads = (why: string, of: Readonly<Partial<Record<CollectionName, readonly By[]>>>) => all('read', why, of)
const writes = (why: string, of: Readonly<Partial<Record<CollectionName, readonly By[]>>>) => all('write', why, of)

export const scattered: readonly Scattered[] = [
  ...reads('A clock on one node looks for due work, longest overdue first, in an index that contains little else.', {
    lanes: [['dueAt']],
    emails: [['todoAt']],
    webhooks: [['dueAt'], ['noticeDueAt']],
    batches: [['nextAt']],
    approvals: [['dueAt'], ['untoldSince']],
    exports: [['dueAt']],
    certificates: [['nextAt'], []],
    tlsResults: [['dueAt']],
    intakes: [['checkAt'], ['backfill.dueAt']],
    intakeRecords: [['dueAt']],
    domains: [['watch.dueAt']],
    domainClaims: [['watch.dueAt']],
    zoneKeys: [['next.dueAt'], ['createdAt']],
    searchSegments: [['tidyAt']],
    accounts: [
      ['claimExpiresAt'],
      ['erasing'],
      ['movingSince'],
      ['claiming.at'],
      ['joining.at'],
      ['pauseChanges.at'],
      ['administered.at'],
      ['clockMovedAt'],
    ],
    accountRequests: [['following']],
  }),
  ...reads('A sweep pages through the documents of all accounts, from a watermark or by an index of unfinished work.', {
    messages: [['_id'], ['discardedAt']],
    mailboxes: [['_id', 'deletedAt'], ['deletedAt'], ['warned.at']],
    accounts: [['_id']],
    events: [['createdAt']],
    folders: [['open.at']],
    usage: [['open.at']],
    blobs: [['_id'], ['inDoubt']],
    driveEntries: [['incoming.at']],
    driveChunks: [['files_id', 'n']],
    zones: [['changedAt'], []],
    domains: [['parent']],
  }),
  ...reads('A blob records only the ids of its users; the sweep of blobs checks whether they exist.', {
    messages: [['_id']],
    emails: [['_id']],
    approvals: [['_id', 'dueAt']],
    intakeRecords: [['_id']],
  }),
  ...reads(
    'The sweep of open allowances checks whether the send or batch was committed; the allowance records only its id.',
    {
      emails: [['_id']],
      batches: [['_id']],
    },
  ),
  ...reads(
    'A part of a Drive file records only the id of its entry; the sweep of parts checks whether the entry exists.',
    {
      driveEntries: [['_id']],
    },
  ),
  ...reads('A bounce, a report or a link that comes back from outside contains only an id.', {
    emails: [['_id']],
    exports: [['_id']],
    intakeRecords: [['_id', 'linkKey']],
  }),
  ...reads(
    'A request names a message, thread or record only by its id; the account of the key limits what it can find.',
    {
      messages: [['_id', 'accountId']],
      threads: [['_id']],
      intakeRecords: [['_id', 'accountId']],
    },
  ),
  ...reads(
    'The mailboxes of an account are on many shards, and so are their documents; they are read by an index, in pages.',
    {
      mailboxes: [['accountId']],
      addresses: [['accountId']],
      domains: [['accountId']],
      intakes: [['accountId']],
      intakeRecords: [['accountId']],
      searchSegments: [['accountId']],
    },
  ),
  ...reads(
    'Keys are sharded by their hashes, which every request contains; people seldom list or change the keys of an account.',
    {
      keys: [['accountId']],
    },
  ),
  ...reads(
    'People are sharded by the addresses with which they sign in, and sessions by their hashes; other reads are rare.',
    {
      people: [['_id']],
      sessions: [['personId']],
      passkeys: [['personId']],
      accounts: [['members.personId'], ['claimHash'], ['name'], ['sandboxOf']],
      accountRequests: [['_id'], ['status']],
      mailedLinks: [['accountId']],
    },
  ),
  ...reads('A partner lists its customers; a clock announces the changes to them.', {
    accounts: [['partnerId'], ['isPartner'], ['customerChanges.at']],
  }),
  ...reads('A change of the master key seals all secrets again.', {
    authenticators: [[]],
    certificates: [[]],
    domainClaims: [[]],
    domains: [[]],
    idempotency: [[]],
    oauthArtifacts: [[]],
    state: [[]],
    webhooks: [[]],
    zoneKeys: [[]],
    keyHolders: [['expiresAt']],
  }),
  ...reads('An administrator lists or looks up documents.', {
    outbox: [['accountId', 'notBefore']],
    processHours: [['_id']],
    accounts: [[]],
    domainClaims: [['domain']],
    lanes: [[]],
  }),
  ...reads('A certificate authority requests the answer to a challenge.', { certificates: [['challenge.token']] }),
  ...reads(
    'An insert conflicts: another process took the number, or the document exists, perhaps under another account after a claim.',
    {
      events: [['_id']],
      audit: [['_id']],
    },
  ),
  ...reads('The daily figures of a mailbox are found by the prefix of their ids.', { usage: [['_id']] }),
  ...reads("The driver's bucket checks whether it is empty before it creates its indexes.", {
    driveFiles: [[]],
    driveChunks: [[]],
  }),
  ...reads(
    'An export, an erasure or a claim into another account finds documents by the account, its mailboxes and its people.',
    {
      metadata: [['mailboxId']],
      mailedLinks: [['email']],
      accountRequests: [['personId']],
      idempotency: [['accountId']],
      oauthArtifacts: [['accountId']],
      usage: [['_id']],
      zones: [['accountId']],
      zoneKeys: [['accountId']],
      zoneRecords: [['accountId']],
      exportChunks: [['_id']],
      searchBlocks: [['_id']],
      emails: [['noticeTo'], ['noticeOf']],
    },
  ),
  ...writes('A mailbox, an account or a person is removed, moved or erased.', {
    addresses: [['accountId']],
    mailboxes: [['accountId']],
    domains: [['accountId']],
    intakes: [['accountId']],
    zones: [['accountId']],
    zoneRecords: [['accountId']],
    metadata: [['mailboxId']],
    keys: [['accountId']],
    sessions: [['personId']],
    people: [['_id']],
    audit: [['userId', 'personal']],
    mailedLinks: [['accountId'], ['email']],
    oauthArtifacts: [['grantId'], ['accountId']],
    usage: [['_id']],
    searchBlocks: [['_id']],
  }),
  ...writes('A clock erases previous secrets that have expired.', { webhooks: [['previousUntil']] }),
]

function all(
  kind: Scattered['kind'],
  why: string,
  of: Readonly<Partial<Record<CollectionName, readonly By[]>>>,
): readonly Scattered[] {
  return Object.entries(of).flatMap(([collection, lists]) =>
    lists.map((by) => ({ kind, collection: collection as CollectionName, by, why })),
  )
}
