/**
 * Batches: one text with tokens, sent to many recipients (interface.md, Batch send). A batch is accepted or refused as
 * a whole; its document is the commit point. A clock then makes one send per recipient at the pace of the plan. The id
 * of each send is derived from the batch, so that neither a crash nor a second process sends a mail twice.
 */
import { createHash } from 'node:crypto'
import { filledBytes, filledSubjectChars, fillTexts, variablesOf } from '../../mail/compose/template.ts'
import { normaliseAddress } from '../../mail/message/address.ts'
import { refusalIn } from '../../schemas/account-states.ts'
import { Failure } from '../../schemas/failures.ts'
import { headerLineMax } from '../../schemas/fields.ts'
import { deriveId, newId } from '../../schemas/ids.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import { noBody, notAnAddress } from '../../schemas/refusals.ts'
import { findAccount } from '../../store/accounts.ts'
import * as store from '../../store/batches.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import type { BatchDoc, BatchRecipient, DeliveryStatus } from '../../store/documents/sending.ts'
import { findEmails } from '../../store/emails.ts'
import { findMailboxes } from '../../store/mailboxes.ts'
import { type Account, accountOf, requireAllowed } from '../access/account-record.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { giveBackUsage } from '../access/usage.ts'
import { suppressedAmong } from '../deliver/suppressions.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { dueNow, inTimeOf } from '../process/account-time.ts'
import { noteDue } from '../process/alarms.ts'
import { after, dayMs, minuteMs, periodsOf, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { type Allowance, closeAllowance, takeAllowance } from './allowance.ts'
import { writeSend } from './commit.ts'
import { signedBy } from './content.ts'
import { decideRecipients } from './send-rules.ts'
import { mailboxSender } from './sender.ts'
import { unsubscribeHeaders } from './unsubscribe.ts'

export type BatchInput = {
  readonly address: string
  readonly subject: string
  readonly text?: string
  readonly html?: string
  readonly recipients: readonly { readonly email: string; readonly fields?: { readonly [name: string]: string } }[]
  readonly idempotencyKey: string
}

export type BatchResult = {
  readonly id: string
  readonly recipients: readonly { readonly email: string; readonly status: DeliveryStatus }[]
  /** Tokens for which a recipient has no field; they are replaced by nothing. */
  readonly missingFields: readonly { readonly email: string; readonly fields: readonly string[] }[]
  readonly replayed: boolean
}

export type BatchStatus = {
  readonly id: string
  readonly recipients: readonly {
    readonly email: string
    readonly status: DeliveryStatus
    readonly reason: string | null
    readonly emailId: string | null
  }[]
}

const keptMs = 90 * dayMs
/** Below the database's largest document size, with room for the other fields of the batch. */
const batchBytesMax = 12 * 1024 * 1024
const batchesPerStep = 50
/** Sends made of one batch in one step, so that batches take turns. */
const sendsPerStep = 20
const keyCharactersMax = 256

/**
 * Accepts or refuses a batch as a whole. Fails with `idempotency_key_invalid`, `idempotency_key_reused`, `forbidden` (a key whose
 * sends wait for approval), `plan_required`, `batch_too_large`, `validation_error` (a recipient listed twice), `payload_too_large`,
 * and by the rules of a single send: `sending_paused`, `CLAIM_REQUIRED`, `forbidden`, `all_recipients_suppressed`,
 * `AGENT_EMAIL_LIMIT`, `send_limit_reached`.
 */
export async function sendBatch(ctx: Context, principal: Principal, input: BatchInput): Promise<BatchResult> {
  const { idempotencyKey, subject, text, html } = input
  const mailbox = await reachMailbox(ctx, principal, input.address)
  if (idempotencyKey === '' || [...idempotencyKey].length > keyCharactersMax)
    throw new Failure('idempotency_key_invalid')
  const { accountId, keyId } = principal
  const fingerprint = fingerprintOf(input)
  const earlier = await store.findBatchByKey(ctx.store, { accountId, mailboxId: mailbox._id, idempotencyKey })
  if (earlier !== null) return resultOf(sameRequest(earlier, fingerprint), true)
  if (principal.waitsForApproval)
    throw new Failure('forbidden', 'What this key sends waits for the approval of a person, and a batch cannot wait.', {
      fix: 'Send the mails one by one, so that a person can read each, or let an account key send the batch.',
    })
  const recipients = readRecipients(principal.account, input)
  requireSendable(ctx, input, recipients)
  requireAllowed(principal.account, 'reply')
  const { from, decided } = await decideRecipients(ctx, principal, {
    mailbox,
    parent: null,
    recipients: recipients.map(({ email }) => ({ name: '', address: email })),
    sender: () => mailboxSender(ctx, mailbox, {}),
    strict: true,
  })
  const failedOf = new Map(decided.map(({ email, decision }) => [email, decision === 'send' ? null : decision]))
  const accepted = decided.flatMap(({ email, decision }) => (decision === 'send' ? [email] : []))
  const at = ctx.clock.now()
  const id = newId('bat', at)
  const allowance = await takeAllowance(ctx, principal, {
    sender: from.address,
    recipients: accepted,
    mailboxId: mailbox._id,
    purpose: id,
    kinds: ['volume'],
  })
  const batch: BatchDoc = {
    _id: id,
    takenBy: allowance.token,
    taken: allowance.taken,
    accountId,
    mailboxId: mailbox._id,
    keyId,
    idempotencyKey,
    fingerprint,
    from,
    subject,
    text: text ?? null,
    html: html ?? null,
    ...ctx.tracing.cause(),
    createdAt: at,
    done: 0,
    nextAt: at,
    expiresAt: after(at, keptMs),
    recipients: recipients.map((recipient) => ({ ...recipient, failed: failedOf.get(recipient.email) ?? null })),
  }
  // If this fails, it is unknown whether the batch was committed. A sweep then settles the allowance
  // (core/send/open-allowances.ts).
  const committed = await store.insertBatch(ctx.store, batch)
  if (committed._id === batch._id) {
    noteDue(ctx, 'batches', at)
    await closeAllowance(ctx, allowance)
    return resultOf(batch, false)
  }
  await allowance.giveBack()
  return resultOf(sameRequest(committed, fingerprint), true)
}

/** Lists the batches of the mailboxes that the key reaches, newest first. Fails with `validation_error` (cursor). */
export async function listBatches(
  ctx: Context,
  { accountId, mailboxIds }: Principal,
  { limit, before }: { limit: number; before?: string },
): Promise<Page<store.BatchSummary>> {
  const rows = await store.listBatches(ctx.store, {
    accountId,
    mailboxIds,
    before: readIdCursor(before, 'bat'),
    limit: limit + 1,
  })
  return pageOf(rows, limit)
}

/** Reads the status of each recipient of a batch. Fails with `mailbox_not_found`, `not_found`. */
export async function getBatch(
  ctx: Context,
  principal: Principal,
  { address, id }: { address: string; id: string },
): Promise<BatchStatus> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const batch = await store.findBatch(ctx.store, { accountId: mailbox.accountId, batchId: id })
  if (batch === null || batch.mailboxId !== mailbox._id)
    throw new Failure('not_found', `There is no batch ${id} of ${mailbox.address}.`, {
      fix: 'Use the id that send-batch of this mailbox answered (bat_...).',
    })
  const ids = batch.recipients.map((_, n) => sendIdOf(batch, n))
  const emails = new Map((await findEmails(ctx.store, batch.accountId, ids)).map((email) => [email._id, email]))
  return {
    id,
    recipients: batch.recipients.map(({ email, failed }, n) => {
      if (failed !== null) return { email, status: 'failed', reason: failed, emailId: null }
      const send = emails.get(ids[n] ?? '')
      const { status, reason, response } = send?.recipients[0] ?? { status: 'queued', reason: null, response: null }
      return { email, status, reason: status === 'bounced' ? (response ?? reason) : reason, emailId: send?._id ?? null }
    }),
  }
}

