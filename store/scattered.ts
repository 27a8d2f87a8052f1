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
  ...reads('A clock of one node asks what is due, the longest due first, by an index that holds little else.', {
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
    accounts: [['claimExpiresAt'], ['erasing'], ['movingSince'], ['pauseChanges.at'], ['clockMovedAt']],
  }),
  ...reads(
    'A sweep walks over what all accounts have, a page at a time, from a watermark or by an index of what is left over.',
    {
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
    },
  ),
  ...reads('A blob names its users by their ids alone; the sweep of blobs asks whether they are there.', {
    messages: [['_id']],
    emails: [['_id']],
    approvals: [['_id', 'dueAt']],
    intakeRecords: [['_id']],
  }),
  ...reads(
    'The sweep of open takes asks whether the send or batch was committed, which the take names by its id alone.',
    {
      emails: [['_id']],
      batches: [['_id']],
    },
  ),
  ...reads(
    'A part of a file in Drive names its entry by its id alone; the sweep of parts asks whether that is there.',
    {
      driveEntries: [['_id']],
    },
  ),
  ...reads('What came back from outside names a send, an export or a link by its id alone.', {
    emails: [['_id']],
    exports: [['_id']],
    intakeRecords: [['_id', 'linkKey']],
  }),
  ...reads(
    'A request names a message, thread or record by its id alone; the key of the account bounds what is found.',
    {
      messages: [['_id', 'accountId']],
      threads: [['_id']],
      intakeRecords: [['_id', 'accountId']],
    },
  ),
  ...reads(
    'The mailboxes of an account lie on many shards, so what it has in all of them does too; by an index, a page at a time.',
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
    'The keys of an account lie where their hashes say, which every request names; people list and change them seldom.',
    {
      keys: [['accountId']],
    },
  ),
  ...reads(
    'People lie where their addresses say, with which they sign in, and sessions where their hashes say; the rest is seldom asked.',
    {
      people: [['_id']],
      sessions: [['personId']],
      passkeys: [['personId']],
      accounts: [['members.personId'], ['claimHash'], ['name'], ['sandboxOf']],
      accountRequests: [['_id'], ['status']],
      mailedLinks: [['accountId']],
    },
  ),
  ...reads('A partner looks at its customers; a clock tells of what changed of them.', {
    accounts: [['partnerId'], ['isPartner'], ['customerChanges.at']],
  }),
  ...reads('The master key is changed: all that is sealed is sealed anew.', {
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
  ...reads('An administrator asks.', {
    outbox: [['accountId', 'notBefore']],
    processHours: [['_id']],
    accounts: [[]],
    domainClaims: [['domain']],
    lanes: [[]],
  }),
  ...reads('A certificate authority asks for the answer to a challenge.', { certificates: [['challenge.token']] }),
  ...reads(
    'A number was taken by another process, or the document is there already: under which account, a claim may have changed.',
    {
      events: [['_id']],
      audit: [['_id']],
    },
  ),
  ...reads('The figures of a mailbox are listed by the beginning of their ids.', { usage: [['_id']] }),
  ...reads("The driver's bucket looks whether it is empty before it makes its indexes.", {
    driveFiles: [[]],
    driveChunks: [[]],
  }),
  ...reads(
    'An account is exported or erased, or is claimed into another: what it has is found by the account, its mailboxes and its people.',
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
  ...writes('A mailbox, an account or a person ends, is moved or is erased.', {
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
    mailedLinks: [['accountId'], ['email']],
    oauthArtifacts: [['grantId'], ['accountId']],
    usage: [['_id']],
    searchBlocks: [['_id']],
  }),
  ...writes('A clock takes away old secrets.', { webhooks: [['previousUntil']] }),
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
