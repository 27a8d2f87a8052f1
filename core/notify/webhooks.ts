/** Webhook endpoints: who may create them, and which events each receives. */
import { randomBytes } from 'node:crypto'
import { accountEventTypes, type EventType, eventKinds } from '../../schemas/events.ts'
import { Failure } from '../../schemas/failures.ts'
import { deriveId, newId } from '../../schemas/ids.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import { unknown } from '../../schemas/refusals.ts'
import { freeSlot, takeSlot } from '../../store/accounts.ts'
import { fromBinary } from '../../store/bytes.ts'
import { skipDeliveries } from '../../store/deliveries.ts'
import type { OffReason, WebhookDoc } from '../../store/documents/events.ts'
import { sealedFor, toSealed } from '../../store/sealed.ts'
import * as store from '../../store/webhooks.ts'
import { isProgram, lackOf, type Principal } from '../access/principal.ts'
import { dueNow } from '../process/account-time.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { endpointsChanged, validKey } from './endpoints.ts'
import { ownScope, type ScopeInput } from './webhook-scope.ts'
import { allowedUrl } from './webhook-url.ts'

export type Webhook = {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly scope: { readonly domains: readonly string[]; readonly mailboxes: readonly string[] }
  readonly enabled: boolean
  readonly ordering: 'none' | 'mailbox'
  readonly description: string | null
  readonly createdAt: Date
  readonly failingSince: Date | null
  readonly turnedOff: { readonly at: Date; readonly reason: OffReason } | null
  /** Until when the secret before the last rotation signs too; null when it does not. */
  readonly previousUntil: Date | null
}

export type WebhookInput = {
  readonly url: string
  readonly events: readonly string[]
  readonly scope?: ScopeInput
  readonly enabled?: boolean
  readonly ordering?: 'none' | 'mailbox'
  readonly description?: string | null
}

/**
 * Creates an endpoint. Returns it with its signing secret, which is never shown again. Fails with `validation_error`
 * (URL, event type, scope), `domain_not_found` and `mailbox_not_found` (a scope beyond the key's reach), `plan_required`
 * (no webhooks on the plan, all in use, or an event type beyond it), `forbidden` and `insufficient_scope` (an event type
 * that the key may not read). `atLeast` is the number of endpoints that the account may have even if its plan includes none; which
 * events they receive follows the plan.
 */
export async function createWebhook(
  ctx: Context,
  principal: Principal,
  input: WebhookInput,
  { atLeast = 0 }: { readonly atLeast?: number } = {},
): Promise<Webhook & { secret: string }> {
  const { account, accountId, keyId } = principal
  const limit = Math.max(atLeast, allowanceOf(account).webhookEndpoints)
  if (limit === 0)
    throw new Failure('plan_required', 'The plan does not include webhooks.', {
      fix: 'Read the events instead, or upgrade the plan.',
    })
  const url = allowedUrl(input.url, ctx.settings.webhooks.allowPrivate)
  requireEvents(principal, input.events)
  const scope = await ownScope(ctx, principal, input.scope)
  const at = ctx.clock.now()
  const { onceId } = ctx
  const webhookId = onceId === null ? newId('whk', at) : deriveId('whk', onceId, 'webhook')
  const earlier = ctx.mayRepeat ? await store.findWebhook(ctx.store, { accountId, webhookId }) : null
  if (earlier !== null) {
    if (earlier.keyId !== keyId) throw new Failure('idempotency_key_reused')
    const secret = ctx.secrets.open(fromBinary(earlier.secret), sealedFor.webhook)
    return { ...webhookOf(earlier, at), secret }
  }
  if (!(await takeSlot(ctx.store, accountId, 'webhooks', limit)))
    throw new Failure('plan_required', `The plan includes ${limit} webhook endpoints, and all are in use.`, {
      fix: 'Delete an endpoint, or upgrade the plan.',
    })
  const secret = newSecret()
  const doc: WebhookDoc = {
    _id: webhookId,
    accountId,
    url,
    events: [...new Set(input.events)],
    scope,
    enabled: input.enabled ?? true,
    ordering: input.ordering ?? 'none',
    description: input.description ?? null,
    secret: sealed(ctx, secret),
    createdAt: at,
    keyId,
    agentKeyId: principal.kind === 'agent' || isProgram(principal) ? keyId : null,
    ...((principal.account.sandbox || principal.partnerMode === 'test') && { sandbox: true as const }),
    failingSince: null,
  }
  await store.insertWebhook(ctx.store, doc)
  endpointsChanged(ctx, accountId)
  return { ...webhookOf(doc, at), secret }
}

/** Fails as `createWebhook` does when the key may not receive such events, or does not reach the scope. */
export async function requireWebhookReach(
  ctx: Context,
  principal: Principal,
  { events, scope }: Pick<WebhookInput, 'events' | 'scope'>,
): Promise<void> {
  requireEvents(principal, events)
  await ownScope(ctx, principal, scope)
}

