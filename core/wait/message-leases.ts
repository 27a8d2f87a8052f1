/**
 * Leases of messages, so that two workers never answer the same mail. Taking a lease is one conditional update of the
 * message. A lease belongs to a key and, if it was taken with one, to a token. A caller with a token (a waiter) gets
 * only a message without a lease, not even one leased to its own key; a caller without a token renews and releases all
 * leases of its key, also those of waiters.
 */
import { Failure } from '../../schemas/failures.ts'
import { noMessage } from '../../schemas/refusals.ts'
import { leaseMessage, releaseMessage } from '../../store/leases.ts'
import { findMessage } from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/**
 * Who takes a lease. Each waiter of a key has a token of its own, so that each gets its own message (schemas/ids.ts,
 * newToken).
 */
export type ClaimOwner = { readonly keyId: string; readonly token: string | null }

export const claimSecondsMax = 3_600

/**
 * Takes the lease of a message until a time, or renews it. Returns whether the owner now holds it: false when another
 * holds it or the message does not exist. An expired lease can be taken.
 */
export function takeLease(
  ctx: Context,
  { mailboxId, messageId, owner, until }: { mailboxId: string; messageId: string; owner: ClaimOwner; until: Date },
): Promise<boolean> {
  return leaseMessage(ctx.store, { mailboxId, messageId, owner, until, now: ctx.clock.now() })
}

/**
 * Leases a message for `ttlSeconds` from now. Fails with `mailbox_not_found`, `not_found`, `conflict` (another key
 * holds the lease).
 */
export async function claim(
  ctx: Context,
  principal: Principal,
  { address, messageId, ttlSeconds }: { address: string; messageId: string; ttlSeconds: number },
): Promise<{ messageId: string; until: Date }> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const until = after(ctx.clock.now(), ttlSeconds * secondMs)
  const owner = { keyId: principal.keyId, token: null }
  if (!(await takeLease(ctx, { mailboxId: mailbox._id, messageId, owner, until })))
    throw await refusal(ctx, mailbox, messageId)
  return { messageId, until }
}

/** Releases the lease of a message; without a lease it does nothing. Fails as `claim` does. */
export async function releaseClaim(
  ctx: Context,
  principal: Principal,
  { address, messageId }: { address: string; messageId: string },
): Promise<void> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const released = await releaseMessage(ctx.store, {
    mailboxId: mailbox._id,
    messageId,
    keyId: principal.keyId,
    now: ctx.clock.now(),
  })
  if (!released) throw await refusal(ctx, mailbox, messageId)
  ctx.changes.publish({ kind: 'freed', mailboxId: mailbox._id, messageId })
}

async function refusal(
  ctx: Context,
  { _id: mailboxId, address }: { readonly _id: string; readonly address: string },
  messageId: string,
): Promise<Failure> {
  return (await findMessage(ctx.store, { mailboxId, messageId })) === null
    ? noMessage(messageId, address)
    : new Failure('conflict', `Another key holds the lease of message ${messageId}.`, {
        fix: 'Take another message, or wait until the lease is released or expires.',
      })
}
