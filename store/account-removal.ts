/**
 * What goes with an account, collection by collection, in this order: folders before messages, because no mail arrives where
 * there is no folder. What names documents of others, mailboxes and keys, goes last. Every collection must have an entry. Safe
 * to repeat.
 */
import type { Collection, Document, Filter } from 'mongodb'
import { dropBlobUsers } from './blobs.ts'
import type { CollectionName } from './collections.ts'
import { purgeMessages } from './messages.ts'
import type { Store } from './open.ts'
import { removeIndex } from './search.ts'

/** An account and what names its documents. */
export type Removal = {
  readonly accountId: string
  readonly addresses: readonly string[]
  readonly mailboxIds: readonly string[]
  readonly keyIds: readonly string[]
}

/** Documents in one command, so that others have their turn. */
const pageSize = 500

/** Lists what names the documents of an account. */
export async function findRemoval(store: Store, accountId: string): Promise<Removal> {
  const idOnly = { projection: { _id: 1 } } as const
  const [addresses, mailboxes, keys] = await Promise.all([
    store.addresses.find({ accountId }, idOnly).toArray(),
    store.mailboxes.find({ accountId }, idOnly).toArray(),
    store.keys.find({ accountId }, idOnly).toArray(),
  ])
  const idsOf = (found: readonly { readonly _id: string }[]) => found.map(({ _id }) => _id)
  return { accountId, addresses: idsOf(addresses), mailboxIds: idsOf(mailboxes), keyIds: idsOf(keys) }
}

/**
 * Deletes what an account has, but for its mailboxes and keys, which name it: `removeNames` ends them when nothing more can
 * come. Its domains below the shared domain stay as removed ones: their names are never free again.
 */
export async function removeOwned(store: Store, removal: Removal): Promise<void> {
  for (const remove of Object.values(removals)) if (typeof remove !== 'string') await remove(store, removal)
}

/** Deletes the mailboxes and keys of an account. */
export async function removeNames(store: Store, { accountId }: Removal): Promise<void> {
  await removePages(store.mailboxes, { accountId })
  await removePages(store.keys, { accountId })
}

type Remove = (store: Store, removal: Removal) => Promise<unknown>

/** How it goes, or why nothing has to. */
const removals: { readonly [name in CollectionName]: Remove | string } = {
  addresses: ({ addresses }, { accountId }) => removePages(addresses, { accountId }),
  folders: ({ folders }, { mailboxIds }) => each(mailboxIds, (mailboxId) => removePages(folders, { mailboxId })),
  messages: (store, { mailboxIds }) =>
    each(mailboxIds, async (mailboxId) => {
      while ((await purgeMessages(store, mailboxId, pageSize)) === pageSize);
    }),
  threads: ({ threads }, { mailboxIds }) => each(mailboxIds, (mailboxId) => removePages(threads, { mailboxId })),
  contacts: ({ contacts }, { mailboxIds }) => each(mailboxIds, (mailboxId) => removePages(contacts, { mailboxId })),
  searchSegments: (store, { mailboxIds }) => each(mailboxIds, (mailboxId) => removeIndex(store, mailboxId)),
  searchBlocks: 'they go with their segments',
  searchMerges: 'they go with the segments of their mailbox',
  searchTexts: 'they go with their blobs',
  batches: ({ batches }, { accountId }) => removePages(batches, { accountId }),
  emails: removeEmails,
  outbox: 'its rows go with their emails',
  lanes: ({ lanes }, { accountId }) => lanes.deleteOne({ _id: accountId }),
  blobs: 'they go with the last message or send that uses them',
  templates: ({ templates }, { accountId }) => removePages(templates, { accountId }),
  suppressions: ({ suppressions }, { accountId }) => removePages(suppressions, { accountId }),
  deliveries: ({ deliveries }, { accountId }) => removePages(deliveries, { accountId }),
  webhooks: ({ webhooks }, { accountId }) => removePages(webhooks, { accountId }),
  events: ({ events }, { accountId }) => removePages(events, { accountId }),
  idempotency: ({ idempotency }, { accountId }) => removePages(idempotency, { accountId }),
  audit: ({ audit }, { accountId }) => removePages(audit, { accountId }),
  usage: ({ usage }, { accountId, keyIds }) =>
    // Ids are `<owner>:<period>`, and `;` follows `:`.
    each([accountId, ...keyIds], (owner) => removePages(usage, { _id: { $gte: `${owner}:`, $lt: `${owner};` } })),
  requestRates: 'they end within minutes',
  failedLogins: 'they end within minutes',
  stsPolicies: 'they are of other domains',
  changes: 'they hold ids alone and are overwritten',
  state: 'it is of the service',
  domains: async ({ domains }, { accountId }) => {
    await removePages(domains, { accountId, parent: null })
    await domains.updateMany({ accountId }, { $set: { status: 'removed', defaultDisplayName: null } })
  },
  mailboxes: 'they go last',
  keys: 'they go last',
  accounts: 'its document stays, so that its id and name are known as removed',
}

/** The blobs go first: after a crash in between, the sends are found again. */
async function removeEmails(store: Store, { accountId }: Removal): Promise<void> {
  const { emails, outbox } = store
  for (;;) {
    const found = await emails
      .find({ accountId }, { projection: { blob: 1, messageId: 1, 'recipients.email': 1 } })
      .limit(pageSize)
      .toArray()
    if (found.length === 0) return
    await dropBlobUsers(
      store,
      found.map(({ _id, blob, messageId }) => ({
        blobId: blob.id,
        users: messageId === null ? [_id] : [_id, messageId],
      })),
    )
    const rows = found.flatMap(({ _id, recipients }) => recipients.map((_, n) => `${_id}#${n}`))
    for (let from = 0; from < rows.length; from += pageSize)
      await outbox.deleteMany({ accountId, _id: { $in: rows.slice(from, from + pageSize) } })
    await emails.deleteMany({ accountId, _id: { $in: found.map(({ _id }) => _id) } })
  }
}

/** Deletes the documents of a filter, which an index must serve. */
async function removePages<D extends Document & { readonly _id: string }>(
  collection: Collection<D>,
  filter: Filter<D>,
): Promise<void> {
  for (;;) {
    const found = await collection
      .find(filter, { projection: { _id: 1 } })
      .limit(pageSize)
      .toArray()
    const ids = found.map(({ _id }) => _id)
    if (ids.length > 0) await collection.deleteMany({ ...filter, _id: { $in: ids } } as Filter<D>)
    if (ids.length < pageSize) return
  }
}

async function each(ids: readonly string[], work: (id: string) => Promise<unknown>): Promise<void> {
  for (const id of ids) await work(id)
}
