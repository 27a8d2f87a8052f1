/** Records as readers see them, in wire form, so that events, webhooks and the API show the same (interface.md, Intake message). */
import { Failure } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import type { IntakeMessage, IntakeSummary } from '../../schemas/intake.ts'
import type { IntakeRecordDoc } from '../../store/documents/intake.ts'
import * as store from '../../store/intake.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import { type Principal, reaches } from '../access/principal.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { linkTo } from '../read/attachment-links.ts'
import { trustRecord } from '../receive/trust.ts'

/** How long the links of a record work (interface.md, Intake message). */
const linkMs = dayMs

/** The record with its bodies, and with links to its files that work for a day from now. */
export function intakeMessage(ctx: Context, record: IntakeRecordDoc): IntakeMessage {
  const { _id, content, linkKey } = record
  const expiresAt = after(ctx.clock.now(), linkMs)
  return {
    ...common(record),
    text: content?.text ?? '',
    html: content?.html ?? '',
    attachments: record.attachments.map(({ text, hidden, ...file }, n) => ({
      ...fileOf(file),
      url: linkTo(ctx, { kind: 'intake', ids: [_id, String(n), linkKey] }, expiresAt),
      expires_at: expiresAt.toISOString(),
      text,
      hidden,
    })),
  }
}

/** Lists records of the mailboxes that the key reaches, or of one, newest first. Fails with `mailbox_not_found`, `validation_error` (cursor). */
export async function listRecords(
  ctx: Context,
  principal: Principal,
  { mailbox, limit, before }: { mailbox?: string; limit: number; before?: string },
): Promise<Page<IntakeSummary>> {
  const mailboxIds = mailbox === undefined ? principal.mailboxIds : [(await reachMailbox(ctx, principal, mailbox))._id]
  const { accountId } = principal
  const found = await store.listIntakeRecords(ctx.store, {
    accountId,
    mailboxIds,
    before: readIdCursor(before, 'int'),
    limit: limit + 1,
  })
  const { items, next } = pageOf(found, limit)
  return { items: items.map((record) => ({ ...common(record), attachments: record.attachments.map(fileOf) })), next }
}

/** Reads a record, with fresh links. Fails with `not_found`. */
export async function readRecord(ctx: Context, principal: Principal, id: string): Promise<IntakeMessage> {
  return intakeMessage(ctx, await reachRecord(ctx, principal, id))
}

/** Revokes all links to the files of a record. Returns the record with new links. Fails with `not_found`. */
export async function revokeLinks(ctx: Context, principal: Principal, id: string): Promise<IntakeMessage> {
  const record = await store.changeLinkKey(ctx.store, await reachRecord(ctx, principal, id), newToken())
  if (record === null) throw noRecord(id)
  return intakeMessage(ctx, record)
}

/** Deletes a record with its copy of the mail and its links; the mailbox keeps the mail. Fails with `not_found`. */
export async function deleteRecord(ctx: Context, principal: Principal, id: string): Promise<void> {
  const { mailboxId, _id } = await reachRecord(ctx, principal, id)
  if ((await store.removeIntakeRecords(ctx.store, { mailboxId, _id }, 1)) === 0) throw noRecord(id)
}

async function reachRecord(ctx: Context, principal: Principal, recordId: string): Promise<IntakeRecordDoc> {
  const found = await store.findIntakeRecord(ctx.store, { accountId: principal.accountId, recordId })
  if (found === null || !reaches(principal, found.mailboxId)) throw noRecord(recordId)
  return found
}

const noRecord = (id: string) =>
  new Failure('not_found', `There is no Intake record ${id}.`, {
    fix: 'Use an intake_id from the list of records or an event; a record is deleted when its retention is over.',
  })

function common(record: IntakeRecordDoc): Omit<IntakeSummary, 'attachments'> {
  const { _id, mailbox, messageId, threadId, from, authorName = '', to, cc, replyTo, subject, receivedAt } = record
  const { content, lens, trust, spam, test } = record
  return {
    intake_id: _id,
    mailbox,
    message_id: messageId,
    thread_id: threadId,
    from: from ?? { name: authorName, address: '' },
    to,
    cc,
    reply_to: replyTo[0] ?? null,
    subject: subject ?? '',
    received_at: receivedAt.toISOString(),
    reply: content?.reply ?? '',
    headers: content?.headers ?? {},
    lens: lens?.values ?? null,
    lens_evidence: lens?.evidence ?? null,
    lens_engine: lens?.engine ?? null,
    trust: trust === undefined ? null : trustRecord(trust),
    spam,
    test,
  }
}

const fileOf = ({
  name,
  contentType,
  sizeBytes,
}: Pick<IntakeRecordDoc['attachments'][number], 'name' | 'contentType' | 'sizeBytes'>) => ({
  name,
  content_type: contentType,
  size: sizeBytes,
})
