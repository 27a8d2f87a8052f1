/** Messages in wire form. */
import type { Message } from '../core/mailbox/messages.ts'
import { madeOnce } from '../core/process/made-once.ts'
import type { FullMessage as Whole } from '../core/read/bodies.ts'
import { trustRecord } from '../core/receive/trust.ts'
import { verificationRecord } from '../core/receive/verification-record.ts'
import type { WaitedMessage as Waited } from '../core/wait/wait.ts'
import type { FullMessage, MessageSummary, WaitedMessage } from '../schemas/messages.ts'
import type { Cut } from './bodies.ts'
import { shared } from './shared-json.ts'

/** The fields of a message that a tool returns after changing it. */
export const changedFields = ['message_id', 'mailbox', 'thread_id', 'folder', 'seen', 'flagged', 'answered', 'labels']

/** A message in lists (decisions.md 2, Message summary). */
export function messageSummary(message: Message): MessageSummary {
  const { id, mailbox, threadId, folder, from, to, cc, subject, snippet, receivedAt, sizeBytes } = message
  const { seen, flagged, answered, labels, attachments } = message
  return {
    message_id: id,
    mailbox,
    thread_id: threadId,
    folder,
    from,
    to,
    cc,
    subject,
    snippet,
    received_at: receivedAt.toISOString(),
    size: sizeBytes,
    seen,
    flagged,
    answered,
    labels,
    attachments: attachments.map((each) => ({
      id: each.id,
      name: each.name,
      content_type: each.contentType,
      size: each.sizeBytes,
      inline: each.inline,
      content_id: each.contentId,
    })),
  }
}

/** The messages of a list, converted once for all callers who receive the same list. */
export const messageSummaries = madeOnce((messages: readonly Message[]): readonly MessageSummary[] =>
  shared(messages.map(messageSummary)),
)

/** A message in full (decisions.md 2, Full message). */
export function fullMessage(message: Whole, { next, ...bodies }: Cut, hasHeaders: boolean): FullMessage {
  const { bcc, replyTo, inReplyTo, references, headers, trust, verification, hidden, encrypted, truncated } = message
  return {
    ...messageSummary(message),
    bcc,
    reply_to: replyTo,
    in_reply_to: inReplyTo,
    references,
    ...bodies,
    ...(hasHeaders && { headers }),
    trust: trust === undefined ? null : trustRecord(trust),
    verification: verification === undefined ? null : verificationRecord(verification),
    ...(hidden !== undefined && { hidden }),
    encrypted,
    truncated: truncated || next !== null,
    next,
  }
}

/** A message as a wait returns it, converted once for all who waited for it. */
export const waitedMessage = madeOnce((message: Waited): WaitedMessage => {
  const { trust, verification } = message
  return shared({
    ...messageSummary(message),
    trust: trust === undefined ? null : trustRecord(trust),
    verification: verification === undefined ? null : verificationRecord(verification),
  })
})
