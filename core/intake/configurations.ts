/** The configurations of Intake for mailboxes: where the records go, what Lens reads, and how long the records are kept. */
import { Failure } from '../../schemas/failures.ts'
import type { IntakeDeliveryInput, IntakeLensInput, IntakeRetention } from '../../schemas/intake.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import type { IntakeDoc, IntakeLens } from '../../store/documents/intake.ts'
import * as store from '../../store/intake.ts'
import { listWebhooks } from '../../store/webhooks.ts'
import { mayHaveMade } from '../access/idempotency.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { createMailbox, reachMailbox } from '../mailbox/mailboxes.ts'
import type { Context } from '../process/context.ts'
import { deliveryFor, endDelivery, requireDelivery, requireEndpoint } from './deliveries.ts'
import { beginAgain, finishEnded } from './retention.ts'
import { intakesChanged } from './watched.ts'

/** A configuration, with its endpoint, and with whether the plan of its account includes Intake. */
export type Intake = Pick<IntakeDoc, 'mailbox' | 'lens' | 'retention' | 'createdAt'> & {
  readonly isActive: boolean
  /** `url` is absent when the endpoint belongs to another key, and null when it was deleted. */
  readonly delivery:
    | { readonly type: 'api' }
    | { readonly type: 'webhook'; readonly webhookId: string; readonly url?: string | null }
}
/** A configuration, and the secret of the endpoint if one was made for it. */
export type IntakeWithSecret = { readonly intake: Intake; readonly secret: string | null }

export type IntakeInput = {
  readonly delivery?: IntakeDeliveryInput
  readonly lens?: IntakeLensInput
  readonly retention?: IntakeRetention
}

const noLens: IntakeLens = { enabled: false, quoted: false, fields: [] }

/**
 * Begins to watch a mailbox, which is created first if `create` is set and it does not exist. Returns the configuration, and the
 * secret of the endpoint that was made for it. Fails with `plan_required`, `mailbox_not_found`, `conflict` (watched already),
 * `validation_error` (delivery, fields of Lens), and as `createMailbox` and `createWebhook` do.
 */
export async function createIntake(
  ctx: Context,
  principal: Principal,
  {
    mailbox: address,
    create = false,
    delivery = { type: 'api' },
    lens = { enabled: false },
    retention = 30,
  }: IntakeInput & { readonly mailbox: string; readonly create?: boolean },
): Promise<IntakeWithSecret> {
  requireSetUp(principal)
  const wanted = lensOf(noLens, lens)
  requireDelivery(ctx, delivery)
  const mailbox = await mailboxFor(ctx, principal, { address, create })
  const [known] = await store.findIntakes(ctx.store, [mailbox._id])
  const isOwn = known !== undefined && mayHaveMade(ctx, known)
  if (known !== undefined && !isOwn) throw watchedAlready(mailbox.address)
  // The key reaches a mailbox that it has just made.
  const mailboxIds = principal.mailboxIds && [...principal.mailboxIds, mailbox._id]
  const reaching = { ...principal, mailboxIds }
  const made = await deliveryFor(ctx, reaching, {
    mailbox: { id: mailbox._id, address: mailbox.address },
    delivery,
    before: null,
  })
  if (isOwn) return { intake: await intakeOf(ctx, principal, known), secret: made.secret }
  const at = ctx.clock.now()
  const doc: IntakeDoc = {
    _id: mailbox._id,
    accountId: principal.accountId,
    mailbox: mailbox.address,
    delivery: made.delivery,
    lens: wanted,
    retention,
    createdAt: at,
    checkAt: at,
  }
  if (!(await store.insertIntake(ctx.store, doc)) && !(await beginAgain(ctx, doc))) {
    await endDelivery(ctx, doc)
    throw watchedAlready(mailbox.address)
  }
  intakesChanged(ctx, [mailbox._id])
  return { intake: await intakeOf(ctx, principal, doc), secret: made.secret }
}

