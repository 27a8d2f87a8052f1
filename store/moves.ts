/**
 * Moves all that belongs to one account into another, for a claim into an account that a person has already. The first step is
 * the commit point: it ends the claim link, so that of several who use it one succeeds. Every other step may be repeated, by
 * several processes at once, until nothing is left to move. Documents are changed one collection after the other, each keeps its id.
 */
import type { Collection, Filter } from 'mongodb'
import { toBinary } from './bytes.ts'
import type { AccountDoc } from './documents/accounts.ts'
import type { EventDoc } from './documents/events.ts'
import type { EmailDoc, OutboxDoc, TemplateDoc } from './documents/sending.ts'
import { lastEventNumber } from './events.ts'
import { isDuplicate, type Store } from './open.ts'
import { bringLanesForward } from './outbox.ts'
import { readMany, readOne } from './reads.ts'
import { suppressionId } from './suppressions.ts'
import { deleteTemplate, findTemplate, insertTemplate } from './templates.ts'

/** Ids of accounts. */
export type Move = { readonly from: string; readonly to: string }

const pageSize = 500
/** The rows of a send rest for so long, so that none is claimed before the send has moved too. */
const restMs = 2_000

/** Begins to move an unclaimed account, if the link is still valid and nothing holds the account. Returns false otherwise. */
export async function beginMove(
  store: Store,
  { from, to, claimHash, at, by }: Move & { claimHash: Buffer; at: Date; by: NonNullable<AccountDoc['movedBy']> },
): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    {
      _id: from,
      status: 'unclaimed',
      claimHash: toBinary(claimHash),
      suspended: null,
      paused: null,
      sendingPaused: null,
    },
    {
      $set: { status: 'moved', movedTo: to, movingSince: at, movedBy: by },
      $unset: { claimHash: '', claimExpiresAt: '' },
    },
  )
  return modifiedCount === 1
}

/** Accounts whose move has begun and is not known to be complete. */
export function findMoving(store: Store, limit: number): Promise<AccountDoc[]> {
  return readMany(store, 'accounts', { movingSince: { $gt: new Date(0) } }, { sort: { movingSince: 1 }, limit })
}

/** Ends a move: nothing is looked for any more. */
export async function finishMove(store: Store, from: string): Promise<void> {
  await store.accounts.updateOne({ _id: from }, { $unset: { movingSince: '', movedBy: '', movedMailboxes: '' } })
}

/** Moves domains, addresses, and mailboxes with all that lies in them. Returns the addresses that moved. */
export async function moveMailboxes(store: Store, { from, to }: Move): Promise<readonly string[]> {
  const own = await readMany(store, 'mailboxes', { accountId: from }, { projection: { address: 1 } })
  // Noted before they change hands: a message may still come under the old account.
  const noted = await store.accounts.findOneAndUpdate(
    { _id: from },
    { $addToSet: { movedMailboxes: { $each: own.map(({ _id }) => _id) } } },
    { returnDocument: 'after' },
  )
  const addresses = await readMany(store, 'addresses', { accountId: from }, { projection: { _id: 1 } })
  await store.domains.updateMany({ accountId: from }, { $set: { accountId: to } })
  await moveClaims(store, { from, to })
  await store.zoneRecords.updateMany({ accountId: from }, { $set: { accountId: to } })
  await store.zones.updateMany({ accountId: from }, { $set: { accountId: to } })
  await store.mailboxes.updateMany({ accountId: from }, { $set: { accountId: to } })
  await store.addresses.updateMany({ accountId: from }, { $set: { accountId: to } })
  const inside = { mailboxId: { $in: [...(noted?.movedMailboxes ?? [])] }, accountId: from }
  await moveAll(store.folders, inside, to)
  await moveAll(store.messages, inside, to)
  await moveAll(store.contacts, inside, to)
  await moveAll(store.searchSegments, inside, to)
  await moveAll(store.intakeRecords, inside, to)
  await store.intakes.updateMany({ accountId: from }, { $set: { accountId: to } })
  await moveEach(store.driveEntries, { accountId: from }, to)
  return addresses.map(({ _id }) => _id)
}

/** Moves claims of domains. One that the other account claims too is its own there already. */
async function moveClaims(store: Store, { from, to }: Move): Promise<void> {
  for (const { _id, domain } of await readMany(store, 'domainClaims', { accountId: from }))
    await store.domainClaims
      .updateOne({ _id, accountId: from }, { $set: { accountId: to } })
      .catch(async (error: unknown) => {
        if (!isDuplicate(error)) throw error
        await store.domainClaims.deleteOne({ accountId: from, domain })
      })
}

