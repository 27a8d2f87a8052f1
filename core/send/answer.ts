/** Whom an answer goes to, and its subject, where its sender does not say. */

import { replySubject } from '../../mail/compose/compose.ts'
import { normaliseAddress, withoutTag } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { MailboxDoc, MessageDoc, Named } from '../../store/documents/mail.ts'
import { isUnclaimed } from '../access/account-record.ts'
import type { Principal } from '../access/principal.ts'
import { changeMessage } from '../mailbox/message-changes.ts'
import { listRefusals } from '../mailbox/sender-lists.ts'
import type { Context } from '../process/context.ts'
import type { SendInput } from './content.ts'

export type Answering = {
  /** Id of the message in the mailbox that is answered. */
  readonly inReplyTo?: string
  /** Whether everybody whom that message went to gets the answer too. */
  readonly replyAll?: boolean
}

/**
 * The input of a send with what it leaves out filled in from the message that it answers: `to` with its sender (or its
 * Reply-To, once the account is claimed), the subject with "Re: ". With `replyAll` everybody whom the message went to stands in
 * `cc`. What is no address there is left out; what is given stays, also an empty list.
 */
export function answerTo<I extends SendInput>(
  principal: Principal,
  {
    mailbox,
    message,
    replyAll = false,
    input,
  }: { mailbox: MailboxDoc; message: MessageDoc; replyAll?: boolean; input: I },
): I {
  const isOwn = (named: Named) => withoutTag(normaliseAddress(named.address) ?? '').base === mailbox.address
  const senders = sendersOf(principal, mailbox, message).filter(canBeWrittenTo)
  const recipients = message.to.filter(canBeWrittenTo)
  // An answer to a message from this mailbox goes to the recipients of that message.
  const isFromHere = senders.length > 0 && senders.every(isOwn)
  const to = input.to ?? (isFromHere && recipients.length > 0 ? recipients : senders)
  const others = replyAll
    ? [...(input.to === undefined ? [] : senders), ...recipients, ...message.cc.filter(canBeWrittenTo)].filter(
        (named) => !isOwn(named) && !to.some(sameAs(named)),
      )
    : []
  return {
    ...input,
    to,
    ...((input.cc !== undefined || others.length > 0) && { cc: [...(input.cc ?? []), ...others] }),
    subject: input.subject ?? replySubject(message.subject),
  }
}

/** The input of what answers nothing. Fails with `validation_error` where it is to go to all of nothing. */
export function withoutAnswer<I extends SendInput>(replyAll: boolean | undefined, input: I): I {
  if (replyAll === true)
    throw new Failure('validation_error', '"replyAll" needs a message that is answered.', {
      param: 'replyAll',
      fix: 'Give the message_id of the message to answer as "inReplyTo", or leave "replyAll" out.',
    })
  return input
}

/** Marks a message as answered. An answer that is committed stands even when the message was moved or deleted meanwhile. */
export async function markAnswered(
  ctx: Context,
  principal: Principal,
  which: { readonly address: string; readonly messageId: string },
): Promise<void> {
  await changeMessage(ctx, principal, { ...which, answered: true }).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
  })
}

/** Who gets an answer: Reply-To only where the lists let the mailbox send to it (decisions.md 4, Loops). */
function sendersOf({ account }: Principal, mailbox: MailboxDoc, { from, replyTo }: MessageDoc): readonly Named[] {
  const addresses = replyTo.map(({ address }) => address)
  const usesReplyTo = !isUnclaimed(account) && replyTo.length > 0 && listRefusals(mailbox, addresses).size === 0
  if (usesReplyTo) return replyTo
  return from === null ? [] : [from]
}

/** What stands in the header of a stranger's mail is not always an address. */
const canBeWrittenTo = ({ address }: Named): boolean => normaliseAddress(address) !== null

const sameAs = (a: Named) => (b: Named) => a.address === b.address
