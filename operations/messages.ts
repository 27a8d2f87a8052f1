import { markSpam } from '../core/mailbox/mark-spam.ts'
import { changeMessage, deleteMessage as remove } from '../core/mailbox/message-changes.ts'
import { linkToAttachment } from '../core/read/attachment-links.ts'
import { rawMessage, readAttachment, readMessage, readText } from '../core/read/bodies.ts'
import { readDocument } from '../core/read/html-document.ts'
import { listMessages as list } from '../core/read/list.ts'
import { arrivalsFirst } from '../core/upkeep/arrivals.ts'
import { AddressPart, AttachmentId, identifier, MessageId, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import {
  boolean,
  described,
  extended,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from '../schemas/infer.ts'
import {
  FolderPath,
  FullMessage,
  Labels,
  MessageSummary,
  messageFilterNames,
  messageFilters,
  messageViews,
} from '../schemas/messages.ts'
import { cutBodies, positionIn } from './bodies.ts'
import { bytes, operation } from './registry.ts'
import { changedFields, fullMessage, messageSummaries, messageSummary } from './summaries.ts'

export const listMessages = operation({
  name: 'messages.list',
  summary: 'Messages of a mailbox, newest first.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/messages',
  tools: [
    {
      name: 'list_messages',
      description:
        'Message summaries, newest first, of ALL folders (Sent, Drafts, Spam and Trash too) unless folder names one (inbox: received mail). To find words use search_messages, for mail yet to come wait_for_message.',
      toolset: 'mail',
      effect: 'read',
      expose: ['address', ...messageFilterNames, 'since', 'limit', 'before'],
      preset: { limit: 20 },
      sizedBy: 'limit',
    },
  ],
  input: object({
    address: AddressPart,
    ...messageFilters,
    since: optional(timestamp({ description: 'Stored at this time or later.' })),
    ...paging,
  }),
  output: extended(page('messages', MessageSummary), {
    cursor: string({ description: 'Current position of the mailbox, to pass as "since" of a wait.' }),
  }),
  errors: ['not_found', 'agent_inbox_only'],
  async handle({ ctx, principal }, { thread_id, has_attachment, since, until, limit = pageSizeDefault, ...filters }) {
    const { items, next, cursor } = await list(ctx, principal, {
      ...filters,
      limit,
      threadId: thread_id,
      hasAttachment: has_attachment,
      ...(since !== undefined && { since: new Date(since) }),
      ...(until !== undefined && { until: new Date(until) }),
    })
    return { messages: messageSummaries(items), next, cursor }
  },
})

export const getMessage = operation({
  name: 'messages.get',
  summary: 'One message in full: headers, body, attachments. Reading it changes no flag.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/messages/{message_id}',
  tools: [
    {
      name: 'read_message',
      description:
        'Read one message; no flag changes. To continue a cut body pass next as cursor. Files: get_attachment; the conversation: get_thread.',
      toolset: 'mail',
      effect: 'read',
      expose: ['address', 'message_id', 'view', 'max_chars', 'cursor', 'attachment_id'],
      preset: { view: 'text', max_chars: 20_000 },
      sizedBy: 'max_chars',
    },
  ],
  input: object({
    address: AddressPart,
    message_id: MessageId,
    view: optional(
      oneOf(messageViews, {
        default: 'full',
        description:
          'headers: no body; reply: without quoted history; text: all text; markdown: with links and tables; full: also HTML and headers.',
      }),
    ),
    max_chars: optional(integer({ minimum: 1, maximum: 10_000_000, description: 'Most characters of each body.' })),
    cursor: optional(string({ maxLength: 1_000, description: 'next of the answer whose body was cut.' })),
    attachment_id: optional(identifier('Read this attached message (message/rfc822) instead.')),
  }),
  output: FullMessage,
  errors: ['not_found'],
  async handle({ ctx, principal }, { address, message_id, view, max_chars, cursor, attachment_id }) {
    const from = positionIn(cursor)
    const message = await readMessage(ctx, principal, {
      address,
      messageId: message_id,
      view,
      attachmentId: attachment_id,
    })
    const hasHeaders = view === undefined || view === 'headers' || view === 'full'
    return fullMessage(message, cutBodies(message, { from, maxChars: max_chars }), hasHeaders)
  },
})

export const getRawMessage = operation({
  name: 'messages.raw',
  summary: 'The message byte for byte as received; with trace=true our trace headers in front.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/messages/{message_id}/raw',
  input: object({
    address: AddressPart,
    message_id: MessageId,
    trace: optional(boolean({ description: 'Put our Return-Path, Received and Authentication-Results in front.' })),
  }),
  output: bytes('message/rfc822', 'The raw message.'),
  errors: ['not_found'],
  async handle({ ctx, principal }, { address, message_id, trace }) {
    const { content, version } = await rawMessage(ctx, principal, { address, messageId: message_id, trace })
    return { content, version, contentType: 'message/rfc822', name: `${message_id}.eml` }
  },
})

export const getMessageDocument = operation({
  name: 'messages.html',
  summary:
    'The body as an HTML document to frame in a page of this service, with a content security policy under which nothing runs and nothing loads from elsewhere.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/messages/{message_id}/html',
  input: object({
    address: AddressPart,
    message_id: MessageId,
    attachment_id: optional(identifier('Show this attached message (message/rfc822) instead.')),
  }),
  output: bytes('text/html', 'The sanitised HTML, or the text if there is no HTML, as UTF-8.'),
  errors: ['not_found'],
  async handle({ ctx, principal }, { address, message_id, attachment_id }) {
    const which = { address, messageId: message_id, attachmentId: attachment_id }
    return { ...(await readDocument(ctx, principal, which)), contentType: 'text/html', name: null }
  },
})

export const getAttachment = operation({
  name: 'messages.attachment',
  summary: 'The bytes of one attachment.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/messages/{message_id}/attachments/{attachment_id}',
  tools: [
    {
      name: 'get_attachment',
      description:
        'Fetch one file of a message: text as text, others up to 1 MB embedded, larger ones as a link for 15 minutes. For attached messages use read_message with attachment_id.',
      toolset: 'mail',
      effect: 'read',
      expose: ['address', 'message_id', 'attachment_id'],
    },
  ],
  input: object({ address: AddressPart, message_id: MessageId, attachment_id: AttachmentId }),
  output: bytes('*/*', 'The decoded attachment, with its own content type.'),
  errors: ['not_found'],
  async handle({ ctx, principal }, { address, message_id, attachment_id }) {
    const which = { address, messageId: message_id, attachmentId: attachment_id }
    const file = await readAttachment(ctx, principal, which)
    const { name, contentType, content, version } = file
    const link = () => linkToAttachment(ctx, principal, which)
    return { name, contentType, content, version, text: (piece) => readText(ctx, file, piece), link }
  },
})

export const updateMessage = operation({
  name: 'messages.update',
  summary: 'Flag, label or move one message, or mark it as spam or not spam.',
  scope: 'mail:write',
  http: 'PATCH /api/v1/mailboxes/{address}/messages/{message_id}',
  tools: [
    {
      name: 'flag_message',
      description: 'Mark one message as seen, flagged or answered, or not. For a whole folder use mark_all_read.',
      toolset: 'mail',
      effect: 'write',
      expose: ['address', 'message_id', 'seen', 'flagged', 'answered'],
      shows: changedFields,
    },
    {
      name: 'label_message',
      description: 'Add labels to a message, or remove some; new ones are created. Those in use: list_labels.',
      toolset: 'mail',
      effect: 'write',
      expose: ['address', 'message_id', 'addLabels', 'removeLabels'],
      shows: changedFields,
    },
    {
      name: 'mark_spam',
      description:
        'Mark a message as spam (or not, with spam false), which trains the mailbox. To just put it away use move_message.',
      toolset: 'mail',
      effect: 'write',
      expose: ['address', 'message_id', 'spam'],
      shows: changedFields,
      describe: { spam: 'Whether it is spam.' },
      preset: { spam: true },
    },
    {
      name: 'move_message',
      description: 'Move a message to another folder; its id stays. To delete use delete_message, for spam mark_spam.',
      toolset: 'mail',
      effect: 'write',
      expose: ['address', 'message_id', 'folder'],
      shows: changedFields,
      describe: { folder: 'Its path, or a role such as archive.' },
      require: ['folder'],
    },
  ],
  input: object({
    address: AddressPart,
    message_id: MessageId,
    seen: optional(boolean({ description: 'Whether it counts as read.' })),
    flagged: optional(boolean({ description: 'Whether it is marked as important.' })),
    answered: optional(boolean({ description: 'Whether it was answered.' })),
    folder: optional(FolderPath),
    addLabels: optional(described('Labels to put on it.', Labels)),
    removeLabels: optional(described('Labels to take off it.', Labels)),
    spam: optional(
      boolean({
        description:
          'Moves the message to Spam or back, and trains the mailbox about the sender. Not together with folder.',
      }),
    ),
  }),
  output: MessageSummary,
  errors: ['not_found', 'agent_inbox_only', 'conflict'],
  async handle({ ctx, principal }, { address, message_id: messageId, spam, ...change }) {
    const what = { address, messageId, ...change }
    return messageSummary(
      spam === undefined
        ? await changeMessage(ctx, principal, what)
        : await markSpam(ctx, principal, { ...what, spam }),
    )
  },
})

export const deleteMessage = operation({
  name: 'messages.delete',
  summary: 'Move a message to Trash; with permanent=true, or if it is already in Trash, delete it permanently.',
  scope: 'mail:write',
  http: 'DELETE /api/v1/mailboxes/{address}/messages/{message_id}',
  tools: [
    {
      name: 'delete_message',
      description:
        'Move a message to Trash (restore_message works for 30 days); one already in Trash is deleted permanently. For drafts use delete_draft.',
      toolset: 'mail',
      effect: 'discard',
      expose: ['address', 'message_id', 'permanent'],
    },
  ],
  input: object({
    address: AddressPart,
    message_id: MessageId,
    permanent: optional(boolean({ description: 'Skip the Trash.' })),
  }),
  output: object({
    deleted: boolean({ const: true }),
    folder: nullable(string({ description: 'Where it is now; null: deleted permanently.' })),
  }),
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal }, { address, message_id, permanent }) {
    const what = { address, messageId: message_id, permanent }
    const { folder } = await remove(ctx, principal, what, arrivalsFirst(ctx, principal.accountId))
    return { deleted: true, folder }
  },
})