/** Moves webhook endpoints and what waits to be delivered to them. */
export async function moveWebhooks(store: Store, { from, to }: Move, now: Date): Promise<void> {
  const own = await readMany(store, 'webhooks', { accountId: from }, { projection: { _id: 1 } })
  await moveEach(store.webhooks, { accountId: from }, to)
  // Of an endpoint that moved before, too: deliveries may have been planned meanwhile.
  const joined = await readMany(store, 'webhooks', { accountId: to }, { projection: { _id: 1 } })
  const webhookId = { $in: [...own, ...joined].map(({ _id }) => _id) }
  await moveEach(store.deliveries, { webhookId, accountId: from }, to)
  // Those that come late did not make their endpoint due, because it was another account's already.
  await store.webhooks.updateMany({ accountId: to, _id: webhookId }, { $min: { dueAt: now }, $inc: { dueRev: 1 } })
}

/** Moves suppressions. An address that the other account suppresses too keeps the reason it has there. */
export async function moveSuppressions(store: Store, { from, to }: Move): Promise<void> {
  const own = await readMany(store, 'suppressions', { accountId: from })
  for (const { _id, ...suppression } of own) {
    const moved = { ...suppression, _id: suppressionId(to, suppression.email), accountId: to }
    await store.suppressions.insertOne(moved).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error
    })
    await store.suppressions.deleteOne({ _id, accountId: from })
  }
}

/**
 * Moves templates. One whose alias the other account uses for another template gets the next free one: `alias-2`. A copy that
 * a move left which ended in between is that template.
 */
export async function moveTemplates(store: Store, { from, to }: Move): Promise<void> {
  for (const template of await readMany(store, 'templates', { accountId: from })) {
    for (let n = 1; ; n++) {
      const alias = n === 1 ? template.alias : `${template.alias.slice(0, aliasCut)}-${n}`
      const { _id: _, ...moved } = { ...template, accountId: to, alias }
      if (await insertTemplate(store, moved)) break
      const there = await findTemplate(store, { accountId: to, alias })
      if (there !== null && isSame(there, template)) break
    }
    await deleteTemplate(store, template)
  }
}

/** So that the number that is added makes no alias too long. */
const aliasCut = 90

const isSame = (a: TemplateDoc, b: TemplateDoc) =>
  a.createdAt.getTime() === b.createdAt.getTime() && a.subject === b.subject && a.html === b.html && a.text === b.text

/**
 * Moves sends with their rows in the outbox, batches, and sends that wait for an approval. A send that is on its way stays until its outcome is known, because
 * the outcome names the account. Returns how many stay.
 */
export async function moveSends(store: Store, { from, to }: Move, now: Date): Promise<number> {
  await moveEach(store.batches, { accountId: from }, to)
  await moveEach(store.approvals, { accountId: from }, to)
  let staying = 0
  for (let after = ''; ; ) {
    const sends = await readMany(
      store,
      'emails',
      { accountId: from, _id: { $gt: after } },
      { sort: { accountId: 1, _id: 1 }, limit: pageSize },
    )
    staying += await movePage(store, sends, { from, to, now })
    if (sends.length < pageSize) break
    after = sends.at(-1)!._id
  }
  // Rows that were written while their send moved.
  const late = { accountId: from, notBefore: { $exists: true }, lease: null }
  await moveRows(store, await readMany(store, 'outbox', late, { limit: pageSize }), { to, now })
  return staying
}

/** Returns how many of the sends stay. */
async function movePage(
  store: Store,
  sends: readonly EmailDoc[],
  { from, to, now }: Move & { readonly now: Date },
): Promise<number> {
  const ids = sends.flatMap(({ _id, recipients }) => recipients.map((_, n) => `${_id}#${n}`))
  const rows = Map.groupBy(await readMany(store, 'outbox', { _id: { $in: ids } }), ({ emailId }) => emailId)
  const still = sends.filter(
    ({ _id, planned, scheduledFor }) =>
      (planned || scheduledFor !== undefined) && (rows.get(_id) ?? []).every(({ lease }) => lease === null),
  )
  for (const { _id } of still) {
    await moveRows(store, rows.get(_id) ?? [], { to, now })
    await store.emails.updateOne({ _id, accountId: from }, { $set: { accountId: to }, $inc: { rev: 1 } })
  }
  return sends.length - still.length
}

