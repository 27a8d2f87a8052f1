/** Makes documents for tests that write to collections directly. Each function takes only the fields that matter. */
import type { Context } from '../core/process/context.ts'
import { deriveId, newId } from '../schemas/ids.ts'
import type { NewMessage } from '../store/arrivals.ts'
import type { NewEvent } from '../store/events.ts'

/** Returns the content of a change note about messages. */
export async function toldOf({ store }: Pick<Context, 'store'>, ids: readonly string[]) {
  return { ids, mailboxIds: await store.messages.distinct('mailboxId', { _id: { $in: [...ids] } }) }
}

/** A message of 10 bytes without a header field, unseen, alone in its thread. */
export function messageDoc(
  fields: Pick<NewMessage, 'accountId' | 'mailboxId' | 'folderId' | 'receivedAt'> & Partial<NewMessage>,
): NewMessage {
  const _id = fields._id ?? newId('msg', fields.receivedAt)
  const sizeBytes = fields.blob?.sizeBytes ?? 10
  return {
    _id,
    mailbox: 'a@b.example',
    threadId: deriveId('thr', _id, 'thread'),
    from: null,
    to: [],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: null,
    snippet: null,
    date: null,
    inReplyTo: null,
    references: [],
    seen: false,
    flagged: false,
    answered: false,
    attachments: [],
    encrypted: null,
    sizeBytes,
    blob: { id: newId('blb', fields.receivedAt), chunks: 1, sizeBytes },
    trace: '',
    deliveredTo: null,
    ...fields,
  }
}

/** Makes an event `message.received` without data. The id is derived from the name. */
export function eventDoc(accountId: string, name: string, createdAt: Date): NewEvent {
  return {
    _id: deriveId('evt', accountId, name),
    accountId,
    type: 'message.received',
    createdAt,
    mailbox: null,
    mailboxId: null,
    domain: null,
    data: {},
  }
}
