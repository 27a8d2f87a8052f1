/**
 * Spam lessons: for each address that was marked, whether its mail belongs in Spam. An address marked as not spam
 * counts only while its domain is authenticated, so that a forged From cannot use it.
 */
import type { Lesson, MailboxDoc } from '../../store/documents/mail.ts'
import { addLesson } from '../../store/mailboxes.ts'
import type { Context } from '../process/context.ts'
import { addressesChanged } from './known-mailboxes.ts'

/** Lessons kept per mailbox, the newest ones: all of them are read for each mail. */
const lessonsMax = 300

/** Adds a lesson: mail from an address is spam, or is not. */
export async function addSpamLesson(
  ctx: Context,
  { accountId, _id: mailboxId, address: mailbox }: MailboxDoc,
  { address, spam }: { address: string; spam: boolean },
): Promise<void> {
  const lesson = { address, spam, at: ctx.clock.now() }
  await addLesson(ctx.store, { accountId, mailboxId, lesson, max: lessonsMax })
  addressesChanged(ctx, [mailbox])
}

/**
 * What the lessons say about mail from these authors: spam if any author was marked as spam; not spam ('ham') only if
 * the first author was.
 */
export function spamLessonFor(
  lessons: readonly Lesson[],
  { authors, authenticated }: { authors: readonly string[]; authenticated: boolean },
): 'spam' | 'ham' | null {
  if (lessons.some(({ address, spam }) => spam && authors.includes(address))) return 'spam'
  const isWelcome = lessons.some(({ address, spam }) => !spam && address === authors[0])
  return isWelcome && authenticated ? 'ham' : null
}
