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
import { blaming, peopleOf } from './addresses.ts'
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

export const listDrafts = operation({
  name: 'drafts.list',
  summary: 'Drafts of a mailbox, newest first.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/drafts',
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
  summary: 'Keep a draft: a message in Drafts that lacks what it lacks until it is sent.',
  scope: 'mail:send',
  http: 'POST /api/v1/mailboxes/{address}/drafts',
  status: 201,
  tools: [{ name: 'create_draft', effect: 'create', expose: ['address', ...Object.keys(draftFields)] }],
  input: object({ address: AddressPart, ...draftFields }),
  output: FullMessage,
  errors: [...draftErrors, 'attachments_too_large'],
  body: 'send',
  idempotent: true,
  handle: (call, { address, inReplyTo, replyAll, to, ...content }) =>
    blaming({ to, ...content }, async () => {
      const what = { address, inReplyTo, replyAll, to: peopleOf(to), ...(await contentOf(call.ctx, content)) }
      return draftOf(call, { address, draft_id: await create(call.ctx, call.principal, what) })
    }),
})

export const getDraft = operation({
  name: 'drafts.get',
  summary: 'One draft, whole.',
  scope: 'mail:send',
  http: 'GET /api/v1/mailboxes/{address}/drafts/{draft_id}',
  input: object({ address: AddressPart, draft_id: DraftId }),
  output: FullMessage,
  errors: ['not_found', 'agent_inbox_only'],
  handle: (call, which) => draftOf(call, which),
})

export const updateDraft = operation({
  name: 'drafts.update',
  summary: 'Change the fields that are given; the others stay, and so does the id.',
  scope: 'mail:send',
  http: 'PATCH /api/v1/mailboxes/{address}/drafts/{draft_id}',
  tools: [{ name: 'update_draft', effect: 'write', expose: ['address', 'draft_id', ...Object.keys(draftFields)] }],
  input: object({ address: AddressPart, draft_id: DraftId, ...draftFields }),
  output: FullMessage,
  errors: [...draftErrors, 'attachments_too_large', 'conflict'],
  body: 'send',
  handle: (call, { address, draft_id, inReplyTo, replyAll, to, ...content }) =>
    blaming({ to, ...content }, async () => {
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
  summary: 'Remove a draft for good.',
  scope: 'mail:send',
  http: 'DELETE /api/v1/mailboxes/{address}/drafts/{draft_id}',
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
  summary: 'Send a draft, now or at a time, and remove it.',
  scope: 'mail:send',
  http: 'POST /api/v1/mailboxes/{address}/drafts/{draft_id}/send',
  status: 202,
  tools: [{ name: 'send_draft', effect: 'send', expose: ['address', 'draft_id', 'sendAt'] }],
  input: object({ address: AddressPart, draft_id: DraftId, ...sendDraftFields }),
  output: SendResult,
  errors: [...sendErrors, 'agent_inbox_only'],
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
