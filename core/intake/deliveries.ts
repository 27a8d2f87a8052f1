/** Where the records of a mailbox go: an endpoint that is made for it, one that is there, or none. */
import { Failure } from '../../schemas/failures.ts'
import type { IntakeDeliveryInput } from '../../schemas/intake.ts'
import { mailPlans } from '../../schemas/plans.ts'
import type { IntakeDelivery, IntakeDoc } from '../../store/documents/intake.ts'
import type { Principal } from '../access/principal.ts'
import { allowedUrl } from '../notify/webhook-url.ts'
import { createWebhook, getWebhook, mayHear, removeEndpoint, requireEvents, updateWebhook } from '../notify/webhooks.ts'
import type { Context } from '../process/context.ts'

const intakeEvents = ['intake.message'] as const
/** On a trial, whose plan has no endpoints, one may be made for Intake; it hears of nothing before there is a plan. */
const endpointsOfSetUp = mailPlans.pro.webhookEndpoints

/** The mailbox whose records are delivered. */
type Watched = { readonly id: string; readonly address: string }

/** Fails with `validation_error` for a delivery that is none. */
export function requireDelivery({ settings }: Context, { type, url, webhookId }: IntakeDeliveryInput): void {
  const given = [url, webhookId].filter((each) => each !== undefined).length
  if (type === 'api' && given > 0)
    throw new Failure('validation_error', 'Records that are read by the API are posted nowhere.', {
      param: url === undefined ? 'delivery.webhookId' : 'delivery.url',
      fix: 'Leave it out, or give "delivery.type": "webhook".',
    })
  if (type === 'webhook' && given !== 1)
    throw new Failure('validation_error', 'A delivery by webhook needs either "url" or "webhookId".', {
      param: given === 0 ? 'delivery.url' : 'delivery.webhookId',
      fix: 'Give "url" for an endpoint of its own, or "webhookId" for one that is there.',
    })
  if (url !== undefined) allowedUrl(url, settings.webhooks.allowPrivate, 'delivery.url')
}

/** Fails as `deliveryFor` does when the key may not deliver to an endpoint that is there. */
export async function requireEndpoint(ctx: Context, principal: Principal, webhookId: string): Promise<void> {
  await getWebhook(ctx, principal, webhookId)
  requireEvents(principal, intakeEvents)
}

/**
 * Makes what a delivery needs: an endpoint for this mailbox alone, whose secret is returned; or in one that is there the event.
 * `before`: the configuration as it is, whose own endpoint is kept where only the URL changes. Fails with `not_found`, `conflict` (the
 * endpoint does not hear of the mailbox), and as `createWebhook` does.
 */
export async function deliveryFor(
  ctx: Context,
  principal: Principal,
  {
    mailbox,
    delivery: { url, webhookId },
    before,
  }: {
    readonly mailbox: Watched
    readonly delivery: IntakeDeliveryInput
    readonly before: IntakeDoc | null
  },
): Promise<{ readonly delivery: IntakeDelivery; readonly secret: string | null }> {
  if (webhookId !== undefined)
    return { delivery: await useEndpoint(ctx, principal, { mailbox, webhookId, before }), secret: null }
  if (url === undefined) return { delivery: { type: 'api' }, secret: null }
  const own = before?.delivery
  if (own?.type === 'webhook' && own.isOwn && (await moveEndpoint(ctx, principal, own.webhookId, url)))
    return { delivery: own, secret: null }
  const { id, secret } = await createWebhook(
    ctx,
    principal,
    { url, events: intakeEvents, scope: { mailboxes: [mailbox.address] }, description: `Intake of ${mailbox.address}` },
    { atLeast: endpointsOfSetUp },
  )
  return { delivery: { type: 'webhook', webhookId: id, isOwn: true }, secret }
}

/** Deletes the endpoint that was made for a mailbox, when nothing is delivered to it any more. */
export async function endDelivery(ctx: Context, { accountId, delivery }: IntakeDoc): Promise<void> {
  if (delivery.type === 'webhook' && delivery.isOwn)
    await removeEndpoint(ctx, { accountId, webhookId: delivery.webhookId })
}

async function useEndpoint(
  ctx: Context,
  principal: Principal,
  {
    mailbox: { id: mailboxId, address },
    webhookId,
    before,
  }: { mailbox: Watched; webhookId: string; before: IntakeDoc | null },
): Promise<IntakeDelivery> {
  const { events, scope } = await getWebhook(ctx, principal, webhookId)
  const isNarrowed = scope.domains.length > 0 || scope.mailboxes.length > 0
  const domain = address.slice(address.lastIndexOf('@') + 1)
  if (isNarrowed && !scope.mailboxes.includes(address) && !scope.domains.includes(domain))
    throw new Failure('conflict', `The endpoint ${webhookId} does not hear of ${address}: its scope names others.`, {
      fix: 'Add the mailbox to the scope of the endpoint, or give "delivery.url" for an endpoint of its own.',
    })
  if (!(await mayHear(ctx, principal, { webhookId, mailboxId })))
    throw new Failure(
      'conflict',
      `The endpoint ${webhookId} does not hear of ${address}: it hears of the mailboxes that the agent key which made it reaches.`,
      { fix: 'Name an endpoint that an account key made, or give "delivery.url" for an endpoint of its own.' },
    )
  const missing = intakeEvents.filter((type) => !events.includes(type))
  if (missing.length > 0) await updateWebhook(ctx, principal, { id: webhookId, events: [...events, ...missing] })
  const known = before?.delivery
  return known?.type === 'webhook' && known.webhookId === webhookId
    ? known
    : { type: 'webhook', webhookId, isOwn: false }
}

/** Gives the endpoint of a mailbox another URL; it keeps its secret. Returns false when it was deleted, or is another key's. */
async function moveEndpoint(ctx: Context, principal: Principal, id: string, url: string): Promise<boolean> {
  try {
    await updateWebhook(ctx, principal, { id, url })
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return false
    throw error
  }
}
