/** Leases of messages. Each function is one conditional update, so that only one of several callers gets a lease. */
import type { Store } from './open.ts'

type Lease = { readonly mailboxId: string; readonly messageId: string; readonly now: Date }

/**
 * Takes or renews a lease. With `owner.token` null, a lease of the same key is renewed whatever its token. Returns false when another
 * key or token holds the lease, or there is no such message.
 */
export async function leaseMessage(
  store: Store,
  {
    mailboxId,
    messageId,
    owner,
    until,
    now,
  }: Lease & { owner: { readonly keyId: string; readonly token: string | null }; until: Date },
): Promise<boolean> {
  const { keyId, token } = owner
  const { matchedCount } = await store.messages.updateOne(
    {
      mailboxId,
      _id: messageId,
      $or: [
        { lease: { $exists: false } },
        { 'lease.until': { $lte: now } },
        { 'lease.keyId': keyId, ...(token !== null && { 'lease.token': token }) },
      ],
    },
    { $set: { lease: { keyId, token, until } } },
  )
  return matchedCount === 1
}

/**
 * Releases a lease that the key holds, or that has expired. Returns false when another key holds it, or there is no such
 * message.
 */
export async function releaseMessage(
  store: Store,
  { mailboxId, messageId, keyId, now }: Lease & { keyId: string },
): Promise<boolean> {
  const { matchedCount } = await store.messages.updateOne(
    {
      mailboxId,
      _id: messageId,
      $or: [{ lease: { $exists: false } }, { 'lease.until': { $lte: now } }, { 'lease.keyId': keyId }],
    },
    { $unset: { lease: '' } },
  )
  return matchedCount === 1
}
