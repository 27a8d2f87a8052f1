/** What follows from arrivals beside their announcement: the records of watched mailboxes, and automatic replies. */
import type { MessageDoc } from '../../store/documents/mail.ts'
import { deriveRecords } from '../intake/derive.ts'
import type { BeforeRemoval } from '../mailbox/bulk-changes.ts'
import type { Context } from '../process/context.ts'
import { announceLeaving } from '../receive/announce.ts'
import { replyToArrivals } from '../send/auto-replies.ts'

/** Begins what follows from messages that were just committed. Resolves when it is begun; doing it twice changes nothing. */
export async function followArrivals(ctx: Context, messages: readonly MessageDoc[]): Promise<void> {
  await Promise.all([deriveRecords(ctx, messages), replyToArrivals(ctx, messages)])
}

/** What is done before messages of an account are deleted for good: those that nobody has announced yet are announced and followed. */
export function arrivalsFirst(ctx: Context, accountId: string): BeforeRemoval {
  return (messages) => announceLeaving(ctx, accountId, messages, followArrivals)
}
