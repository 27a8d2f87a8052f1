/**
 * Makes a record: reads the mail and its files, asks Lens, writes the record once, and records its event, whose id is derived from the
 * record's. The process that makes it has its lease. After a crash another process may repeat each step, and no step counts twice.
 */
import { createHash } from 'node:crypto'
import { splitAddress } from '../../mail/message/address.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import type { IntakeAnswer, IntakeDoc, IntakeLens, IntakeRecordDoc } from '../../store/documents/intake.ts'
import * as store from '../../store/intake.ts'
import type { Take } from '../../store/usage.ts'
import { accountById } from '../access/known-callers.ts'
import { lensRuns, usagePeriod } from '../access/usage.ts'
import { extractText } from '../extraction/extract.ts'
import { runLens } from '../lens/run-lens.ts'
import { recordEvents } from '../notify/events.ts'
import { isUnreadable } from '../parsing/parsing.ts'
import { inTimeOf } from '../process/account-time.ts'
import type { Context } from '../process/context.ts'
import { causeOf } from '../process/tracing.ts'
import { bytesOf } from '../read/bodies.ts'
import { type MailReading, readMail } from './reading.ts'
import { intakeMessage } from './records.ts'
import { watchedAmong } from './watched.ts'

/** Files of a mail whose text is read (interface.md, Intake message). */
const readFilesMax = 3
/**
 * A record that was begun this often and never finished may have crashed its process: after `plainTries` its files and Lens are left
 * out, after `bareTries` its bodies too.
 */
const plainTries = 3
const bareTries = 5

/** Makes a record that this process has the lease of, and records its event. Deletes it if its mailbox is not watched any more. */
export async function makeRecord(ctx: Context, record: IntakeRecordDoc): Promise<void> {
  const own = inTimeOf(ctx, record.accountId)
  const intake = (await watchedAmong(own, [record.mailboxId])).get(record.mailboxId)
  if (intake === undefined) {
    await store.removeIntakeRecords(own.store, { mailboxId: record.mailboxId, _id: record._id }, 1)
    return
  }
  const made = record.madeAt === undefined ? await make(own, record, intake) : record
  if (made === null) return
  await recordEvents(own, [eventOf(own, made)])
  await store.finishRecord(own.store, made)
}

/** Makes a record and writes it. Returns null when another process has taken the lease meanwhile. */
async function make(ctx: Context, record: IntakeRecordDoc, intake: IntakeDoc): Promise<IntakeRecordDoc | null> {
  const { tries = 0 } = record
  const mail = await readMail(ctx, record, { isTried: tries <= bareTries })
  const isWhole = tries <= plainTries
  const attachments = isWhole ? await withTexts(ctx, record) : record.attachments
  const lens = isWhole && intake.lens.enabled ? await askLens(ctx, intake.lens, mail, attachments) : undefined
  const made = { madeAt: ctx.clock.now(), attachments, content: mail.content, ...(lens !== undefined && { lens }) }
  const take = lens === undefined || record.test ? null : lensTake(ctx, record.accountId)
  return (await store.writeMadeRecord(ctx.store, record, { made, take })) ? { ...record, ...made } : null
}

/** Counts a run of Lens. There is no limit: runs beyond the allowance count as extra usage. */
export function lensTake(ctx: Context, accountId: string): Take {
  const counts = [{ counter: lensRuns, by: 1, limit: null }]
  return { ...usagePeriod(accountId, 'month', ctx.clock.now()), counts }
}

/** Reads the texts of the first files of a mail. Inline parts, such as a logo in the body, do not count as files. */
export async function withTexts(
  ctx: Context,
  record: Pick<IntakeRecordDoc, 'accountId' | 'blob' | 'attachments'>,
): Promise<IntakeRecordDoc['attachments']> {
  const read = record.attachments
    .filter(({ inline }) => !inline)
    .slice(0, readFilesMax)
    .filter(mayHaveText)
  if (read.length === 0) return record.attachments
  const raw = await bytesOf(ctx, record)
  const contents = await contentsOf(
    ctx,
    raw,
    read.map(({ partId }) => partId),
  )
  const found = new Map<string, Awaited<ReturnType<typeof extractText>>>()
  for (const [n, { partId, name, contentType }] of read.entries()) {
    const bytes = contents[n]
    if (bytes == null) continue
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    found.set(partId, await extractText(ctx, { accountId: record.accountId, name, contentType, content }))
  }
  return record.attachments.map((file) => {
    const extracted = found.get(file.partId)
    return extracted == null ? file : { ...file, text: extracted.text, hidden: extracted.hidden }
  })
}

/** The contents of parts of a mail; empty when the mail cannot be parsed in time. */
async function contentsOf(
  ctx: Context,
  raw: Buffer,
  partIds: readonly string[],
): Promise<readonly (Uint8Array | null)[]> {
  try {
    return await ctx.parsing.run('files', { raw, partIds })
  } catch (error) {
    if (isUnreadable(error)) return []
    throw error
  }
}

/** Pictures and sounds have no text, and need not be decoded to find out. */
const mayHaveText = ({ contentType }: { readonly contentType: string }) => !/^(?:image|audio|video)\//.test(contentType)

/** Asks Lens for the values of the fields in a mail. */
export async function askLens(
  ctx: Context,
  { fields, quoted }: Pick<IntakeLens, 'fields' | 'quoted'>,
  { source }: MailReading,
  attachments: readonly { readonly text: string | null }[],
): Promise<IntakeAnswer> {
  const texts = attachments.map(({ text }) => (text === null ? null : { text }))
  const { lens, lensEvidence, lensEngine } = await runLens(ctx, {
    fields,
    source: { ...source, attachments: texts },
    quoted,
  })
  return { of: lensVersion({ fields, quoted }), engine: lensEngine, values: lens, evidence: lensEvidence }
}

/** Identifies the fields and options with which Lens is asked. */
export function lensVersion({ fields, quoted }: Pick<IntakeLens, 'fields' | 'quoted'>): string {
  const asked = fields.map(({ key, type, description }) => [key, type, description])
  return createHash('sha256')
    .update(JSON.stringify([quoted, asked]))
    .digest('base64url')
    .slice(0, 16)
}

function eventOf(ctx: Context, record: IntakeRecordDoc) {
  const { _id, accountId, mailbox, mailboxId } = record
  return {
    _id: store.intakeEventId(_id),
    accountId,
    type: 'intake.message',
    createdAt: ctx.clock.now(),
    mailbox,
    mailboxId,
    domain: splitAddress(mailbox).domain,
    ...causeOf(record),
    data: intakeMessage(ctx, record),
  }
}

/** Whether mail of an account gets records: all of it when the plan includes Intake, on a trial only the mail of set-up tests. */
export async function getsRecord(
  ctx: Context,
  accountId: string,
  { test }: { readonly test: boolean },
): Promise<boolean> {
  const account = await accountById(ctx, accountId)
  if (account === undefined) return false
  const { intake, intakeSetUp } = allowanceOf(account)
  return intake || (intakeSetUp && test)
}