/** Continues the batches that are due, of one account or of all. Returns how many were due. */
export async function stepBatches(ctx: Context, accountId?: string): Promise<number> {
  const due = await store.findDueBatches(ctx.store, { due: dueNow(ctx, accountId), limit: batchesPerStep })
  for (const batch of due) {
    const own = inTimeOf(ctx, batch.accountId)
    await stepBatch(own, batch).catch((error: unknown) => standBack(own, batch, error))
  }
  return due.length
}

/** When the next batch continues, of one account or of all; null if none is waiting. */
export function nextStep(ctx: Context, accountId?: string): Promise<Date | null> {
  return store.nextBatch(ctx.store, accountId)
}

/** Postpones a batch that failed. Otherwise a few such batches, always due first, would keep all others from continuing. */
async function standBack(ctx: Context, batch: BatchDoc, error: unknown): Promise<void> {
  const { log } = ctx
  log.error({ err: error, batchId: batch._id }, 'batch could not be continued; it is tried again in a minute')
  await store
    .advanceBatch(ctx.store, batch, { done: batch.done, nextAt: after(ctx.clock.now(), minuteMs) })
    .catch((failed: unknown) => log.warn({ err: failed, batchId: batch._id }, 'a failed batch could not be postponed'))
}

async function stepBatch(ctx: Context, batch: BatchDoc): Promise<void> {
  const now = ctx.clock.now()
  const waitUntil = (nextAt: Date) => store.advanceBatch(ctx.store, batch, { done: batch.done, nextAt })
  const { accountId, mailboxId } = batch
  const doc = await findAccount(ctx.store, accountId)
  const [mailbox] = await findMailboxes(ctx.store, [{ accountId, mailboxId }])
  if (doc === null || doc.status === 'removed' || mailbox === undefined) {
    await stop(ctx, batch)
    return
  }
  const account = accountOf(doc)
  if (refusalIn(account.states, 'reply') !== null) {
    await waitUntil(after(now, minuteMs))
    return
  }
  const next = batch.recipients.slice(batch.done, batch.done + sendsPerStep)
  const made = await makeSends(ctx, batch, { account, mailbox, next })
  const done = batch.done + made
  if (made < next.length) await store.advanceBatch(ctx.store, batch, { done, nextAt: periodsOf(now).minuteEnd })
  else if (done >= batch.recipients.length) await store.advanceBatch(ctx.store, batch, { done, nextAt: null })
  else await store.advanceBatch(ctx.store, batch, { done, nextAt: after(now, secondMs) })
}

