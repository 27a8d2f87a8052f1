/**
 * Reports about mail we sent: delivery status notifications and abuse feedback change the status of the recipient they
 * are about (decisions.md 2, Delivery states). A report is believed only when it names the return path of that recipient: every
 * recipient of a send knows its Message-ID and who else received it, so naming these proves nothing.
 */
import { enhancedStatusOf } from '../../mail/encoding/enhanced-status.ts'
import { splitAddress } from '../../mail/message/address.ts'
import type { ParsedMessage } from '../../mail/message/parse.ts'
import { type RecipientReport, type Report, readReport } from '../../mail/report/report.ts'
import { Failure } from '../../schemas/failures.ts'
import type { DeliveryStatus, EmailDoc } from '../../store/documents/sending.ts'
import * as store from '../../store/emails.ts'
import { type Check, keepCheck } from '../deliverability/check-mailbox.ts'
import { keepReports } from '../deliverability/report-arrivals.ts'
import { inTimeOf } from '../process/account-time.ts'
import type { Context } from '../process/context.ts'
import { type Recipient, roleNames } from './recipients.ts'
import { type ReturnPath, readReturnPath } from './return-path.ts'
import type { Verdict } from './sender-verdict.ts'
import type { Peer } from './trace-headers.ts'

/** Feedback types that mean the recipient does not want the mail (RFC 5965 7.3). */
const complaints = new Set(['abuse', 'fraud', 'virus', 'other', 'opt-out'])

type Arrival = {
  readonly raw: Buffer
  readonly parsed: ParsedMessage
  readonly recipients: readonly Recipient[]
  readonly peer: Peer
  readonly verdict?: Verdict | undefined
}

/**
 * Processes a message as a report where it may be one. Returns the recipients to which the message is still delivered:
 * all except report addresses of domains, check addresses, and return paths that received a report about their send. A
 * message to postmaster or abuse is processed as a report too, and always delivered. When a report address refuses the
 * message and nobody else gets it, fails as `keepReports` does.
 */
export async function processReports(
  ctx: Context,
  { raw, parsed, recipients, peer, verdict }: Arrival,
): Promise<readonly Recipient[]> {
  const kept: Recipient[] = []
  const about = recipients.flatMap(({ reportsAbout }) => reportsAbout ?? [])
  const sender = verdict?.authentication ?? { alignedFrom: null, perhapsAligned: false, dkim: [] }
  const refusal = about.length === 0 ? null : await keepReports(ctx, { raw, about, sender }).then(() => null, asRefusal)
  for (const recipient of recipients) {
    const { address, returnPath = null, reportsAbout, checkId } = recipient
    if (reportsAbout !== undefined) continue
    if (checkId !== undefined) {
      await keepCheck(ctx, checkId, checkFrom(ctx, peer, verdict))
      continue
    }
    const mayBeReport = returnPath !== null || roleNames.has(splitAddress(address).local)
    const isReport = mayBeReport && (await processReport(ctx, { raw, parsed, returnPath }))
    if (!isReport || returnPath === null) kept.push(recipient)
  }
  if (refusal !== null && kept.length === 0) throw refusal
  return kept
}

function checkFrom(ctx: Context, { address: client, helo, cipher }: Peer, verdict: Verdict | undefined): Check {
  return { at: ctx.clock.now(), client, helo, cipher, results: verdict?.authentication.infos ?? null }
}

/** Returns a refusal that a retry would not change. Throws any other error, so that the sender retries for all recipients. */
function asRefusal(error: unknown): Failure {
  if (error instanceof Failure && error.code !== 'unavailable') return error
  throw error
}

/**
 * Processes a message as a report. `returnPath` is the return path that it came to, if any. Returns whether it is a
 * report that states an outcome of one of our sends: any other message is for a person to read. Safe to repeat.
 */
async function processReport(
  ctx: Context,
  { raw, parsed, returnPath }: { raw: Buffer; parsed: ParsedMessage; returnPath: ReturnPath | null },
): Promise<boolean> {
  const report = readReport(raw, parsed)
  if (report === null) return false
  const found = await findReportedSend(ctx, report, returnPath)
  if (found === null) return false
  const { email, n } = found
  if (report.kind === 'abuse') {
    if (complaints.has(report.feedbackType))
      await changeStatus(ctx, email, n, {
        from: ['queued', 'sent', 'delivered'],
        status: 'complained',
        reason: report.feedbackType,
      })
    return true
  }
  const recipient = email.recipients[n]?.email
  const reported = report.recipients.find((each) => each.recipient === recipient) ?? inOneVoice(report.recipients)
  if (reported === null) return false
  if (reported.action === 'failed')
    await changeStatus(ctx, email, n, {
      from: ['queued', 'sent', 'delivered'],
      status: 'bounced',
      reason: reported.status?.startsWith('4') ? 'transient' : 'permanent',
      response: responseOf(reported),
      mx: reported.remoteMta,
    })
  return true
}

/**
 * The report that stands for all: the recipient may lead to several addresses, as a mailing list does. Null when their actions
 * differ, or there is no report.
 */
function inOneVoice([first, ...others]: readonly RecipientReport[]): RecipientReport | null {
  return first === undefined || others.some(({ action }) => action !== first.action) ? null : first
}

async function findReportedSend(
  ctx: Context,
  report: Report,
  returnPath: ReturnPath | null,
): Promise<{ email: EmailDoc; n: number } | null> {
  const named = returnPath ?? returnPathIn(ctx, report)
  if (named === null) return null
  const email = await store.findEmailById(ctx.store, named.emailId)
  return email?.recipients[named.n] === undefined ? null : { email, n: named.n }
}

/** A return path of ours that is named inside the report. */
function returnPathIn(ctx: Context, report: Report): ReturnPath | null {
  const paths = [report.originalReturnPath, report.kind === 'abuse' ? report.originalSender : null]
  for (const path of paths) {
    const named = path === null ? null : readReturnPath(ctx, path)
    if (named !== null && named !== 'forged') return named
  }
  return null
}

async function changeStatus(
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
  const at = inTimeOf(ctx, accountId).clock.now()
  if (await store.changeRecipient(ctx.store, { accountId, emailId, n, from, change: { ...what, at }, at }))
    ctx.changes.publish({ kind: 'emails', ids: [emailId], accountIds: [accountId] })
}

/** The reported status as an SMTP reply, so that it is shown like one. A status that the reported reply lacks is inserted into it. */
function responseOf({ status, diagnostic }: RecipientReport): string {
  if (diagnostic !== null && /^\d{3}[ -]/.test(diagnostic)) {
    const tells = status !== null && status[0] === diagnostic[0] && !status.endsWith('.0.0')
    return tells && enhancedStatusOf(diagnostic) === null
      ? `${diagnostic.slice(0, 4)}${status} ${diagnostic.slice(4)}`
      : diagnostic
  }
  const code = status?.startsWith('4') ? '450' : '550'
  return [code, status ?? '5.0.0', diagnostic ?? 'reported as not delivered'].join(' ')
}