/** Lists the endpoints that the key may see, newest first: an agent key sees only its own. */
export async function listWebhooks(ctx: Context, principal: Principal): Promise<readonly Webhook[]> {
  const docs = await store.listWebhooks(ctx.store, {
    accountId: principal.accountId,
    keyId: principal.kind === 'agent' ? principal.keyId : null,
  })
  const seen = docs.filter((doc) => isSeen(principal, doc))
  return Promise.all(seen.map(async (doc) => webhookOf(await current(ctx, doc), ctx.clock.now())))
}

/** Reads an endpoint. Fails with `not_found`. */
export async function getWebhook(ctx: Context, principal: Principal, id: string): Promise<Webhook> {
  return webhookOf(await current(ctx, await reachWebhook(ctx, principal, id)), ctx.clock.now())
}

/**
 * Changes an endpoint. Turning it off skips the deliveries that wait for it; turning it on clears its failures, and it receives the
 * events from then on. Fails with `not_found`, `conflict` (turned on, but the agent key that made it has ended), and as
 * `createWebhook` does.
 */
export async function updateWebhook(
  ctx: Context,
  principal: Principal,
  { id, ...input }: { id: string } & Partial<WebhookInput>,
): Promise<Webhook> {
  const { accountId } = principal
  const before = await reachWebhook(ctx, principal, id)
  // The event types are checked even when they stay as they are: a key that may not read them must not point the
  // endpoint at another URL.
  requireEvents(principal, input.events ?? before.events)
  const { url, events, scope, enabled, ordering, description } = input
  const isTurnedOn = enabled === true && !before.enabled
  if (isTurnedOn) await requireKey(ctx, before)
  const change: Partial<WebhookDoc> = {
    ...(url !== undefined && { url: allowedUrl(url, ctx.settings.webhooks.allowPrivate) }),
    ...(events !== undefined && { events: [...new Set(events)] }),
    ...(scope !== undefined && { scope: await ownScope(ctx, principal, scope) }),
    ...(enabled !== undefined && { enabled }),
    ...(isTurnedOn && { failingSince: null }),
    ...((isTurnedOn || events !== undefined || scope !== undefined) && { since: ctx.clock.now() }),
    ...(ordering !== undefined && { ordering }),
    ...(description !== undefined && { description }),
  }
  const doc =
    Object.keys(change).length === 0
      ? before
      : await store.changeWebhook(ctx.store, {
          accountId,
          webhookId: id,
          change,
          drop: enabled === undefined ? [] : ['turnedOff', 'noticeDueAt'],
        })
  if (doc === null) throw noWebhook(id)
  endpointsChanged(ctx, accountId)
  if (enabled === false) await skipDeliveries(ctx.store, { accountId, webhookId: id })
  return webhookOf(doc, ctx.clock.now())
}

/**
 * Gives an endpoint a new secret. The replaced secret signs too for a day, so that receivers have time to change; the one before
 * that ends at once. Returns the endpoint with its secret, which is never shown again. Fails with `not_found`, `conflict` (another
 * request rotates the secret at the same time), and as `createWebhook` does for event types that the key may not read.
 */
export async function rotateSecret(
  ctx: Context,
  principal: Principal,
  id: string,
): Promise<Webhook & { readonly secret: string }> {
  const before = await reachWebhook(ctx, principal, id)
  requireEvents(principal, before.events)
  const at = ctx.clock.now()
  const secret = newSecret()
  const doc = await store.replaceSecret(ctx.store, before, {
    secret: sealed(ctx, secret),
    previousUntil: after(at, overlapMs),
  })
  if (doc === null)
    throw new Failure('conflict', 'Another request has just given the endpoint a new secret.', {
      fix: 'Use that secret, or repeat the request.',
    })
  endpointsChanged(ctx, principal.accountId)
  return { ...webhookOf(doc, at), secret }
}

/** Fails as `rotateSecret` does when the key may not do it. */
export async function requireRotation(ctx: Context, principal: Principal, id: string): Promise<void> {
  requireEvents(principal, (await reachWebhook(ctx, principal, id)).events)
}

/** Erases the replaced secrets whose day after the rotation is over. Returns how many there were. */
export function eraseOldSecrets(ctx: Context): Promise<number> {
  return store.erasePreviousSecrets(ctx.store, dueNow(ctx))
}

/** How long a replaced secret signs too (decisions.md 2, rotate-secret). */
const overlapMs = dayMs

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const sealed = ({ secrets }: Context, secret: string) => toSealed(secrets.seal(secret, sealedFor.webhook))

/** Deletes an endpoint; its outstanding deliveries are skipped. Fails with `not_found`. */
export async function deleteWebhook(ctx: Context, principal: Principal, id: string): Promise<void> {
  await reachWebhook(ctx, principal, id)
  if (!(await removeEndpoint(ctx, { accountId: principal.accountId, webhookId: id }))) throw noWebhook(id)
}