async function moveRows(
  store: Store,
  rows: readonly OutboxDoc[],
  { to, now }: { to: string; now: Date },
): Promise<void> {
  const rested = new Date(now.getTime() + restMs)
  for (const { _id, accountId, notBefore } of rows) {
    const due = notBefore === undefined || notBefore > rested ? {} : { notBefore: rested }
    await store.outbox.updateOne({ _id, accountId, lease: null }, { $set: { accountId: to, ...due } })
  }
  if (rows.length > 0) await bringLanesForward(store, [{ accountId: to, dueAt: rested }])
}

/**
 * Moves events behind the newest of the other account, in order and without gaps, each under its id. No event takes a number
 * before the one before it has, so that a reader of the other account misses none.
 */
export async function moveEvents(store: Store, events: readonly EventDoc[], { from, to }: Move): Promise<void> {
  let last = await lastEventNumber(store, to)
  for (const { _id } of events) {
    for (;;) {
      try {
        const change = { $set: { accountId: to, seq: last + 1, movedFrom: from } }
        const { modifiedCount } = await store.events.updateOne({ _id, accountId: from }, change)
        last += modifiedCount
        break
      } catch (error) {
        if (!isDuplicate(error)) throw error
        if (isDuplicate(error, '_id')) {
          // It was recorded anew on another shard while this one had not moved.
          await store.events.deleteOne({ _id, accountId: from })
          break
        }
        last = await lastEventNumber(store, to)
      }
    }
  }
}

/** Notes in the other account that this one joined it, and counts there what moved, once. */
export async function countMoved(store: Store, { from, to }: Move): Promise<void> {
  const counts = { inboxes: 1, webhooks: 1, keys: 1, templates: 1, aliases: 1, ownDomains: 1 } as const
  const source = await readOne(store, 'accounts', { _id: from }, { projection: counts })
  if (source === null) return
  const { inboxes, webhooks, keys = 0, templates = 0, aliases = 0, ownDomains = 0 } = source
  await store.accounts.updateOne(
    { _id: to, joined: { $ne: from } },
    { $push: { joined: from }, $inc: { inboxes, webhooks, keys, templates, aliases, ownDomains } },
  )
}

/** Moves the keys. Returns their ids. */
export async function moveKeys(store: Store, { from, to }: Move): Promise<readonly string[]> {
  const keys = await readMany(store, 'keys', { accountId: from }, { projection: { _id: 1 } })
  await moveAll(store.keys, { accountId: from }, to, { movedFrom: from })
  return keys.map(({ _id }) => _id)
}

/** The number of the first event that came from another account; null when none did. */
export async function firstMovedNumber(store: Store, { from, to }: Move): Promise<number | null> {
  const first = await readOne(
    store,
    'events',
    { accountId: to, movedFrom: from },
    { projection: { seq: 1 }, sort: { accountId: 1, movedFrom: 1, seq: 1 } },
  )
  return first?.seq ?? null
}

type Owned = { readonly _id: string; readonly accountId: string }

/** Gives all documents of a filter to another account, page by page, so that none of the commands is long. */
async function moveAll<D extends Owned>(
  collection: Collection<D>,
  filter: Filter<Owned>,
  to: string,
  more: Partial<Owned & { readonly movedFrom: string }> = {},
): Promise<void> {
  const owned = collection as unknown as Collection<Owned>
  for (;;) {
    const page = await owned
      .find(filter, { projection: { _id: 1 } })
      .limit(pageSize)
      .toArray()
    const ids = page.map(({ _id }) => _id)
    if (ids.length > 0)
      await owned.updateMany({ ...filter, _id: { $in: ids } } as Filter<Owned>, { $set: { ...more, accountId: to } })
    if (page.length < pageSize) return
  }
}

/** The same where the account is the shard key: a cluster moves such a document alone. */
async function moveEach<D extends Owned>(collection: Collection<D>, filter: Filter<Owned>, to: string): Promise<void> {
  const owned = collection as unknown as Collection<Owned>
  for (;;) {
    const page = await owned
      .find(filter, { projection: { accountId: 1 } })
      .limit(pageSize)
      .toArray()
    for (const { _id, accountId } of page) await owned.updateOne({ _id, accountId }, { $set: { accountId: to } })
    if (page.length < pageSize) return
  }
}
