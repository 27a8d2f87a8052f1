/**
 * What partners receive of their customers (interface.md, Events, rule 4): copies of the customers' events, each with the next
 * number of the partner, so that the partner's endpoints and event list have one sequence. A copy is appended in one list of writes
 * with its event, under an id derived from the event's, so that recording an event again adds a copy that is missing.
 */
import { eventKinds, type PartnerView, partnerMessageFields } from '../../schemas/events.ts'
import { deriveId } from '../../schemas/ids.ts'
import { customerIdOf } from '../../schemas/partners.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import type { AccountDoc, KeyDoc } from '../../store/documents/accounts.ts'
import { findEvents, type NewEvent } from '../../store/events.ts'
import { findReadingKeys } from '../../store/partners.ts'
import { accountById } from '../access/known-callers.ts'
import { inTimeOf } from '../process/account-time.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'

/** The copies of events for the partners of their accounts; none for accounts that are not customers. */
export async function partnerCopies(ctx: Context, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  const shown = events.filter(({ type }) => partnerViewOf(type) !== null)
  const byAccount = [...Map.groupBy(shown, ({ accountId }) => accountId)]
  const copies = await Promise.all(
    byAccount.map(async ([accountId, own]) => {
      const customer = await accountById(ctx, accountId)
      return customer?.partnerId === undefined ? [] : copiesOf(ctx, customer, customer.partnerId, own)
    }),
  )
  return copies.flat()
}

/** The partner copies of events that are recorded already. */
export async function copiesOfRecorded(
  ctx: Context,
  accountId: string,
  eventIds: readonly string[],
): Promise<readonly NewEvent[]> {
  const customer = await accountById(ctx, accountId)
  if (customer?.partnerId === undefined) return []
  return partnerCopies(ctx, await findEvents(ctx.store, { accountId, ids: eventIds }))
}

/** The data of an event as its partner receives it; null when partners do not receive events of the type. */
export function shownToPartner(type: string, data: NewEvent['data']): NewEvent['data'] | null {
  const view = partnerViewOf(type)
  if (view !== 'whereabouts') return view === null ? null : data
  return Object.fromEntries(partnerMessageFields.map((field) => [field, data[field]]))
}

function partnerViewOf(type: string): PartnerView {
  return Object.hasOwn(eventKinds, type) ? eventKinds[type as keyof typeof eventKinds].toPartners : null
}

async function copiesOf(
  ctx: Context,
  customer: AccountDoc,
  partnerId: string,
  events: readonly NewEvent[],
): Promise<readonly NewEvent[]> {
  const isOfMessage = ({ type }: NewEvent) => partnerViewOf(type) === 'whereabouts'
  const keys = events.some(isOfMessage) && allowanceOf(customer).messageEvents ? await readingKeys(ctx, customer) : []
  return events.flatMap((event) => {
    const data = shownToPartner(event.type, event.data)
    if (data === null || (isOfMessage(event) && !keys.some((key) => reaches(key, event)))) return []
    return copyOf(ctx, { ...event, data }, customer, partnerId)
  })
}

function copyOf(ctx: Context, event: NewEvent, customer: AccountDoc, partnerId: string): NewEvent {
  const { _id, type, createdAt, mailbox, mailboxId, domain, data, traceparent } = event
  return {
    _id: deriveId('evt', _id, 'partner'),
    accountId: partnerId,
    type,
    // The clock of a sandbox means nothing to the partner.
    createdAt: customer.sandbox ? ctx.machineClock.now() : createdAt,
    mailbox,
    mailboxId,
    domain,
    customerId: customerIdOf(customer._id),
    ...(customer.sandbox && { sandbox: true }),
    ...(traceparent !== undefined && { traceparent }),
    data,
  }
}

const knownKeys = perProcess(({ changes, clock }) => {
  const known = createKnown<readonly KeyDoc[]>(clock)
  changes.listen((note) => {
    if (note.kind === 'callers')
      known.forget(
        (accountId, keys) => note.accountIds.includes(accountId) || keys.some(({ _id }) => note.keyIds.includes(_id)),
      )
  })
  return known
})

/** Forgets in this process which keys the partner of a customer holds; a change note tells the other processes. */
export function forgetPartnerKeys(ctx: Context, accountId: string): void {
  knownKeys(ctx).forget((id) => id === accountId)
}

/** The keys that a customer's partner holds and that may read mail. They are cached for a moment, because every message needs them. */
async function readingKeys(ctx: Context, { _id: accountId }: AccountDoc): Promise<readonly KeyDoc[]> {
  const load = async (ids: readonly string[]) => {
    const found = Map.groupBy(await findReadingKeys(ctx.store, ids), (key) => key.accountId)
    return new Map(ids.map((id) => [id, found.get(id) ?? []]))
  }
  const now = inTimeOf(ctx, accountId).clock.now()
  const keys = (await knownKeys(ctx).find(accountId, load)) ?? []
  return keys.filter(({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now))
}

const reaches = ({ mailboxIds }: KeyDoc, { mailboxId }: NewEvent) =>
  mailboxIds === null || (mailboxId !== null && mailboxIds.includes(mailboxId))
