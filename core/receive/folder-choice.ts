/**
 * Decides into which folder of each mailbox a message goes, and whether any mailbox accepts it (decisions.md 2,
 * Mailboxes; 3, Verdict).
 */
import { Failure } from '../../schemas/failures.ts'
import { receiveRule, type Sender } from '../mailbox/sender-lists.ts'
import { spamLessonFor } from '../mailbox/spam-lessons.ts'
import type { RecipientMailbox } from './recipient-cache.ts'
import type { Verdict } from './sender-verdict.ts'

export type Origin = {
  /** Reverse-path of the envelope; '' is the null sender. */
  readonly reversePath: string
  /** The addresses in From, usually one. */
  readonly authors: readonly string[]
  /** Absent when the sender was not verified: then nobody is authenticated. */
  readonly verdict?: Verdict
  /** Whether this service wrote the mail, about mail of the mailbox: the lists apply only to what others write. */
  readonly isOurs?: boolean
}

/**
 * Returns a folder id for each mailbox, in their order. When at least one mailbox accepts the sender, those that refuse
 * it get the message in Spam. Fails with `forbidden` (550 5.7.1) when no mailbox accepts the sender, and with
 * `unavailable` (451) when the answer depends on a domain that could not be authenticated because the DNS did not answer.
 */
export function foldersFor(mailboxes: readonly RecipientMailbox[], origin: Origin): readonly string[] {
  const sender = senderOf(origin)
  const rules = mailboxes.map((mailbox) => (origin.isOurs === true ? 'take' : receiveRule(mailbox, sender)))
  if (rules.includes('perhaps'))
    throw new Failure('unavailable', 'The sender could not be authenticated right now; please try again later.')
  if (!rules.includes('take'))
    throw new Failure('forbidden', 'The recipient does not accept mail from this sender.', {
      fix: 'Ask the recipient to accept you: the lists "receiveAllow" and "receiveBlock" of the mailbox decide it.',
    })
  return mailboxes.map((mailbox, n) =>
    rules[n] === 'take' && !isSpam(mailbox, origin) ? mailbox.inboxId : mailbox.spamId,
  )
}

function isSpam({ lessons }: RecipientMailbox, { authors, verdict }: Origin): boolean {
  const lesson = spamLessonFor(lessons, {
    authors,
    authenticated: typeof verdict?.authentication.alignedFrom === 'string',
  })
  if (verdict?.suspicion === 'policy' || lesson === 'spam') return true
  return verdict?.suspicion === 'filter' && lesson !== 'ham'
}

function senderOf({ reversePath, authors, verdict }: Origin): Sender {
  const { alignedFrom = null, perhapsAligned = false } = verdict?.authentication ?? {}
  return { reversePath, authors, authenticated: alignedFrom !== null ? 'yes' : perhapsAligned ? 'perhaps' : 'no' }
}
