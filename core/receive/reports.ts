/**
 * What comes back about mail we sent: delivery status notifications and abuse feedback change the recipient they speak of
 * (decisions.md 2, Delivery states). Only what names a send by its return path, or by its Message-ID and one of its
 * recipients, is believed.
 */
import { splitAddress } from '../../mail/message/address.ts'
import type { ParsedMessage } from '../../mail/message/parse.ts'
import { type RecipientReport, type Report, readReport } from '../../mail/report/report.ts'
import type { DeliveryStatus, EmailDoc } from '../../store/documents/sending.ts'
import * as store from '../../store/emails.ts'
import type { Context } from '../process/context.ts'
import { type Recipient, roleNames } from './recipients.ts'
import { type Returned, readReturnPath } from './return-path.ts'

/** Feedback that says the recipient does not want the mail (RFC 5965 7.3). */
const complaints = new Set(['abuse', 'fraud', 'virus', 'other', 'opt-out'])

/**
 * The recipients that are to see a message: without return paths when it was a report of what was sent from there. What comes
 * to postmaster and abuse is read as a report too, and seen all the same.
 */
export async function withoutReported(
  ctx: Context,
  { raw, parsed, recipients }: { raw: Buffer; parsed: ParsedMessage; recipients: readonly Recipient[] },
): Promise<readonly Recipient[]> {
  const kept: Recipient[] = []
  for (const recipient of recipients) {
    const { address, returned = null } = recipient
    const reads = returned !== null || roleNames.has(splitAddress(address).local)
    const taken = reads && (await takeReport(ctx, { raw, parsed, returned }))
    if (!taken || returned === null) kept.push(recipient)
  }
  return kept
}

/**
 * Takes a message for a report. `returned` is what the address it came to names, if it was a return path. Returns whether it
 * was a report of a send of ours: then nobody needs to see it. Safe to repeat.
 */
async function takeReport(
  ctx: Context,
  { raw, parsed, returned }: { raw: Buffer; parsed: ParsedMessage; returned: Returned | null },
): Promise<boolean> {
  const report = readReport(raw, parsed)
  if (report === null) return false
  const found = await reportedSend(ctx, report, returned)
  if (found === null) return false
  const { email, n } = found
  if (report.kind === 'abuse') {
    if (complaints.has(report.feedbackType))
      await change(ctx, email, n, {
        from: ['queued', 'sent', 'delivered'],
        status: 'complained',
        reason: report.feedbackType,
      })
    return true
  }
  const recipient = email.recipients[n]?.email
  const said = report.recipients.find((each) => each.recipient === recipient) ?? report.recipients[0]
  if (said?.action === 'failed')
    await change(ctx, email, n, {
      from: ['queued', 'sent', 'delivered'],
      status: 'bounced',
      reason: said.status?.startsWith('4') ? 'transient' : 'permanent',
      response: responseOf(said),
      mx: said.remoteMta,
    })
  return true
}

async function reportedSend(
  ctx: Context,
  report: Report,
  returned: Returned | null,
): Promise<{ email: EmailDoc; n: number } | null> {
  const named = returned ?? returnedIn(ctx, report)
  if (named !== null) {
    const email = await store.findEmailById(ctx.store, named.emailId)
    return email === null || email.recipients[named.n] === undefined ? null : { email, n: named.n }
  }
  const id = /^(em_[0-9a-z]{26})@/.exec(report.original.messageId ?? '')?.[1]
  if (id === undefined) return null
  const email = await store.findEmailById(ctx.store, id)
  const spoken =
    report.kind === 'abuse' ? report.originalRecipients : report.recipients.flatMap(({ recipient }) => recipient ?? [])
  const n = email?.recipients.findIndex((recipient) => spoken.includes(recipient.email)) ?? -1
  return email === null || n < 0 ? null : { email, n }
}

/** A return path of ours that the report itself holds. */
function returnedIn(ctx: Context, report: Report): Returned | null {
  const paths = [report.original.returnPath, report.kind === 'abuse' ? report.originalSender : null]
  for (const path of paths) {
    const named = path === null ? null : readReturnPath(ctx, path)
    if (named !== null && named !== 'forged') return named
  }
  return null
}

async function change(
  ctx: Context,
  { accountId, _id: emailId }: EmailDoc,
  n: number,
  {
    from,
    ...what
  }: {
    from: readonly DeliveryStatus[]
    status: 'bounced' | 'complained'
    reason: string
    response?: string
    mx?: string | null
  },
): Promise<void> {
  const at = ctx.clock.now()
  if (await store.changeRecipient(ctx.store, { accountId, emailId, n, from, change: { ...what, at }, at }))
    ctx.changes.publish({ kind: 'emails', ids: [emailId] })
}

/** The report in the form of a reply, so that it is read like one. */
function responseOf({ status, diagnostic }: RecipientReport): string {
  if (diagnostic !== null && /^\d{3}[ -]/.test(diagnostic)) return diagnostic
  const code = status?.startsWith('4') ? '450' : '550'
  return [code, status ?? '5.0.0', diagnostic ?? 'reported as not delivered'].join(' ')
}
