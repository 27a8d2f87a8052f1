import { readMessage } from '../core/read/bodies.ts'
import { listMessages } from '../core/read/list.ts'
import {
  createDraft as create,
  reachDraft,
  reachDraftsOf,
  deleteDraft as remove,
  sendDraft as send,
  updateDraft as update,
} from '../core/send/drafts.ts'
import { AddressPart, Deleted, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object } from '../schemas/infer.ts'
import { type FullMessage as Draft, FullMessage, MessageSummary } from '../schemas/messages.ts'
import { DraftId, draftFields, SendResult, sendDraftFields } from '../schemas/sending.ts'
import { peopleOf, withCorrectedParam } from './addresses.ts'
import { cutBodies } from './bodies.ts'
import { type Call, operation } from './registry.ts'
import { contentOf, sendErrors, sendResult } from './sending.ts'
import { fullMessage, messageSummary } from './summaries.ts'

const draftErrors = [
  'not_found',
  'agent_inbox_only',
  'invalid_sender',
  'domain_not_on_account',
  'unprocessable',
] as const

/** The fields of a draft that a tool returns after writing it: the caller has just given the others. */
const draftShown = ['message_id', 'mailbox', 'thread_id', 'folder', 'to', 'cc', 'subject', 'attachments']

/** Arguments shared with send_message, whose descriptions a model sees as well. */
const describe = Object.fromEntries(
  ['attachments', 'from', 'inReplyTo', 'markdown', 'replyAll'].map((name) => [name, 'As in send_message.']),
)
/** The fields of a draft that a tool can set; the others are for programs. */
const draftExposed = ['inReplyTo', 'replyAll', 'to', 'cc', 'bcc', 'from', 'subject', 'text', 'markdown', 'attachments']

export const listDrafts = operation({
  name: 'drafts.list',
  summary: 'Drafts of a mailbox, newest first.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/drafts',
  tools: [
    {
      name: 'list_drafts',
      description: 'Drafts, newest first; read one with read_message. Scheduled sends: list_scheduled.',
      effect: 'read',
      expose: ['address', 'limit', 'before'],
      preset: { limit: 20 },
      sizedBy: 'limit',
    },
  ],
  input: object({ address: AddressPart, ...paging }),
  output: page('drafts', MessageSummary),
  errors: ['agent_inbox_only'],
  async handle({ ctx, principal }, { address, limit = pageSizeDefault, before }) {
    await reachDraftsOf(ctx, principal, address)
    const where = { address, folder: 'drafts', limit, ...(before !== undefined && { before }) }
    const { items, next } = await listMessages(ctx, principal, where)
    return { drafts: items.map(messageSummary), next }
  },
})

export const createDraft = operation({
  name: 'drafts.create',
  summary: 'Save a draft: a message in Drafts, which may be incomplete until it is sent.',
  scope: 'mail:send',
  http: 'POST /api/v1/mailboxes/{address}/drafts',
  status: 201,
  tools: [
    {
      name: 'create_draft',
      description:
        'Save a mail for a person to see first, or an unfinished one. Send it with send_draft; to send at once use send_message.',
      effect: 'create',
      expose: ['address', ...draftExposed],
      describe,
      shows: draftShown,
    },
  ],
  input: object({ address: AddressPart, ...draftFields }),
  output: FullMessage,
  errors: [...draftErrors, 'attachments_too_large'],
  body: 'send',
  idempotent: true,
  handle: (call, { address, inReplyTo, replyAll, to, ...content }) =>
    withCorrectedParam({ to, ...content }, async () => {
      const what = { address, inReplyTo, replyAll, to: peopleOf(to), ...(await contentOf(call.ctx, content)) }
      return draftOf(call, { address, draft_id: await create(call.ctx, call.principal, what) })
    }),
})

export const getDraft = operation({
  name: 'drafts.get',
  summary: 'One draft in full.',
  scope: 'mail:send',
  http: 'GET /api/v1/mailboxes/{address}/drafts/{draft_id}',
  input: object({ address: AddressPart, draft_id: DraftId }),
  output: FullMessage,
  errors: ['not_found', 'agent_inbox_only'],
  handle: (call, which) => draftOf(call, which),
})

export const updateDraft = operation({
  name: 'drafts.update',
  summary:
    'Change the fields that are given; the others and the id stay. Text or HTML given alone replaces the whole body.',
  scope: 'mail:send',
  http: 'PATCH /api/v1/mailboxes/{address}/drafts/{draft_id}',
  tools: [
    {
      name: 'update_draft',
      description:
        'Change the fields of a draft that you give; the others and its id stay. New text replaces the whole body.',
      effect: 'write',
      expose: ['address', 'draft_id', ...draftExposed],
      describe,
      shows: draftShown,
    },
  ],
  input: object({ address: AddressPart, draft_id: DraftId, ...draftFields }),
  output: FullMessage,
  errors: [...draftErrors, 'attachments_too_large', 'conflict'],
  body: 'send',
  handle: (call, { address, draft_id, inReplyTo, replyAll, to, ...content }) =>
    withCorrectedParam({ to, ...content }, async () => {
      const what = {
        address,
        draftId: draft_id,
        inReplyTo,
        replyAll,
        to: peopleOf(to),
        ...(await contentOf(call.ctx, content)),
      }
      await update(call.ctx, call.principal, what)
      return draftOf(call, { address, draft_id })
    }),
})

export const deleteDraft = operation({
  name: 'drafts.delete',
  summary: 'Delete a draft permanently.',
  scope: 'mail:send',
  http: 'DELETE /api/v1/mailboxes/{address}/drafts/{draft_id}',
  tools: [
    {
      name: 'delete_draft',
      description: 'Delete a draft permanently. For other messages use delete_message.',
      effect: 'discard',
      expose: ['address', 'draft_id'],
    },
  ],
  input: object({ address: AddressPart, draft_id: DraftId }),
  output: Deleted,
  errors: ['not_found', 'agent_inbox_only'],
  async handle({ ctx, principal }, { address, draft_id }) {
    await remove(ctx, principal, { address, draftId: draft_id })
    return { deleted: true }
  },
})

export const sendDraft = operation({
  name: 'drafts.send',
  summary: 'Send a draft, now or at a given time, and remove it.',
  scope: 'mail:send',
  http: 'POST /api/v1/mailboxes/{address}/drafts/{draft_id}/send',
  status: 202,
  tools: [
    {
      name: 'send_draft',
      description: 'Send a draft unchanged, now or at sendAt, and remove it. To edit it first use update_draft.',
      effect: 'send',
      expose: ['address', 'draft_id', 'sendAt'],
    },
  ],
  input: object({ address: AddressPart, draft_id: DraftId, ...sendDraftFields }),
  output: SendResult,
  errors: [...sendErrors, 'agent_inbox_only', 'conflict'],
  idempotent: true,
  async handle({ ctx, principal }, { address, draft_id, sendAt }) {
    const time = sendAt === undefined ? {} : { sendAt: new Date(sendAt) }
    return sendResult(await send(ctx, principal, { address, draftId: draft_id, ...time }))
  },
})

async function draftOf(
  { ctx, principal }: Call,
  { address, draft_id: draftId }: { readonly address: string; readonly draft_id: string },
): Promise<Draft> {
  await reachDraft(ctx, principal, { address, draftId })
  const draft = await readMessage(ctx, principal, { address, messageId: draftId })
  return fullMessage(draft, cutBodies(draft, { from: 0 }), true)
}
