/** Webhook endpoints: who may create them, and which events each receives. */
import { randomBytes } from 'node:crypto'
import { accountEventTypes, type EventType, eventKinds } from '../../schemas/events.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { allowanceOf, type Plans } from '../../schemas/plans.ts'
import { unknown } from '../../schemas/refusals.ts'
import { findKey, freeSlot, takeSlot } from '../../store/accounts.ts'
import { toBinary } from '../../store/bytes.ts'
import { skipDeliveries } from '../../store/deliveries.ts'
import type { KeyDoc } from '../../store/documents/accounts.ts'
import type { EventDoc, WebhookDoc } from '../../store/documents/events.ts'
import * as store from '../../store/webhooks.ts'
import { accountById } from '../access/known-callers.ts'
import type { Principal } from '../access/principal.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'
import { allowedUrl } from './webhook-post.ts'
import { ownScope, type ScopeInput } from './webhook-scope.ts'

export type Webhook = {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly scope: { readonly domains: readonly string[]; readonly mailboxes: readonly string[] }
  readonly enabled: boolean
  readonly ordering: 'none' | 'mailbox'
  readonly description: string | null
  readonly createdAt: Date
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
 * that the key may not read).
 */
export async function createWebhook(
  ctx: Context,
  principal: Principal,
  input: WebhookInput,
): Promise<Webhook & { secret: string }> {
  const { account, accountId, keyId } = principal
  const limit = allowanceOf(account).webhookEndpoints
  if (limit === 0)
    throw new Failure('plan_required', 'The plan does not include webhooks.', {
      fix: 'Read the events instead, or upgrade the plan.',
    })
  const url = allowedUrl(input.url, ctx.settings.webhooks.allowPrivate)
  requireEvents(principal, input.events)
  const scope = await ownScope(ctx, principal, input.scope)
  if (!(await takeSlot(ctx.store, accountId, 'webhooks', limit)))
    throw new Failure('plan_required', `The plan includes ${limit} webhook endpoints, and all are in use.`, {
      fix: 'Delete an endpoint, or upgrade the plan.',
    })
  const at = ctx.clock.now()
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const doc: WebhookDoc = {
    _id: newId('whk', at),
    accountId,
    url,
    events: [...new Set(input.events)],
    scope,
    enabled: input.enabled ?? true,
    ordering: input.ordering ?? 'none',
    description: input.description ?? null,
    secret: toBinary(ctx.secrets.seal(secret, 'webhook')),
    createdAt: at,
    keyId,
    agentKeyId: principal.kind === 'agent' ? keyId : null,
    ...(principal.account.sandbox && { sandbox: true as const }),
    failingSince: null,
  }
  await store.insertWebhook(ctx.store, doc)
  publishChange(ctx, accountId)
  return { ...webhookOf(doc), secret }
}

/** Fails as `createWebhook` does when the key may not receive such events, or reaches no such scope. */
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
  return docs.map(webhookOf)
}

/** Reads an endpoint. Fails with `not_found`. */
export async function getWebhook(ctx: Context, principal: Principal, id: string): Promise<Webhook> {
  return webhookOf(await reachWebhook(ctx, principal, id))
}

/**
 * Changes an endpoint. Turning a disabled one on clears its failures. Fails with `not_found`, and as `createWebhook`
 * does.
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
  const change: Partial<WebhookDoc> = {
    ...(url !== undefined && { url: allowedUrl(url, ctx.settings.webhooks.allowPrivate) }),
    ...(events !== undefined && { events: [...new Set(events)] }),
    ...(scope !== undefined && { scope: await ownScope(ctx, principal, scope) }),
    ...(enabled !== undefined && { enabled }),
    ...(enabled === true && !before.enabled && { failingSince: null }),
    ...(ordering !== undefined && { ordering }),
    ...(description !== undefined && { description }),
  }
  const doc =
    Object.keys(change).length === 0
      ? before
      : await store.changeWebhook(ctx.store, { accountId, webhookId: id, change })
  if (doc === null) throw noWebhook(id)
  publishChange(ctx, accountId)
  return webhookOf(doc)
}

/** Deletes an endpoint; its outstanding deliveries are skipped. Fails with `not_found`. */
export async function deleteWebhook(ctx: Context, principal: Principal, id: string): Promise<void> {
  const { accountId } = principal
  await reachWebhook(ctx, principal, id)
  if (!(await store.removeWebhook(ctx.store, { accountId, webhookId: id }))) throw noWebhook(id)
  await skipDeliveries(ctx.store, id)
  await freeSlot(ctx.store, accountId, 'webhooks')
  publishChange(ctx, accountId)
}

/** An enabled endpoint, and whether it receives an event. */
export type Endpoint = { readonly webhook: WebhookDoc; readonly matches: (event: EventDoc) => boolean }

/** How long a change may go unnoticed when its change note is lost. */
const endpointsKeptMs = 2 * secondMs
/** Accounts whose endpoints are cached. */
const endpointsKeptMax = 10_000
const endpointsOfAccounts = perProcess(({ changes, clock }) => {
  const kept = createKept<readonly Endpoint[]>(clock, { max: endpointsKeptMax, ttlMs: endpointsKeptMs })
  changes.listen((note) => {
    if (note.kind === 'webhooks' || note.kind === 'callers')
      for (const accountId of note.accountIds) kept.delete(accountId)
  })
  return kept
})

/**
 * The enabled endpoints of an account. They are cached for a moment, because every event needs them; a change note ends
 * the cache at once.
 */