/** Fails as `createIntake` does when the key may not watch the mailbox, or not deliver to the endpoint. */
export async function requireIntakeReach(
  ctx: Context,
  principal: Principal,
  { mailbox, create = false, delivery }: Pick<IntakeInput, 'delivery'> & { mailbox: string; create?: boolean },
): Promise<void> {
  if (!create) await reachMailbox(ctx, principal, mailbox)
  if (delivery?.webhookId !== undefined) await requireEndpoint(ctx, principal, delivery.webhookId)
}

/** Lists the configurations of the mailboxes that the key reaches, newest mailbox first. Fails with `validation_error` (cursor). */
export async function listIntakes(
  ctx: Context,
  principal: Principal,
  { limit, before }: { limit: number; before?: string },
): Promise<Page<Intake>> {
  const { items, next } = pageOf(
    await store.listIntakes(ctx.store, {
      accountId: principal.accountId,
      only: principal.mailboxIds,
      before: readIdCursor(before, 'mbx'),
      limit: limit + 1,
    }),
    limit,
  )
  return { items: await intakesOf(ctx, principal, items), next }
}

/** Reads the configuration of a mailbox. Fails with `mailbox_not_found`, `not_found` (it is not watched). */
export async function getIntake(ctx: Context, principal: Principal, address: string): Promise<Intake> {
  return intakeOf(ctx, principal, await reachIntake(ctx, principal, address))
}

/**
 * Changes a configuration; what is left out stays. A changed retention applies to existing records too. Fails as
 * `createIntake` does, and with `not_found`.
 */
export async function updateIntake(
  ctx: Context,
  principal: Principal,
  { address, delivery, lens, retention }: IntakeInput & { readonly address: string },
): Promise<IntakeWithSecret> {
  requireSetUp(principal)
  if (delivery !== undefined) requireDelivery(ctx, delivery)
  const before = await reachIntake(ctx, principal, address)
  const made =
    delivery &&
    (await deliveryFor(ctx, principal, { mailbox: { id: before._id, address: before.mailbox }, delivery, before }))
  const change: Partial<IntakeDoc> = {
    ...(made !== undefined && { delivery: made.delivery }),
    ...(lens !== undefined && { lens: lensOf(before.lens, lens) }),
    ...(retention !== undefined && { retention, checkAt: ctx.clock.now() }),
  }
  const { accountId, _id: mailboxId } = before
  const doc =
    Object.keys(change).length === 0 ? before : await store.changeIntake(ctx.store, { accountId, mailboxId, change })
  if (doc === null) throw notWatched(before.mailbox)
  if (webhookIdOf(doc) !== webhookIdOf(before)) await endDelivery(ctx, before)
  intakesChanged(ctx, [mailboxId])
  return { intake: await intakeOf(ctx, principal, doc), secret: made?.secret ?? null }
}

/**
 * Stops watching a mailbox. Deletes the endpoint that was made for it, and its records with their copies and links; its mail
 * stays. Fails with `mailbox_not_found`, `not_found`.
 */
export async function deleteIntake(ctx: Context, principal: Principal, address: string): Promise<void> {
  const { _id: mailboxId, accountId, mailbox } = await reachIntake(ctx, principal, address)
  const ended = await store.endIntake(ctx.store, { accountId, mailboxId, at: ctx.clock.now() })
  if (ended === null) throw notWatched(mailbox)
  intakesChanged(ctx, [mailboxId])
  await finishEnded(ctx, ended)
}

/** The configuration of a mailbox that the key reaches. Fails with `mailbox_not_found`, `not_found`. */
export async function reachIntake(ctx: Context, principal: Principal, address: string): Promise<IntakeDoc> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const [intake] = await store.findIntakes(ctx.store, [mailbox._id])
  if (intake === undefined) throw notWatched(mailbox.address)
  return intake
}

