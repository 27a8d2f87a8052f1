/**
 * Moves everything that belongs to one account into another, when an account is claimed into one that a person already has. The first
 * step is the commit point: it ends the claim link, so that only one of several people who use it succeeds. Every other step may be
 * repeated, by several processes at once, until nothing is left to move. The collections are changed one after the other. Each document
 * keeps its id, unless the id names the account.
 */
import type { Collection, Filter } from 'mongodb'
import { freeSlot } from './accounts.ts'
import { toBinary } from './bytes.ts'
import { domainReportId, insertReport } from './deliverability.ts'
import type { AccountDoc } from './documents/accounts.ts'
import type { ZoneKeyDoc } from './documents/domains.ts'
import type { EventDoc } from './documents/events.ts'
import type { EmailDoc, OutboxDoc, TemplateDoc } from './documents/sending.ts'
import { domainsAmong, listClaims, listDomains, removeClaim } from './domains.ts'
import { lastEventNumber } from './events.ts'
import { isDuplicate, type Store } from './open.ts'
import { bringLanesForward } from './outbox.ts'
import { readMany, readOne } from './reads.ts'
import { addSuppression } from './suppressions.ts'
import { deleteTemplate, findTemplate, insertTemplate } from './templates.ts'
import { replaceIn, updateAllIn, updateIn } from './writes.ts'
import { keepZoneKey } from './zone-keys.ts'
import { removeZone } from './zones.ts'

/** Ids of accounts. */
export type AccountMove = { readonly from: string; readonly to: string }

const pageSize = 500
/** How long the outbox rows of a send are held back, so that none is claimed before the send has moved too. */
const restMs = 2_000

