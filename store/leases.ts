/** Leases of messages: each verb is one conditional update, so that of many takers one gets it. */
import type { Store } from './open.ts'

type Lease = { readonly mailboxId: string; readonly messageId: string; readonly now: Date }

/** Takes or renews a lease; `owner.token` null renews whatever token took it. False when another holds it, or there is no such message. */
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

/** Ends the lease a key holds, or one whose time is over. False when another key holds it, or there is no such message. */
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
