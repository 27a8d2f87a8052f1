/** The delivery log: what was sent to an endpoint and what it answered, for as long as the plan keeps it. */
import { Failure } from '../../schemas/failures.ts'
import type { DeliveryState } from '../../schemas/webhooks.ts'
import * as store from '../../store/deliveries.ts'
import type { DeliveryDoc } from '../../store/documents/events.ts'
import { type Page, pageOfPortion, readIdCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { readableTypes } from './event-list.ts'
import { reachWebhook } from './webhooks.ts'

export type LogQuery = {
  readonly state?: DeliveryState
  readonly type?: string
  /** Id of an event. */
  readonly event?: string
  readonly limit: number
  readonly before?: string
}

/**
 * Lists the deliveries of an endpoint, newest first: those of events that the key may read. Fails with `not_found` and
 * `validation_error` (cursor).
 */
export async function listDeliveries(
  ctx: Context,
  principal: Principal,
  { webhookId, type, event, state, limit, before }: LogQuery & { readonly webhookId: string },
): Promise<Page<DeliveryDoc>> {
  await reachWebhook(ctx, principal, webhookId)
  const readable = readableTypes(principal)
  const portion = await store.listDeliveries(ctx.store, {
    accountId: principal.accountId,
    webhookId,
    types: type === undefined ? readable : readable.filter((name) => name === type),
    mailboxIds: principal.mailboxIds,
    ...(state !== undefined && { state }),
    ...(event !== undefined && { eventId: event }),
    before: readIdCursor(before, 'dlv'),
    limit,
  })
  return pageOfPortion(portion)
}

/** Reads a delivery. Fails with `not_found`. */
export async function getDelivery(ctx: Context, principal: Principal, id: string): Promise<DeliveryDoc> {
  const { accountId, mailboxIds, kind } = principal
  const delivery = await store.findDelivery(ctx.store, { accountId, id })
  const none = () =>
    new Failure('not_found', `There is no delivery ${id}.`, {
      fix: 'Use an id from the list of deliveries of an endpoint (dlv_...); the plan says how long deliveries are kept.',
    })
  if (delivery === null) throw none()
  const { mailboxId, type, webhookId } = delivery
  const isReadable = readableTypes(principal).some((name) => name === type)
  if (!isReadable || (mailboxIds !== null && mailboxId !== null && !mailboxIds.includes(mailboxId))) throw none()
  // An agent key sees only the endpoints that it made, and a partner's those of its mode.
  if (kind === 'agent' || principal.partnerMode !== undefined) await reachWebhook(ctx, principal, webhookId)
  return delivery
}