/** Begins to move an unclaimed account, if the claim link is still valid and the account is not on hold. Returns false otherwise. */
export async function beginMove(
  store: Store,
  {
    from,
    to,
    claimHash,
    at,
    by,
  }: AccountMove & { claimHash: Buffer; at: Date; by: NonNullable<AccountDoc['movedBy']> },
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

/** Accounts whose move has begun and is not known to be complete, the earliest begun first. */
export function findMoving(store: Store, limit: number): Promise<AccountDoc[]> {
  return readMany(store, 'accounts', { movingSince: { $gt: new Date(0) } }, { sort: { movingSince: 1 }, limit })
}

/** Marks a move as complete, so that nothing more is looked for. By now no process knows a zone as one of the old account. */
export async function finishMove(store: Store, from: string): Promise<void> {
  for (const { _id } of await readMany(store, 'zoneKeys', { accountId: from })) await store.zoneKeys.deleteOne({ _id })
  await store.accounts.updateOne({ _id: from }, { $unset: { movingSince: '', movedBy: '', movedMailboxes: '' } })
}

/**
 * Moves domains, and claims to domains, each with its zone. Of a domain that both accounts have, the one in use stays, with its zone and
 * its key; a claim to it is dropped. The keys of zones are copied as `keyFor` returns them, and remain in the old account until the move
 * ends, because a process that knows a zone as one of the old account would otherwise create another key. Returns the names that moved.
 */
export async function moveDomains(
  store: Store,
  { from, to }: AccountMove,
  keyFor: (key: ZoneKeyDoc, accountId: string) => ZoneKeyDoc,
): Promise<readonly string[]> {
  const old = await readMany(store, 'zoneKeys', { accountId: from })
  const keys = new Map(old.map((key) => [key.domain, keyFor(key, to)]))
  const moved: string[] = []
  for (const { _id: domain } of await listDomains(store, from)) {
    await dropClaim(store, { accountId: to, domain })
    await store.writeTogether([
      ...zoneMoves(store, { from, to }, { domain, key: keys.get(domain) }),
      updateIn(store.domains, { _id: domain, accountId: from }, { $set: { accountId: to } }),
    ])
    moved.push(domain)
  }
  for (const { _id, domain } of await listClaims(store, from)) {
    moved.push(domain)
    const [known] = await domainsAmong(store, { accountId: to, names: [domain] })
    if (known === undefined) {
      await store.writeTogether(zoneMoves(store, { from, to }, { domain, key: keys.get(domain) }))
      // Alone, because a cluster changes the shard key of one document at a time.
      if (await isMoved(store.domainClaims.updateOne({ _id, accountId: from }, { $set: { accountId: to } }))) continue
    }
    await dropClaim(store, { accountId: from, domain })
  }
  // What a process that did not know of the move has published since. The next check of the domain publishes it again, if it is missing.
  await store.zoneRecords.deleteMany({ accountId: from, purpose: { $ne: null } })
  await store.zoneRecords.updateMany({ accountId: from }, { $set: { accountId: to } })
  await store.zones.updateMany({ accountId: from }, { $set: { accountId: to } })
  for (const key of keys.values()) await keepZoneKey(store, key)
  return moved
}

/** The writes that move a zone; its key replaces one of a zone that the other account once had. */
const zoneMoves = (
  store: Store,
  { from, to }: AccountMove,
  { domain, key }: { readonly domain: string; readonly key: ZoneKeyDoc | undefined },
) => [
  ...(key === undefined ? [] : [replaceIn(store.zoneKeys, { _id: key._id }, key)]),
  updateAllIn(store.zoneRecords, { domain, accountId: from }, { $set: { accountId: to } }),
  updateIn(store.zones, { _id: domain, accountId: from }, { $set: { accountId: to } }),
]

/** Drops an account's claim to a domain with the records of its zone, if there is one. */
async function dropClaim(store: Store, claim: { readonly accountId: string; readonly domain: string }): Promise<void> {
  if ((await readOne(store, 'domainClaims', claim)) === null) return
  await removeZone(store, { ...claim, isLast: false })
  if (await removeClaim(store, claim)) await freeSlot(store, claim.accountId, 'ownDomains')
}

/** Waits for an update that moves a document. Returns false if the other account has a document that excludes it. */
const isMoved = (update: Promise<unknown>): Promise<boolean> =>
  update.then(
    () => true,
    (error: unknown) => {
      if (isDuplicate(error)) return false
      throw error
    },
  )

/** Moves addresses, and mailboxes with everything in them. Returns the addresses that moved. */
export async function moveMailboxes(store: Store, { from, to }: AccountMove): Promise<readonly string[]> {
  const own = await readMany(store, 'mailboxes', { accountId: from }, { projection: { address: 1 } })
  // Recorded before the mailboxes move, because a message may still arrive under the old account.
  const noted = await store.accounts.findOneAndUpdate(
    { _id: from },
    { $addToSet: { movedMailboxes: { $each: own.map(({ _id }) => _id) } } },
    { returnDocument: 'after' },
  )
  const addresses = await readMany(store, 'addresses', { accountId: from }, { projection: { _id: 1 } })
  await store.mailboxes.updateMany({ accountId: from }, { $set: { accountId: to } })
  await store.addresses.updateMany({ accountId: from }, { $set: { accountId: to } })
  const inside = { mailboxId: { $in: [...(noted?.movedMailboxes ?? [])] }, accountId: from }
  await moveAll(store.folders, inside, to)
  await moveAll(store.messages, inside, to)
  await moveAll(store.contacts, inside, to)
  await moveAll(store.searchSegments, inside, to)
  await moveAll(store.intakeRecords, inside, to)
  await store.intakes.updateMany({ accountId: from }, { $set: { accountId: to } })
  await moveDrive(store, { from, to })
  return addresses.map(({ _id }) => _id)
}

/**
 * Moves the entries of Drive. At the top level the other account may have an entry of the same name: the moved one gets the next free
 * name there, such as `report-2.pdf`.
 */
async function moveDrive(store: Store, { from, to }: AccountMove): Promise<void> {
  for (;;) {
    const page = await readMany(
      store,
      'driveEntries',
      { accountId: from },
      { projection: { name: 1 }, limit: pageSize },
    )
    for (const { _id, name } of page) {
      const moveAs = (own: string) =>
        store.driveEntries.updateOne({ _id, accountId: from }, { $set: { accountId: to, name: own } })
      for (let n = 1; !(await isMoved(moveAs(n === 1 ? name : numbered(name, n)))); n++);
    }
    if (page.length < pageSize) return
  }
}

/** The name with a number before its extension. */
function numbered(name: string, n: number): string {
  const dot = name.lastIndexOf('.')
  const stem = dot > 0 ? name.slice(0, dot) : name
  return `${stem.slice(0, stemCut)}-${n}${name.slice(stem.length)}`
}

/** Names are cut to this length before a number is added, so that they do not become too long. */
const stemCut = 200

/** Moves webhook endpoints and their deliveries. */
export async function moveWebhooks(store: Store, { from, to }: AccountMove, now: Date): Promise<void> {
  const own = await readMany(store, 'webhooks', { accountId: from }, { projection: { _id: 1 } })
  await moveEach(store.webhooks, { accountId: from }, to)
  // Includes endpoints that moved earlier, because deliveries to them may have been planned meanwhile.
  const joined = await readMany(store, 'webhooks', { accountId: to }, { projection: { _id: 1 } })
  const webhookId = { $in: [...own, ...joined].map(({ _id }) => _id) }
  await moveEach(store.deliveries, { webhookId, accountId: from }, to)
  // A delivery planned late did not make its endpoint due, because the endpoint already belonged to the other account.
  await store.webhooks.updateMany({ accountId: to, _id: webhookId }, { $min: { dueAt: now }, $inc: { dueRev: 1 } })
}

/** Moves suppressions. An address that the other account also suppresses stays suppressed for all whom either entry is about. */
export async function moveSuppressions(store: Store, { from, to }: AccountMove): Promise<void> {
  for (const { _id, ...suppression } of await readMany(store, 'suppressions', { accountId: from })) {
    await addSuppression(store, { ...suppression, accountId: to })
    await store.suppressions.deleteOne({ _id, accountId: from })
  }
}

/** Moves the reports about domains. */
export async function moveReports(store: Store, { from, to }: AccountMove): Promise<void> {
  for (;;) {
    const page = await readMany(store, 'domainReports', { accountId: from }, { limit: pageSize })
    for (const { _id, ...report } of page) {
      const moved = { ...report, accountId: to }
      await insertReport(store, { ...moved, _id: domainReportId(moved) })
      await store.domainReports.deleteOne({ _id, accountId: from })
    }
    if (page.length < pageSize) return
  }
}

/**
 * Moves templates. If the other account uses the alias for a different template, the moved one gets the next free alias, such as
 * `alias-2`. An equal template there is the copy that an interrupted move left, and is not copied again.
 */
export async function moveTemplates(store: Store, { from, to }: AccountMove): Promise<void> {
  for (const template of await readMany(store, 'templates', { accountId: from })) {
    for (let n = 1; ; n++) {
      const alias = n === 1 ? template.alias : `${template.alias.slice(0, aliasCut)}-${n}`
      const { _id: _, ...moved } = { ...template, accountId: to, alias }
      if (await insertTemplate(store, moved)) break
      const existing = await findTemplate(store, { accountId: to, alias })
      if (existing !== null && isSame(existing, template)) break
    }
    await deleteTemplate(store, template)
  }
}

/** Aliases are cut to this length before a number is added, so that they do not become too long. */
const aliasCut = 90

const isSame = (a: TemplateDoc, b: TemplateDoc) =>
  a.createdAt.getTime() === b.createdAt.getTime() && a.subject === b.subject && a.html === b.html && a.text === b.text

/**
 * Moves sends with their outbox rows, batches, and sends that wait for approval. A send that is being delivered stays until its outcome
 * is known, because the outcome names the account; so does one that is neither planned nor scheduled. Returns how many stay.
 */
export async function moveSends(store: Store, { from, to }: AccountMove, now: Date): Promise<number> {
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
  // Rows that were written while their send was moving.
  const late = { accountId: from, notBefore: { $exists: true }, lease: null }
  await moveRows(store, await readMany(store, 'outbox', late, { limit: pageSize }), { to, now })
  return staying
}

/** Moves a page of sends. Returns how many of them stay. */
async function movePage(
  store: Store,
  sends: readonly EmailDoc[],
  { from, to, now }: AccountMove & { readonly now: Date },
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
 * Appends events to those of the other account, in order and without gaps; each keeps its id. An event gets its number only after the
 * previous one has, so that a reader of the other account misses none.
 */
export async function moveEvents(store: Store, events: readonly EventDoc[], { from, to }: AccountMove): Promise<void> {
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
          // The event was recorded again on another shard before this one moved.
          await store.events.deleteOne({ _id, accountId: from })
          break
        }
        last = await lastEventNumber(store, to)
      }
    }
  }
}

/** Records in the other account that this one joined it, and adds what moved to the counters there, once. */
export async function countMoved(store: Store, { from, to }: AccountMove): Promise<void> {
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
export async function moveKeys(store: Store, { from, to }: AccountMove): Promise<readonly string[]> {
  const keys = await readMany(store, 'keys', { accountId: from }, { projection: { _id: 1 } })
  await moveAll(store.keys, { accountId: from }, to, { movedFrom: from })
  return keys.map(({ _id }) => _id)
}

/** The number of the first event that was moved from the account; null when none was. */
export async function firstMovedNumber(store: Store, { from, to }: AccountMove): Promise<number | null> {
  const first = await readOne(
    store,
    'events',
    { accountId: to, movedFrom: from },
    { projection: { seq: 1 }, sort: { accountId: 1, movedFrom: 1, seq: 1 } },
  )
  return first?.seq ?? null
}

type Owned = { readonly _id: string; readonly accountId: string }

/** Assigns all documents that match a filter to another account, page by page, so that no command takes long. */
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

/** As `moveAll`, for collections whose shard key is the account: a cluster changes the shard key of one document at a time. */
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