/** Ends a batch at its current position: the remaining recipients get no mail, and what was taken for them is given back. */
async function stop(ctx: Context, batch: BatchDoc): Promise<void> {
  if (!(await store.stopBatch(ctx.store, batch))) return
  const left = batch.recipients.flatMap(({ failed }, n) =>
    n >= batch.done && failed === null ? [sendIdOf(batch, n)] : [],
  )
  // Some of them may already have their send, if a crash came before the batch recorded it.
  const made = await findEmails(ctx.store, batch.accountId, left)
  await giveUnsentBack(ctx, batch, left.length - made.length)
}

/** Gives back what was taken for recipients who get no mail. After a crash before this they stay counted. */
async function giveUnsentBack(ctx: Context, batch: BatchDoc, unsent: number): Promise<void> {
  const { accountId: owner, taken = [], createdAt: at } = batch
  if (unsent === 0) return
  for (const { period, counter } of taken) await giveBackUsage(ctx, { owner, period, counter, by: unsent, at })
}

/**
 * Makes the sends of the next recipients, until the limits of the plan stop it. Returns how many recipients were
 * handled.
 */
async function makeSends(
  ctx: Context,
  batch: BatchDoc,
  { account, mailbox, next }: { account: Account; mailbox: MailboxDoc; next: readonly BatchRecipient[] },
): Promise<number> {
  const { accountId, from } = batch
  const ids = next.map((_, n) => sendIdOf(batch, batch.done + n))
  const made = new Set((await findEmails(ctx.store, accountId, ids)).map(({ _id }) => _id))
  // Recipients who unsubscribed or bounced while the batch waited are skipped.
  const suppressed = await suppressedAmong(
    ctx,
    batch,
    next.map(({ email }) => email),
  )
  for (const [n, recipient] of next.entries()) {
    const id = ids[n] ?? ''
    if (recipient.failed !== null || made.has(id)) continue
    if (suppressed.has(recipient.email)) {
      const hasFailed = await store.failRecipient(ctx.store, batch, { n: batch.done + n, reason: 'suppressed' })
      await giveUnsentBack(ctx, batch, hasFailed ? 1 : 0)
      continue
    }
    const one = { sender: from.address, recipients: [recipient.email], mailboxId: mailbox._id, purpose: id }
    const asked = { ...one, kinds: ['pace'] as const }
    const allowance = await takeAllowance(ctx, { account, accountId }, asked).catch((error: unknown) => {
      if (error instanceof Failure) return null
      throw error
    })
    if (allowance === null) return n
    await makeSend(ctx, batch, { id, recipient, account, mailbox, allowance }).catch(async (error: unknown) => {
      if (error instanceof Failure) await allowance.giveBack()
      throw error
    })
  }
  return next.length
}