/** Fails with `plan_required` when the plan does not allow Intake, not even to set it up (decisions.md 3, Plans). */
export function requireSetUp({ account }: Principal): void {
  if (!allowanceOf(account).intakeSetUp)
    throw new Failure('plan_required', 'The plan does not include Intake.', {
      fix: 'Take Pro or Business; on a trial, Intake can be set up.',
    })
}

async function mailboxFor(
  ctx: Context,
  principal: Principal,
  { address, create }: { address: string; create: boolean },
): Promise<{ readonly _id: string; readonly address: string }> {
  try {
    return await reachMailbox(ctx, principal, address)
  } catch (error) {
    if (!create || !(error instanceof Failure) || error.code !== 'mailbox_not_found') throw error
  }
  const { id, address: canonical } = await createMailbox(ctx, principal, { address })
  return { _id: id, address: canonical }
}

/** The settings of Lens after a change: what is left out stays unchanged. Fails with `validation_error`. */
function lensOf(before: IntakeLens, { enabled, fields = before.fields, quoted = before.quoted }: IntakeLensInput) {
  if (enabled && fields.length === 0)
    throw new Failure('validation_error', 'Lens is on and has no fields to read.', {
      param: 'lens.fields',
      fix: 'Give "lens.fields", such as those of a template (GET /api/v1/intake/templates).',
    })
  requireUniqueKeys(fields, 'lens.fields')
  return { enabled, quoted, fields }
}

/** Fails with `validation_error` when two fields have the same key. */
export function requireUniqueKeys(fields: IntakeLens['fields'], param: string): void {
  const keys = fields.map(({ key }) => key)
  const doubled = keys.findIndex((key, n) => keys.indexOf(key) < n)
  if (doubled >= 0)
    throw new Failure('validation_error', `Two fields have the key "${keys[doubled]}".`, {
      param: `${param}[${doubled}].key`,
      fix: 'Give each field a key of its own.',
    })
}

async function intakeOf(ctx: Context, principal: Principal, doc: IntakeDoc): Promise<Intake> {
  const [intake] = await intakesOf(ctx, principal, [doc])
  return intake!
}

/** The configurations as the key sees them: an agent key sees only endpoints that it made. */
async function intakesOf(ctx: Context, principal: Principal, docs: readonly IntakeDoc[]): Promise<readonly Intake[]> {
  const { accountId, account, kind, keyId } = principal
  const needed = docs.some(({ delivery }) => delivery.type === 'webhook')
  const all = needed ? await listWebhooks(ctx.store, { accountId, keyId: null }) : []
  const endpoints = new Map(all.map((webhook) => [webhook._id, webhook]))
  const isActive = allowanceOf(account).intake
  return docs.map(({ mailbox, delivery, lens, retention, createdAt }) => {
    const own = { mailbox, lens, retention, createdAt, isActive }
    if (delivery.type === 'api') return { ...own, delivery: { type: 'api' } }
    const { type, webhookId } = delivery
    const endpoint = endpoints.get(webhookId)
    const isHidden = endpoint !== undefined && kind === 'agent' && endpoint.keyId !== keyId
    return { ...own, delivery: { type, webhookId, ...(!isHidden && { url: endpoint?.url ?? null }) } }
  })
}

const webhookIdOf = ({ delivery }: IntakeDoc) => (delivery.type === 'webhook' ? delivery.webhookId : null)

const watchedAlready = (address: string) =>
  new Failure(
    'conflict',
    `Intake watches ${address} already, or is still deleting the records of an earlier configuration.`,
    {
      fix: 'Change the configuration by PATCH /api/v1/intake/{mailbox}; after a deletion, try again in a moment.',
    },
  )

const notWatched = (address: string) =>
  new Failure('not_found', `Intake does not watch ${address}.`, {
    fix: 'Set it up by POST /api/v1/intake, or list the mailboxes that it watches (GET /api/v1/intake).',
  })
