import { deleteRecord, listRecords, readRecord, revokeLinks } from '../core/intake/records.ts'
import { AddressPart, Deleted, identifier, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { described, object, optional } from '../schemas/infer.ts'
import { IntakeMessage, IntakeSummary } from '../schemas/intake.ts'
import { operation } from './registry.ts'

const RecordId = identifier('Id of the record: its intake_id (int_...).')

export const listIntakeMessages = operation({
  name: 'intakeMessages.list',
  summary:
    'Mail as Intake parsed it, newest first, of all mailboxes that the key reaches or of one. Only the single record has `text`, `html` and links.',
  scope: 'mail:read',
  http: 'GET /api/v1/intake/messages',
  input: object({ mailbox: optional(described('Only of this mailbox.', AddressPart)), ...paging }),
  output: page('messages', IntakeSummary),
  errors: ['mailbox_not_found'],
  async handle({ ctx, principal }, { mailbox, limit = pageSizeDefault, before }) {
    const { items, next } = await listRecords(ctx, principal, { mailbox, limit, before })
    return { messages: items, next }
  },
})

export const getIntakeMessage = operation({
  name: 'intakeMessages.get',
  summary: 'One mail as Intake parsed it, with links to its files that work for 24 hours from now.',
  scope: 'mail:read',
  http: 'GET /api/v1/intake/messages/{id}',
  input: object({ id: RecordId }),
  output: IntakeMessage,
  errors: ['not_found'],
  handle: ({ ctx, principal }, { id }) => readRecord(ctx, principal, id),
})

export const revokeIntakeLinks = operation({
  name: 'intakeMessages.revoke_links',
  summary: 'Revoke all links to the files of a record, such as those in its webhook. The answer has new ones.',
  scope: 'mail:write',
  http: 'POST /api/v1/intake/messages/{id}/revoke-links',
  input: object({ id: RecordId }),
  output: IntakeMessage,
  errors: ['not_found'],
  handle: ({ ctx, principal }, { id }) => revokeLinks(ctx, principal, id),
})

export const deleteIntakeMessage = operation({
  name: 'intakeMessages.delete',
  summary: 'Delete a record with its copy of the mail and its links. The mailbox keeps the mail.',
  scope: 'mail:write',
  http: 'DELETE /api/v1/intake/messages/{id}',
  input: object({ id: RecordId }),
  output: Deleted,
  errors: ['not_found'],
  async handle({ ctx, principal }, { id }) {
    await deleteRecord(ctx, principal, id)
    return { deleted: true }
  },
})
