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
  summary: 'Templates for Lens: lists of fields to start from.',
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
    'Try Lens on a sample or on a mail of the mailbox, with the fields of the mailbox or with others. Nothing is stored or counted.',
  scope: managing,
  http: 'POST /api/v1/intake/{mailbox}/lens/test',
  input: extended(LensSample, {
    mailbox: AddressPart,
    messageId: optional(
      described('A mail of the mailbox (msg_...) to read with its files, instead of a sample.', MessageId),
    ),
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
    'Run Lens on existing records that it has not yet read for these fields. Each counts as a run; no event is sent.',
  scope: managing,
  http: 'POST /api/v1/intake/{mailbox}/lens/backfill',
  status: 202,
  input: object({ mailbox: AddressPart }),
  output: object({ count: integer({ description: 'How many records Lens will read.' }) }),
  errors: ['mailbox_not_found', 'not_found', 'plan_required', 'conflict'],
  idempotent: true,
  handle: async ({ ctx, principal }, { mailbox }) => ({ count: await beginBackfill(ctx, principal, mailbox) }),
})