export async function enabledEndpoints(ctx: Context, accountId: string): Promise<readonly Endpoint[]> {
  const kept = endpointsOfAccounts(ctx)
  const known = kept.get(accountId)
  if (known !== undefined) return known
  const webhooks = await store.listWebhooks(ctx.store, { accountId, keyId: null })
  const enabled = webhooks.filter((webhook) => webhook.enabled)
  const account = enabled.length === 0 ? undefined : await accountById(ctx, accountId)
  const includes = account === undefined ? nothing : includedBy(account)
  const endpoints = (await Promise.all(enabled.map((webhook) => endpointOf(ctx, webhook, includes)))).filter(
    (endpoint) => endpoint !== null,
  )
  kept.set(accountId, endpoints)
  return endpoints
}

function publishChange(ctx: Context, accountId: string): void {
  endpointsOfAccounts(ctx).delete(accountId)
  ctx.changes.publish({ kind: 'webhooks', accountIds: [accountId] })
}

/**
 * Whether an endpoint is enabled and its agent key, if it has one, is valid. An endpoint whose agent key was revoked or
 * has expired is turned off.
 */
export async function isLive(ctx: Context, webhook: WebhookDoc): Promise<boolean> {
  return webhook.enabled && (webhook.agentKeyId === null || (await validKey(ctx, webhook, webhook.agentKeyId)) !== null)
}

async function validKey(ctx: Context, { accountId, _id }: WebhookDoc, keyId: string): Promise<KeyDoc | null> {
  const key = await findKey(ctx.store, { accountId, keyId })
  if (key !== null && key.revokedAt === null && (key.expiresAt === null || key.expiresAt > ctx.clock.now())) return key
  await store.changeWebhook(ctx.store, { accountId, webhookId: _id, change: { enabled: false } })
  return null
}

/**
 * An endpoint created by an agent key receives only events of that key's mailboxes, and none when the key is no longer
 * valid.
 */
async function endpointOf(ctx: Context, webhook: WebhookDoc, includes: Included): Promise<Endpoint | null> {
  const isHeard = (event: EventDoc) => includes(event.type) && isSubscribed(webhook, event)
  if (webhook.agentKeyId === null) return { webhook, matches: isHeard }
  const key = await validKey(ctx, webhook, webhook.agentKeyId)
  if (key === null) return null
  const reach = new Set(key.mailboxIds ?? [])
  return {
    webhook,
    matches: (event) => event.mailboxId !== null && reach.has(event.mailboxId) && isHeard(event),
  }
}

/** Whether the plan includes events of a type. */
type Included = (type: string) => boolean

const nothing: Included = () => false

/** What the plan of an account includes: of a smaller plan than the one an endpoint was made under, less. */
function includedBy(account: Plans): Included {
  const allowance = allowanceOf(account)
  if (allowance.webhookEndpoints === 0) return nothing
  return (type) => {
    const plan = Object.hasOwn(eventKinds, type) ? eventKinds[type as EventType].plan : null
    return plan === null || allowance[plan]
  }
}

/**
 * Whether an event passes the endpoint's types and scope. With a scope, it must be about one of its mailboxes or
 * domains; events without either (`account.*`) then never pass.
 */
function isSubscribed({ events, scope }: WebhookDoc, { type, mailbox, domain }: EventDoc): boolean {
  if (!events.includes(type)) return false
  if (scope.domains.length === 0 && scope.mailboxes.length === 0) return true
  return (mailbox !== null && scope.mailboxes.includes(mailbox)) || (domain !== null && scope.domains.includes(domain))
}

async function reachWebhook(ctx: Context, principal: Principal, webhookId: string): Promise<WebhookDoc> {
  const doc = await store.findWebhook(ctx.store, { accountId: principal.accountId, webhookId })
  if (doc === null || (principal.kind === 'agent' && doc.keyId !== principal.keyId)) throw noWebhook(webhookId)
  return doc
}

const noWebhook = (id: string) =>
  new Failure('not_found', `There is no webhook ${id}.`, {
    fix: 'Use an id as the list of webhooks shows it (whk_...); an agent key sees only those that it made.',
  })

function requireEvents(principal: Principal, events: readonly string[]): void {
  for (const [n, name] of events.entries()) {
    if (!Object.hasOwn(eventKinds, name)) throw unknown('event type', name, accountEventTypes, `events[${n}]`)
    const { access, plan } = eventKinds[name as EventType]
    if (access === 'partner' || (access === 'account key' && principal.kind === 'agent'))
      throw new Failure('forbidden', `This key may not receive the event type ${name}.`, {
        fix:
          access === 'partner' ? `Leave ${name} out: it is for partners.` : `Use an account key, or leave ${name} out.`,
      })
    if (access !== 'account key' && !principal.scopes.includes(access)) {
      throw new Failure('insufficient_scope', `Receiving the event type ${name} needs the scope ${access}.`, {
        requiredScope: access,
      })
    }
    if (plan !== null && !allowanceOf(principal.account)[plan])
      throw new Failure('plan_required', `The plan does not include the event type ${name}.`, {
        fix: `Leave ${name} out, or take ${plan === 'intake' ? 'Pro or Business' : 'Pro, Business or any Agents plan'}.`,
      })
  }
}

function webhookOf({ _id, url, events, scope, enabled, ordering, description, createdAt }: WebhookDoc): Webhook {
  return { id: _id, url, events, scope, enabled, ordering, description, createdAt }
}
