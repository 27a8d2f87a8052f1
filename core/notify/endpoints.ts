/** The endpoints of accounts as events and deliveries need them: which are on, what each receives, and its signing secrets. */
import { type EventType, eventKinds } from '../../schemas/events.ts'
import { allowanceOf, type Plans } from '../../schemas/plans.ts'
import { findKey } from '../../store/accounts.ts'
import { fromBinary } from '../../store/bytes.ts'
import type { KeyDoc } from '../../store/documents/accounts.ts'
import type { EventDoc, WebhookDoc } from '../../store/documents/events.ts'
import { sealedFor } from '../../store/sealed.ts'
import { findEnabledWebhooks, turnOffWithKey } from '../../store/webhooks.ts'
import { accountById } from '../access/known-callers.ts'
import { isOfAccount } from '../access/principal.ts'
import { inTimeOf } from '../process/account-time.ts'
import { dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'
import { type SigningSecret, signingSecret } from './signature.ts'

/** An endpoint that is on, with what its deliveries need. */
export type Endpoint = {
  readonly webhook: WebhookDoc
  /** Whether it receives an event. */
  readonly matches: (event: EventDoc) => boolean
  /** The secrets that sign at a time: the current one, preceded by the one that it replaced less than a day ago. */
  readonly secretsAt: (at: Date) => readonly SigningSecret[]
  /** How long the delivery log of its account reaches back. */
  readonly logMs: number
}

const endpointsOfAccounts = perProcess(({ changes, clock }) => {
  const known = createKnown<readonly Endpoint[]>(clock)
  changes.listen((note) => {
    if (note.kind === 'webhooks') known.forget((accountId) => note.accountIds.includes(accountId))
    // The endpoints that an agent key made reach what the key reaches.
    if (note.kind === 'callers')
      known.forget(
        (accountId, endpoints) =>
          note.accountIds.includes(accountId) ||
          endpoints.some(({ webhook: { agentKeyId } }) => agentKeyId !== null && note.keyIds.includes(agentKeyId)),
      )
  })
  return known
})

/** The endpoints of an account that are on. They are cached for a moment, because every event and delivery needs them. */
export async function enabledEndpoints(ctx: Context, accountId: string): Promise<readonly Endpoint[]> {
  return (await endpointsOfAccounts(ctx).find(accountId, (ids) => readEndpoints(ctx, ids))) ?? []
}

/** The endpoint, if it is on; else null. It comes from the cache, or from the database when the cache does not have it. */
export async function enabledEndpoint(
  ctx: Context,
  { accountId, webhookId }: { readonly accountId: string; readonly webhookId: string },
): Promise<Endpoint | null> {
  const among = async () => (await enabledEndpoints(ctx, accountId)).find(({ webhook }) => webhook._id === webhookId)
  const known = await among()
  if (known !== undefined) return known
  forgetEndpoints(ctx, accountId)
  return (await among()) ?? null
}

/**
 * Whether a delivery whose endpoint is gone belongs to an account that is being claimed into another: the delivery then follows its
 * endpoint there (core/people/move.ts).
 */
export async function isMoving(ctx: Context, { accountId }: { readonly accountId: string }): Promise<boolean> {
  return (await accountById(ctx, accountId))?.status === 'moved'
}

/** Publishes that endpoints of an account have changed. */
export function endpointsChanged(ctx: Context, accountId: string): void {
  forgetEndpoints(ctx, accountId)
  ctx.changes.publish({ kind: 'webhooks', accountIds: [accountId] })
}

function forgetEndpoints(ctx: Context, accountId: string): void {
  endpointsOfAccounts(ctx).forget((id) => id === accountId)
}

async function readEndpoints(
  ctx: Context,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Endpoint[]>> {
  const byAccount = Map.groupBy(await findEnabledWebhooks(ctx.store, accountIds), ({ accountId }) => accountId)
  const each = accountIds.map(async (id) => [id, await endpointsOf(inTimeOf(ctx, id), id, byAccount.get(id))] as const)
  return new Map(await Promise.all(each))
}

async function endpointsOf(
  ctx: Context,
  accountId: string,
  enabled: readonly WebhookDoc[] = [],
): Promise<readonly Endpoint[]> {
  const account = enabled.length === 0 ? undefined : await accountById(ctx, accountId)
  const endpoints = await Promise.all(enabled.map((webhook) => endpointOf(ctx, webhook, account)))
  return endpoints.filter((endpoint) => endpoint !== null)
}

/**
 * The agent key that made an endpoint, if it is valid. Otherwise turns off the endpoints of the key and returns null: revoking a key
 * turns them off too, but its expiry does not, nor does a crash that interrupts the removal of the member who made it.
 */
export async function validKey(ctx: Context, accountId: string, keyId: string): Promise<KeyDoc | null> {
  const key = await findKey(ctx.store, { accountId, keyId })
  const at = ctx.clock.now()
  const isInTime = key !== null && key.revokedAt === null && (key.expiresAt === null || key.expiresAt > at)
  if (isInTime && isOfAccount(key, await accountById(ctx, accountId))) return key
  await turnOffWithKey(ctx.store, { accountId, agentKeyId: keyId, at })
  return null
}

/**
 * The endpoint with what its deliveries need. One created by an agent key or a connected program receives only events of the
 * mailboxes that the key reaches. Returns null when that key is no longer valid.
 */
async function endpointOf(ctx: Context, webhook: WebhookDoc, account: Plans | undefined): Promise<Endpoint | null> {
  const includes = account === undefined ? nothing : includedBy(account)
  const isHeard = (event: EventDoc) => includes(event.type) && isSubscribed(webhook, event)
  const endpoint = { webhook, secretsAt: secretsOf(ctx, webhook), logMs: logMsOf(account) }
  if (webhook.agentKeyId === null) return { ...endpoint, matches: isHeard }
  const key = await validKey(ctx, webhook.accountId, webhook.agentKeyId)
  if (key === null) return null
  if (key.mailboxIds === null) return { ...endpoint, matches: isHeard }
  const reach = new Set(key.mailboxIds)
  return { ...endpoint, matches: (event) => event.mailboxId !== null && reach.has(event.mailboxId) && isHeard(event) }
}

/** At least two days, whatever the plan, because a delivery is retried for a day. */
const logMsOf = (account: Plans | undefined) =>
  Math.max(2, account === undefined ? 0 : allowanceOf(account).deliveryLogDays) * dayMs

function secretsOf(ctx: Context, { secret, previousSecret, previousUntil }: WebhookDoc): Endpoint['secretsAt'] {
  const opened = (sealed: WebhookDoc['secret']) =>
    signingSecret(ctx.secrets.open(fromBinary(sealed), sealedFor.webhook))
  let [newest, previous]: [SigningSecret?, SigningSecret?] = []
  return (at) => {
    newest ??= opened(secret)
    if (previousSecret === undefined || previousUntil === undefined || previousUntil <= at) return [newest]
    previous ??= opened(previousSecret)
    return [previous, newest]
  }
}

/** Whether the plan includes events of a type. */
type Included = (type: string) => boolean

const nothing: Included = () => false

/** What the current plan of an account includes, which may be less than when the endpoint was made. */
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
 * domains; events without either (`account.*`) then never pass. An endpoint that a partner made with a test key receives the
 * events of sandbox customers only.
 */
function isSubscribed({ events, sandbox, scope }: WebhookDoc, event: EventDoc): boolean {
  const { type, mailbox, domain } = event
  if (!events.includes(type)) return false
  if (sandbox && event.customerId !== undefined && !event.sandbox) return false
  if (scope.domains.length === 0 && scope.mailboxes.length === 0) return true
  return (mailbox !== null && scope.mailboxes.includes(mailbox)) || (domain !== null && scope.domains.includes(domain))
}