async function makeSend(
  ctx: Context,
  batch: BatchDoc,
  {
    id,
    recipient: { email, fields },
    account,
    mailbox,
    allowance,
  }: { id: string; recipient: BatchRecipient; account: Account; mailbox: MailboxDoc; allowance: Allowance },
): Promise<void> {
  const { accountId, keyId, _id: batchId, from, subject, text, html } = batch
  const texts = fillTexts({ subject, ...(text !== null && { text }), ...(html !== null && { html }) }, fields)
  const to = [{ name: '', address: email }]
  const principal = { accountId, keyId, account }
  await ctx.tracing.span('batch send', { cause: batch }, () =>
    writeSend(ctx, principal, {
      id,
      mailbox,
      parent: null,
      from,
      sender: async () => from,
      keepsCopy: false,
      origin: 'batch',
      batchId,
      input: { to, ...signedBy(mailbox, texts), headers: unsubscribeHeaders(ctx, { accountId, email }) },
      recipients: to,
      files: [],
      sendAt: null,
      // The batch already took the volume.
      allowance: { ...allowance, taken: [] },
      decided: [{ email, decision: 'send', reason: null }],
    }),
  )
}

/**
 * Checks the recipients and the size of a batch. Returns the recipients in canonical form. Fails with `plan_required`,
 * `batch_too_large`, `validation_error`, `payload_too_large`.
 */
function readRecipients(account: Account, { recipients, text, html, ...rest }: BatchInput) {
  const { batchRecipientsPerCall: cap } = allowanceOf(account)
  if (cap === 0) throw new Failure('plan_required', 'The plan does not include batches.')
  if (recipients.length > cap)
    throw new Failure(
      'batch_too_large',
      `The plan allows ${cap} recipients per batch; this one has ${recipients.length}.`,
    )
  if (text === undefined && html === undefined) throw noBody()
  const seen = new Set<string>()
  const read = recipients.map(({ email, fields = {} }, n) => {
    const param = `recipients[${n}].email`
    const address = normaliseAddress(email)
    if (address === null) throw notAnAddress(email, param)
    if (seen.has(address)) {
      throw new Failure('validation_error', `${address} is listed twice.`, {
        param,
        fix: 'Take one of the two out: each recipient gets one mail.',
      })
    }
    seen.add(address)
    return { email: address, fields }
  })
  const bytes = Buffer.byteLength(JSON.stringify({ ...rest, text, html, recipients }))
  if (bytes > batchBytesMax)
    throw new Failure('payload_too_large', 'The batch is larger than 12 MB.', { fix: 'Split it, or shorten its text.' })
  return read
}

/**
 * Fails with `payload_too_large` if the mail for one recipient is larger than a send may be: it could not be sent, and the batch
 * would never get past it. Fails with `validation_error` if a subject is longer than a send's may be.
 */
function requireSendable(
  { settings }: Context,
  { subject, text = '', html = '' }: BatchInput,
  recipients: readonly Pick<BatchRecipient, 'email' | 'fields'>[],
): void {
  const { sendBodyBytes } = settings.limits.http
  const bytesWith = filledBytes({ subject, text, html })
  const charsWith = filledSubjectChars(subject)
  for (const { email, fields } of recipients) {
    const chars = charsWith(fields)
    if (chars > headerLineMax)
      throw new Failure(
        'validation_error',
        `With the fields of ${email} the subject has ${chars} characters; it may have ${headerLineMax}.`,
        { param: 'subject', fix: 'Shorten the fields that the subject uses, or the subject.' },
      )
    const bytes = bytesWith(fields)
    if (bytes > sendBodyBytes)
      throw new Failure(
        'payload_too_large',
        `With the fields of ${email} the mail has ${bytes} bytes; a send may have ${sendBodyBytes}.`,
        { fix: 'Shorten the fields, or use them less often in the text.' },
      )
  }
}

function resultOf({ _id, subject, text, html, recipients }: BatchDoc, replayed: boolean): BatchResult {
  const names = variablesOf({ subject, text: text ?? '', html: html ?? '' })
  return {
    id: _id,
    // Every recipient is listed as queued (interface.md, Batch send); reading the batch shows who was refused.
    recipients: recipients.map(({ email }) => ({ email, status: 'queued' })),
    missingFields: recipients.flatMap(({ email, fields }) => {
      const missing = names.filter((name) => !Object.hasOwn(fields, name))
      return missing.length > 0 ? [{ email, fields: missing }] : []
    }),
    replayed,
  }
}

function sameRequest(batch: BatchDoc, fingerprint: string): BatchDoc {
  if (batch.fingerprint !== fingerprint) throw new Failure('idempotency_key_reused')
  return batch
}

/** A digest of the request, independent of the order of a recipient's fields. */
function fingerprintOf({ subject, text, html, recipients }: BatchInput): string {
  const people = recipients.map(({ email, fields = {} }) => [email, Object.entries(fields).sort()])
  return createHash('sha256')
    .update(JSON.stringify([subject, text ?? null, html ?? null, people]))
    .digest('base64url')
}

const sendIdOf = ({ _id }: BatchDoc, n: number) => deriveId('em', _id, `send#${n}`)
