/** What follows from arrivals besides their announcement: the Intake records of watched mailboxes, and automatic replies. */
import type { MessageDoc } from '../../store/documents/mail.ts'
import { deriveRecords } from '../intake/derive.ts'
import type { BeforeRemoval } from '../mailbox/bulk-changes.ts'
import type { Context } from '../process/context.ts'
import { announceLeaving } from '../receive/announce.ts'
import { replyToArrivals } from '../send/auto-replies.ts'

/** Begins the Intake records and automatic replies of newly committed messages. Resolves when they are begun. Safe to repeat. */
export async function followArrivals(ctx: Context, messages: readonly MessageDoc[]): Promise<void> {
  await Promise.all([deriveRecords(ctx, messages), replyToArrivals(ctx, messages)])
}

/** Makes the step before messages of an account are deleted for good: those not announced yet are announced and followed first. */
export function arrivalsFirst(ctx: Context, accountId: string): BeforeRemoval {
  return (messages) => announceLeaving(ctx, accountId, messages, followArrivals)
}
