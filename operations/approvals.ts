import { decideApproval as decide, listApprovals as list, readApproval as read } from '../core/send/approvals.ts'
import {
  Approval,
  type Approval as ApprovalAnswer,
  ApprovalId,
  approvalStatuses,
  decisionFields,
  WholeApproval,
} from '../schemas/approvals.ts'
import { page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object, oneOf, optional } from '../schemas/infer.ts'
import { operation } from './registry.ts'
import { sendErrors } from './sending.ts'

export const listApprovals = operation({
  name: 'approvals.list',
  summary: "Sends by agents that wait or waited for a person's approval, newest first.",
  by: 'account',
  scope: 'mail:send',
  http: 'GET /api/v1/approvals',
  input: object({
    status: optional(oneOf(approvalStatuses, { description: 'Only approvals with this status.' })),
    ...paging,
  }),
  output: page('approvals', Approval),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, ...wanted }) {
    const { items, next } = await list(ctx, principal, { limit, ...wanted })
    return { approvals: items.map(approvalOf), next }
  },
})

export const getApproval = operation({
  name: 'approvals.get',
  summary: 'One approval, with the mail as its recipients will see it.',
  by: 'account',
  scope: 'mail:send',
  http: 'GET /api/v1/approvals/{id}',
  input: object({ id: ApprovalId }),
  output: WholeApproval,
  errors: ['not_found'],
  async handle({ ctx, principal }, { id }) {
    const { approval, content } = await read(ctx, principal, id)
    if (content === null) return { ...approvalOf(approval), content }
    const attachments = content.attachments.map(({ name, contentType, sizeBytes }) => ({
      name,
      content_type: contentType,
      size: sizeBytes,
    }))
    return { ...approvalOf(approval), content: { ...content, attachments } }
  },
})

export const decideApproval = operation({
  name: 'approvals.decide',
  summary:
    'Send exactly the mail that was reviewed, or refuse it. The sending rules and limits apply as of now; a mail that they refuse keeps waiting.',
  by: 'account',
  scope: 'mail:send',
  http: 'POST /api/v1/approvals/{id}',
  input: object({ id: ApprovalId, ...decisionFields }),
  output: Approval,
  errors: [...sendErrors, 'mailbox_not_found', 'conflict'],
  idempotent: true,
  handle: async ({ ctx, principal }, decision) => approvalOf(await decide(ctx, principal, decision)),
})

function approvalOf(approval: Awaited<ReturnType<typeof decide>>): ApprovalAnswer {
  const { _id, emailId, status, hash, mailbox, draft, keyId, from, to, cc, bcc, recipients, subject } = approval
  const { sendAt, createdAt, expiresAt, decision } = approval
  const addresses = (people: typeof to) => people.map(({ address }) => address)
  return {
    id: _id,
    email_id: emailId,
    status,
    hash,
    mailbox,
    draft_id: draft?.messageId ?? null,
    keyId,
    from: from.address,
    to: addresses(to),
    cc: addresses(cc),
    bcc: addresses(bcc),
    recipients: addresses(recipients),
    subject,
    sendAt: sendAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    decidedAt: decision?.at.toISOString() ?? null,
    decidedBy: decision?.by ?? null,
    reason: decision?.reason ?? null,
  }
}
