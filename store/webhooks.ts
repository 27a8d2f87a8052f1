/** Webhook endpoints. */
import type { WebhookDoc } from './documents/events.ts'
import type { Store } from './open.ts'

export async function insertWebhook(store: Store, webhook: WebhookDoc): Promise<void> {
  await store.webhooks.insertOne(webhook)
}

export function listWebhooks(
  store: Store,
  { accountId, keyId }: { accountId: string; keyId: string | null },
): Promise<WebhookDoc[]> {
  return store.webhooks
    .find({ accountId, ...(keyId !== null && { keyId }) })
    .sort({ accountId: -1, _id: -1 })
    .toArray()
}

export function findWebhook(
  store: Store,
  { accountId, webhookId }: { accountId: string; webhookId: string },
): Promise<WebhookDoc | null> {
  return store.webhooks.findOne({ accountId, _id: webhookId })
}

export function changeWebhook(
  store: Store,
  { accountId, webhookId, change }: { accountId: string; webhookId: string; change: Partial<WebhookDoc> },
): Promise<WebhookDoc | null> {
  return store.webhooks.findOneAndUpdate({ accountId, _id: webhookId }, { $set: change }, { returnDocument: 'after' })
}

/** Disables the endpoints that an agent key created. */
export async function disableWebhooks(
  store: Store,
  { accountId, agentKeyId }: { accountId: string; agentKeyId: string },
): Promise<void> {
  await store.webhooks.updateMany({ accountId, agentKeyId }, { $set: { enabled: false } })
}

/** Notes the time of the first failure since the last success; later failures do not change it. Returns that time. */
export async function markWebhookFailing(
  store: Store,
  { accountId, webhookId, at }: { accountId: string; webhookId: string; at: Date },
): Promise<Date> {
  await store.webhooks.updateOne({ accountId, _id: webhookId, failingSince: null }, { $set: { failingSince: at } })
  const webhook = await findWebhook(store, { accountId, webhookId })
  return webhook?.failingSince ?? at
}

export async function removeWebhook(
  store: Store,
  { accountId, webhookId }: { accountId: string; webhookId: string },
): Promise<boolean> {
  const { deletedCount } = await store.webhooks.deleteOne({ accountId, _id: webhookId })
  return deletedCount === 1
}
