import { beginBackfill } from '../core/intake/backfill.ts'
import { tryLens } from '../core/intake/lens-test.ts'
import { listTemplates } from '../core/intake/templates.ts'
import { AddressPart, MessageId } from '../schemas/fields.ts'
import { array, described, extended, integer, object, optional, string } from '../schemas/infer.ts'
import { LensAnswer, LensField, LensFields, LensQuoted, LensSample } from '../schemas/intake.ts'
import { managing } from './intake.ts'
import { operation } from './registry.ts'

export const listIntakeTemplates = operation({
  name: 'intake.templates',
  summary: 'Lists of fields for Lens to begin with.',
  scope: 'mail:read',
  http: 'GET /api/v1/intake/templates',
  input: object({}),
  output: object({ templates: array(object({ name: string(), fields: array(LensField) })) }),
  errors: [],
  handle: async () => ({ templates: listTemplates() }),
})

export const testLens = operation({
  name: 'intake.lens_test',
  summary:
    'Ask Lens of a sample, or of a mail in the mailbox, what it would say: for the fields of the mailbox, or others. Nothing is kept or counted.',
  scope: managing,
  http: 'POST /api/v1/intake/{mailbox}/lens/test',
  input: extended(LensSample, {
    mailbox: AddressPart,
    messageId: optional(described('In place of a sample: a mail of the mailbox (msg_...), with its files.', MessageId)),
    fields: optional(LensFields),
    quoted: optional(LensQuoted),
  }),
  output: LensAnswer,
  errors: ['mailbox_not_found', 'not_found', 'plan_required'],
  async handle({ ctx, principal }, { mailbox, ...trial }) {
    const { values, evidence, engine } = await tryLens(ctx, principal, { address: mailbox, ...trial })
    return { lens: values, lens_evidence: evidence, lens_engine: engine }
  },
})

export const backfillLens = operation({
  name: 'intake.lens_backfill',
  summary:
    'Have Lens read the records that are there already and that it has not read for these fields. Each counts as a run; no event tells of it.',
  scope: managing,
  http: 'POST /api/v1/intake/{mailbox}/lens/backfill',
  status: 202,
  input: object({ mailbox: AddressPart }),
  output: object({ count: integer({ description: 'Records that are read again.' }) }),
  errors: ['mailbox_not_found', 'not_found', 'plan_required', 'conflict'],
  idempotent: true,
  handle: async ({ ctx, principal }, { mailbox }) => ({ count: await beginBackfill(ctx, principal, mailbox) }),
})
