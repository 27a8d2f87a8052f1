import {
  createIntake as create,
  type Intake as Found,
  getIntake as get,
  type IntakeWithSecret,
  listIntakes as list,
  deleteIntake as remove,
  requireIntakeReach,
  updateIntake as update,
} from '../core/intake/configurations.ts'
import { sendSetUpTest } from '../core/intake/set-up-test.ts'
import { AddressPart, Deleted, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { boolean, described, type Infer, object, optional, string } from '../schemas/infer.ts'
import { Intake, IntakeDeliveryInput, IntakeLensInput, IntakeRetention, NewIntake } from '../schemas/intake.ts'
import { operation } from './registry.ts'

/** The scopes needed to change a configuration, because it exposes the mail of a mailbox elsewhere. */
export const managing = ['mailboxes:write', 'mail:read'] as const

const settingsOf = {
  delivery: optional(IntakeDeliveryInput),
  lens: optional(IntakeLensInput),
  retention: optional(IntakeRetention),
} as const

export const listIntakes = operation({
  name: 'intake.list',
  summary: 'The Intake configurations of the mailboxes that this key reaches, newest mailbox first.',
  scope: 'mail:read',
  http: 'GET /api/v1/intake',
  input: object(paging),
  output: page('intakes', Intake),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, before }) {
    const { items, next } = await list(ctx, principal, { limit, before })
    return { intakes: items.map(intakeRecord), next }
  },
})

export const createIntake = operation({
  name: 'intake.create',
  summary:
    'Watch a mailbox: each mail that arrives from now on becomes a record. If an endpoint is created for it, its secret is shown only in this answer.',
  scope: managing,
  http: 'POST /api/v1/intake',
  status: 201,
  input: object({
    mailbox: described('The mailbox to watch.', AddressPart),
    create: optional(boolean({ description: 'Create the mailbox if it does not exist.' })),
    ...settingsOf,
  }),
  output: NewIntake,
  errors: [
    'mailbox_not_found',
    'not_found',
    'conflict',
    'plan_required',
    'domain_not_on_account',
    'domain_not_verified',
    'AGENT_INBOX_LIMIT',
    'mailbox_creation_limit',
  ],
  idempotent: true,
  reach: ({ ctx, principal }, input) => requireIntakeReach(ctx, principal, input),
  handle: async ({ ctx, principal }, input) => withSecret(await create(ctx, principal, input)),
})

export const getIntake = operation({
  name: 'intake.get',
  summary: 'The Intake configuration of a mailbox.',
  scope: 'mail:read',
  http: 'GET /api/v1/intake/{mailbox}',
  input: object({ mailbox: AddressPart }),
  output: Intake,
  errors: ['mailbox_not_found', 'not_found'],
  handle: async ({ ctx, principal }, { mailbox }) => intakeRecord(await get(ctx, principal, mailbox)),
})

export const updateIntake = operation({
  name: 'intake.update',
  summary:
    'Change the Intake configuration of a mailbox; omitted fields stay. A new retention applies to existing records too. The secret of a new endpoint is shown only in this answer.',
  scope: managing,
  http: 'PATCH /api/v1/intake/{mailbox}',
  input: object({ mailbox: AddressPart, ...settingsOf }),
  output: NewIntake,
  errors: ['mailbox_not_found', 'not_found', 'conflict', 'plan_required'],
  handle: async ({ ctx, principal }, { mailbox, ...change }) =>
    withSecret(await update(ctx, principal, { address: mailbox, ...change })),
})

export const deleteIntake = operation({
  name: 'intake.delete',
  summary:
    'Stop watching a mailbox. Its records, their copies and links, and the endpoint that was created for it are deleted. Its mail stays.',
  scope: managing,
  http: 'DELETE /api/v1/intake/{mailbox}',
  input: object({ mailbox: AddressPart }),
  output: Deleted,
  errors: ['mailbox_not_found', 'not_found'],
  async handle({ ctx, principal }, { mailbox }) {
    await remove(ctx, principal, mailbox)
    return { deleted: true }
  },
})

export const testIntake = operation({
  name: 'intake.test',
  summary:
    'Send a test mail to a watched mailbox through the mail servers of the service. Its record has `test: true`.',
  scope: managing,
  http: 'POST /api/v1/intake/{mailbox}/test',
  status: 202,
  input: object({ mailbox: AddressPart }),
  output: object({ id: string({ description: 'Id of the send (em_...).' }), mailbox: string() }),
  errors: ['mailbox_not_found', 'not_found', 'plan_required'],
  idempotent: true,
  handle: async ({ ctx, principal }, { mailbox }) => sendSetUpTest(ctx, principal, mailbox),
})

function withSecret({ intake, secret }: IntakeWithSecret): Infer<typeof NewIntake> {
  return { ...intakeRecord(intake), ...(secret !== null && { secret }) }
}

function intakeRecord({ isActive, createdAt, ...intake }: Found): Infer<typeof Intake> {
  return { ...intake, active: isActive, createdAt: createdAt.toISOString() }
}
