/** Into which folder of each mailbox a message goes, and whether anybody takes it (decisions.md 2, Mailboxes; 3, Verdict). */
import { Failure } from '../../schemas/failures.ts'
import { receiveRule, type Sender } from '../mailbox/sender-lists.ts'
import { spamLessonFor } from '../mailbox/spam-lessons.ts'
import type { RecipientMailbox } from './recipient-cache.ts'
import type { Verdict } from './sender-verdict.ts'

export type Origin = {
  /** '' is the null sender. */
  readonly reversePath: string
  /** Whom From names, usually one. */
  readonly authors: readonly string[]
  /** Absent: nothing was looked at, nobody is authenticated. */
  readonly verdict?: Verdict
}

/**
 * The folder ids, in the order of the mailboxes. Who refuses the sender gets it in Spam when somebody else takes it. Fails
 * with `forbidden` (550 5.7.1) when nobody does, and with `unavailable` (451) when that depends on a domain that the DNS
 * kept from being authenticated.
 */
export function foldersFor(mailboxes: readonly RecipientMailbox[], origin: Origin): readonly string[] {
  const sender = senderOf(origin)
  const rules = mailboxes.map((mailbox) => receiveRule(mailbox, sender))
  if (rules.includes('perhaps'))
    throw new Failure('unavailable', 'The sender could not be authenticated now; please try again later.')
  if (!rules.includes('take')) throw new Failure('forbidden', 'This sender is not welcome here.')
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
