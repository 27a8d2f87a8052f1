/**
 * What a mailbox was taught about its spam: for an address, whether its mail belongs into Spam. Who was marked as good is
 * believed only when the domain is authenticated, so that nobody gets in under a good name.
 */
import type { Lesson, MailboxDoc } from '../../store/documents/mail.ts'
import { addLesson } from '../../store/mailboxes.ts'
import type { Context } from '../process/context.ts'

/** Addresses a mailbox remembers, the newest: they are read for each mail. */
const lessonsMax = 300

/** Teaches a mailbox that mail from an address is spam or not. */
export async function teach(
  ctx: Context,
  { accountId, _id: mailboxId, address: mailbox }: MailboxDoc,
  { address, spam }: { address: string; spam: boolean },
): Promise<void> {
  const lesson = { address, spam, at: ctx.clock.now() }
  await addLesson(ctx.store, { accountId, mailboxId, lesson, max: lessonsMax })
  ctx.changes.publish({ kind: 'address', addresses: [mailbox] })
}

/** What a mailbox was taught about mail of these authors: spam of one is enough, and none but the first speaks for it. */
export function lessonOn(
  lessons: readonly Lesson[],
  { authors, authenticated }: { authors: readonly string[]; authenticated: boolean },
): 'spam' | 'ham' | null {
  if (lessons.some(({ address, spam }) => spam && authors.includes(address))) return 'spam'
  const isWelcome = lessons.some(({ address, spam }) => !spam && address === authors[0])
  return isWelcome && authenticated ? 'ham' : null
}