/** Deletes an endpoint without checking who asks. Returns false when there is none. */
export async function removeEndpoint(
  ctx: Context,
  { accountId, webhookId }: { readonly accountId: string; readonly webhookId: string },
): Promise<boolean> {
  if (!(await store.removeWebhook(ctx.store, { accountId, webhookId }))) return false
  await skipDeliveries(ctx.store, { accountId, webhookId })
  await freeSlot(ctx.store, accountId, 'webhooks')
  endpointsChanged(ctx, accountId)
  return true
}

/** The current state of an endpoint: it is off when the agent key that made it has ended, even if no delivery has noticed that yet. */
async function current(ctx: Context, doc: WebhookDoc): Promise<WebhookDoc> {
  if (!doc.enabled || doc.agentKeyId === null) return doc
  if ((await validKey(ctx, doc.accountId, doc.agentKeyId)) !== null) return doc
  return { ...doc, enabled: false, turnedOff: { at: ctx.clock.now(), reason: 'key' } }
}

/**
 * Whether an endpoint may receive what concerns a mailbox. One that an agent key made may do so for the mailboxes that the key
 * reaches, and for none when the key has ended. Fails with `not_found`.
 */
export async function mayReceive(
  ctx: Context,
  principal: Principal,
  { webhookId, mailboxId }: { readonly webhookId: string; readonly mailboxId: string },
): Promise<boolean> {
  const { accountId, agentKeyId } = await reachWebhook(ctx, principal, webhookId)
  if (agentKeyId === null) return true
  const key = await validKey(ctx, accountId, agentKeyId)
  return key !== null && (key.mailboxIds === null || key.mailboxIds.includes(mailboxId))
}

/** Fails with `conflict` when the agent key that made the endpoint has ended: it would be turned off again. */
async function requireKey(ctx: Context, { accountId, agentKeyId }: WebhookDoc): Promise<void> {
  if (agentKeyId === null || (await validKey(ctx, accountId, agentKeyId)) !== null) return
  throw new Failure('conflict', 'The agent key that made the endpoint was revoked or has expired.', {
    fix: 'Create another endpoint with a valid key.',
  })
}

/** An endpoint that the key may see: an agent key sees only its own. Fails with `not_found`. */
export async function reachWebhook(ctx: Context, principal: Principal, webhookId: string): Promise<WebhookDoc> {
  const doc = await store.findWebhook(ctx.store, { accountId: principal.accountId, webhookId })
  if (doc === null || !isSeen(principal, doc)) throw noWebhook(webhookId)
  return doc
}

/** An agent key sees what it made itself. Live keys of a partner see what any of its live keys made, test keys what any test key made. */
function isSeen({ kind, keyId, partnerMode }: Principal, webhook: WebhookDoc): boolean {
  if (partnerMode !== undefined) return (webhook.sandbox === true) === (partnerMode === 'test')
  return kind !== 'agent' || webhook.keyId === keyId
}

const noWebhook = (id: string) =>
  new Failure('not_found', `There is no webhook ${id}.`, {
    fix: 'Use an id from the list of webhooks (whk_...); an agent key sees only the webhooks that it made.',
  })

/**
 * Fails with `validation_error`, `forbidden`, `insufficient_scope`, `plan_required` for event types that the key may not receive.
 * A partner's key may receive every event type that its operations accept.
 */
export function requireEvents(principal: Principal, events: readonly string[], param = 'events'): void {
  if (principal.partnerMode !== undefined) return
  for (const [n, name] of events.entries()) {
    if (!Object.hasOwn(eventKinds, name))
      throw unknown('event type', name, accountEventTypes, param === 'type' ? param : `${param}[${n}]`)
    const { access, plan } = eventKinds[name as EventType]
    if (access === 'partner' || (access === 'account key' && principal.kind === 'agent'))
      throw new Failure('forbidden', `This key may not receive the event type ${name}.`, {
        fix:
          access === 'partner' ? `Leave ${name} out: it is for partners.` : `Use an account key, or leave ${name} out.`,
      })
    if (access !== 'account key' && !principal.scopes.includes(access))
      throw lackOf(principal, access, `Receiving the event type ${name} needs the scope ${access}.`)
    // Intake may be set up on a trial; its events begin with a plan that includes them.
    if (plan !== null && !allowanceOf(principal.account)[plan === 'intake' ? 'intakeSetUp' : plan])
      throw new Failure('plan_required', `The plan does not include the event type ${name}.`, {
        fix: `Leave ${name} out, or take ${plan === 'intake' ? 'Pro or Business' : 'Pro, Business or any Agents plan'}.`,
      })
  }
}

function webhookOf(doc: WebhookDoc, now: Date): Webhook {
  const { _id, url, events, scope, enabled, ordering, description, createdAt, failingSince, turnedOff } = doc
  const { previousUntil } = doc
  return {
    id: _id,
    url,
    events,
    scope,
    enabled,
    ordering,
    description,
    createdAt,
    failingSince,
    turnedOff: turnedOff ?? null,
    previousUntil: previousUntil !== undefined && previousUntil > now ? previousUntil : null,
  }
}
