/** Fills in the recipients and the subject of an answer where the caller leaves them out. */

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
  /** Id of the answered message in the mailbox. */
  readonly inReplyTo?: string
  /** Whether the answer also goes to every recipient of that message. */
  readonly replyAll?: boolean
}

/**
 * Fills in what the input of an answer leaves out: `to` with the sender of the answered message (or its Reply-To, once the
 * account is claimed), and the subject with "Re: ". With `replyAll`, all other recipients of the message are added to `cc`.
 * Entries of the message that are not valid addresses are skipped. Given fields are kept, even an empty list.
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

/** The input of a send that answers no message. Fails with `validation_error` if `replyAll` is set. */
export function withoutAnswer<I extends SendInput>(replyAll: boolean | undefined, input: I): I {
  if (replyAll === true)
    throw new Failure('validation_error', '"replyAll" needs "inReplyTo": there is no message to answer.', {
      param: 'replyAll',
      fix: 'Give the message_id of the message to answer as "inReplyTo", or leave "replyAll" out.',
    })
  return input
}

/** Marks a message as answered. The committed answer stands even if the message was moved or deleted in the meantime. */
export async function markAnswered(
  ctx: Context,
  principal: Principal,
  which: { readonly address: string; readonly messageId: string },
): Promise<void> {
  await changeMessage(ctx, principal, { ...which, answered: true }).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
  })
}

/** The recipients of an answer. Reply-To is used only if the mailbox's lists allow it (decisions.md 4, Loops). */
function sendersOf({ account }: Principal, mailbox: MailboxDoc, { from, replyTo }: MessageDoc): readonly Named[] {
  const addresses = replyTo.map(({ address }) => address)
  const usesReplyTo = !isUnclaimed(account) && replyTo.length > 0 && listRefusals(mailbox, addresses).size === 0
  if (usesReplyTo) return replyTo
  return from === null ? [] : [from]
}

/** Whether an entry can be a recipient: header fields of received mail may hold text that is not an address. */
const canBeWrittenTo = ({ address }: Named): boolean => normaliseAddress(address) !== null

const sameAs = (a: Named) => (b: Named) => a.address === b.address
