/** Webhook endpoints. */
import type { WebhookDoc } from './documents/events.ts'
import type { Sealed } from './documents/sealed.ts'
import { type Due, dueBy } from './due.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'
import { updateIn, type Write } from './writes.ts'

export async function insertWebhook(store: Store, webhook: WebhookDoc): Promise<void> {
  await store.webhooks.insertOne(webhook)
}

export function listWebhooks(
  store: Store,
  { accountId, keyId }: { accountId: string; keyId: string | null },
): Promise<WebhookDoc[]> {
  return readMany(
    store,
    'webhooks',
    { accountId, ...(keyId !== null && { keyId }) },
    { sort: { accountId: -1, _id: -1 } },
  )
}

/** The enabled endpoints of these accounts, those of each account newest first. */
export function findEnabledWebhooks(store: Store, accountIds: readonly string[]): Promise<WebhookDoc[]> {
  return readMany(
    store,
    'webhooks',
    { accountId: { $in: [...accountIds] }, enabled: true },
    { sort: { accountId: -1, _id: -1 } },
  )
}

export function findWebhook(
  store: Store,
  { accountId, webhookId }: { accountId: string; webhookId: string },
): Promise<WebhookDoc | null> {
  return readOne(store, 'webhooks', { accountId, _id: webhookId })
}

export function changeWebhook(
  store: Store,
  {
    accountId,
    webhookId,
    change,
    drop = [],
  }: {
    readonly accountId: string
    readonly webhookId: string
    readonly change: Partial<WebhookDoc>
    readonly drop?: readonly ('turnedOff' | 'noticeDueAt')[]
  },
): Promise<WebhookDoc | null> {
  return store.webhooks.findOneAndUpdate(
    { accountId, _id: webhookId },
    {
      ...(Object.keys(change).length > 0 && { $set: change }),
      ...(drop.length > 0 && { $unset: Object.fromEntries(drop.map((field) => [field, ''])) }),
    },
    { returnDocument: 'after' },
  )
}

/** Turns off the endpoints that depend on an agent key. */
export async function turnOffWithKey(
  store: Store,
  { accountId, agentKeyId, at }: { accountId: string; agentKeyId: string; at: Date },
): Promise<void> {
  const turnedOff = { at, reason: 'key' as const }
  await store.webhooks.updateMany({ accountId, agentKeyId, enabled: true }, { $set: { enabled: false, turnedOff } })
}

type Named = Pick<WebhookDoc, '_id' | 'accountId'>

/** The write that records the first failure since the last success; later failures do not change it. */
export function failureIn(store: Store, { accountId, _id }: Named, at: Date): Write {
  return updateIn(store.webhooks, { accountId, _id, failingSince: null }, { $set: { failingSince: at } })
}

/** The write that records a success. */
export function successIn(store: Store, { accountId, _id }: Named): Write {
  return updateIn(store.webhooks, { accountId, _id }, { $set: { failingSince: null } })
}

/**
 * Turns off an endpoint that has been failing since `since` or longer; with `isTold`, makes a notice to its owner due. Returns false
 * when it is already off, or had a success meanwhile.
 */
export async function turnOffFailing(
  store: Store,
  { accountId, _id, since, at, isTold }: Named & { readonly since: Date; readonly at: Date; readonly isTold: boolean },
): Promise<boolean> {
  const turnedOff = { at, reason: 'failures' as const }
  const { modifiedCount } = await store.webhooks.updateOne(
    { accountId, _id, enabled: true, failingSince: { $lte: since } },
    { $set: { enabled: false, turnedOff, ...(isTold && { noticeDueAt: at }) } },
  )
  return modifiedCount === 1
}

/** Endpoints that were turned off and whose owners have yet to be notified, the longest due first. */
export function findEndpointsToNotify(store: Store, now: Date, limit: number): Promise<WebhookDoc[]> {
  return readMany(store, 'webhooks', { noticeDueAt: { $lte: now } }, { sort: { noticeDueAt: 1 }, limit })
}

/** Records that the owner was notified. */
export async function noteOwnerNotified(store: Store, { accountId, _id, noticeDueAt }: WebhookDoc): Promise<void> {
  await store.webhooks.updateOne(
    { accountId, _id, ...(noticeDueAt && { noticeDueAt }) },
    { $unset: { noticeDueAt: '' } },
  )
}

/** Replaces an endpoint's secret; until `previousUntil` both secrets sign. Returns null when another request replaced it meanwhile. */
export function replaceSecret(
  store: Store,
  { accountId, _id, secret: previousSecret }: Pick<WebhookDoc, '_id' | 'accountId' | 'secret'>,
  { secret, previousUntil }: { readonly secret: Sealed; readonly previousUntil: Date },
): Promise<WebhookDoc | null> {
  return store.webhooks.findOneAndUpdate(
    { accountId, _id, secret: previousSecret },
    { $set: { secret, previousSecret, previousUntil } },
    { returnDocument: 'after' },
  )
}

/** Erases previous secrets that no longer sign. Returns how many there were. */
export async function erasePreviousSecrets(store: Store, due: Due): Promise<number> {
  const { modifiedCount } = await store.webhooks.updateMany(dueBy<WebhookDoc>('previousUntil', due), {
    $unset: { previousSecret: '', previousUntil: '' },
  })
  return modifiedCount
}

export async function removeWebhook(
  store: Store,
  { accountId, webhookId }: { accountId: string; webhookId: string },
): Promise<boolean> {
  const { deletedCount } = await store.webhooks.deleteOne({ accountId, _id: webhookId })
  return deletedCount === 1
}
