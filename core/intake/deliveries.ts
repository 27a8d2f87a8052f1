/** Where the records of a mailbox go: to an endpoint that is made for it, to an existing endpoint, or to none. */
import { Failure } from '../../schemas/failures.ts'
import type { IntakeDeliveryInput } from '../../schemas/intake.ts'
import { mailPlans } from '../../schemas/plans.ts'
import type { IntakeDelivery, IntakeDoc } from '../../store/documents/intake.ts'
import type { Principal } from '../access/principal.ts'
import { allowedUrl } from '../notify/webhook-url.ts'
import {
  createWebhook,
  getWebhook,
  mayReceive,
  removeEndpoint,
  requireEvents,
  updateWebhook,
} from '../notify/webhooks.ts'
import type { Context } from '../process/context.ts'

const intakeEvents = ['intake.message'] as const
/** Endpoints that Intake may make on a trial, whose plan has none. They receive nothing until there is a plan. */
const endpointsOfSetUp = mailPlans.pro.webhookEndpoints

/** The mailbox whose records are delivered. */
type Watched = { readonly id: string; readonly address: string }

/** Fails with `validation_error` when type "api" names an endpoint, "webhook" names not exactly one, or the URL is not allowed. */
export function requireDelivery({ settings }: Context, { type, url, webhookId }: IntakeDeliveryInput): void {
  const given = [url, webhookId].filter((each) => each !== undefined).length
  if (type === 'api' && given > 0)
    throw new Failure(
      'validation_error',
      'The delivery type "api" takes no endpoint: its records are read by the API.',
      {
        param: url === undefined ? 'delivery.webhookId' : 'delivery.url',
        fix: 'Leave it out, or give "delivery.type": "webhook".',
      },
    )
  if (type === 'webhook' && given !== 1)
    throw new Failure('validation_error', 'A delivery by webhook needs either "url" or "webhookId".', {
      param: given === 0 ? 'delivery.url' : 'delivery.webhookId',
      fix: 'Give "url" to make an endpoint for this mailbox, or "webhookId" to use an existing one.',
    })
  if (url !== undefined) allowedUrl(url, settings.webhooks.allowPrivate, 'delivery.url')
}

/** Fails as `deliveryFor` does when the key may not deliver to an existing endpoint. */
export async function requireEndpoint(ctx: Context, principal: Principal, webhookId: string): Promise<void> {
  await getWebhook(ctx, principal, webhookId)
  requireEvents(principal, intakeEvents)
}

/**
 * Sets up a delivery: makes an endpoint for this mailbox alone, whose secret is returned, or adds the event type to an existing
 * endpoint. `before` is the current configuration, whose own endpoint is kept when only the URL changes. Fails with `not_found`,
 * `conflict` (the endpoint does not receive events of the mailbox), and as `createWebhook` does.
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

/** Deletes the endpoint of a delivery that has ended, if it was made for the mailbox. */
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
    throw new Failure(
      'conflict',
      `The endpoint ${webhookId} does not receive events of ${address}: its scope names others.`,
      {
        fix: 'Add the mailbox to the scope of the endpoint, or give "delivery.url" for an endpoint of its own.',
      },
    )
  if (!(await mayReceive(ctx, principal, { webhookId, mailboxId })))
    throw new Failure(
      'conflict',
      `The endpoint ${webhookId} does not receive events of ${address}: the agent key that made it does not reach this mailbox.`,
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
