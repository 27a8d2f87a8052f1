/** A mail with a TLS report, and the report itself (RFC 8460 4, 5.3). */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { formatDate } from '../encoding/date.ts'

export type TlsReportOf = {
  /** The domain whose mail servers the report is about. */
  readonly domain: string
  /** The organisation that reports. */
  readonly submitter: string
  readonly contact: string
  readonly from: Date
  readonly until: Date
  readonly policies: readonly {
    readonly type: string
    readonly strings: readonly string[]
    readonly mxHosts: readonly string[]
    readonly successful: number
    /** All failed sessions; `failures` may leave some out. */
    readonly failed: number
    readonly failures: readonly {
      readonly type: string
      readonly sessions: number
      readonly sendingAddress: string | null
      readonly mx: string
      readonly address: string
      readonly detail: string | null
    }[]
  }[]
}

/** The report's own id, the same each time the report is made. */
export function tlsReportId({ domain, submitter, from }: TlsReportOf): string {
  return `${from.toISOString().slice(0, 10)}_${domain}@${submitter}`
}

/** The report as JSON in gzip (RFC 8460 4.4). */
export function tlsReportFile(report: TlsReportOf): Buffer {
  const { domain, submitter, contact, from, until, policies } = report
  const json = {
    'organization-name': submitter,
    'date-range': { 'start-datetime': timeText(from), 'end-datetime': timeText(until) },
    'contact-info': contact,
    'report-id': tlsReportId(report),
    policies: policies.map(({ type, strings, mxHosts, successful, failed, failures }) => ({
      policy: {
        'policy-type': type,
        ...(strings.length > 0 && { 'policy-string': strings }),
        'policy-domain': domain,
        ...(mxHosts.length > 0 && { 'mx-host': mxHosts }),
      },
      summary: {
        'total-successful-session-count': successful,
        'total-failure-session-count': failed,
      },
      ...(failures.length > 0 && {
        'failure-details': failures.map(({ type: result, sessions, sendingAddress, mx, address, detail }) => ({
          'result-type': result,
          ...(sendingAddress !== null && { 'sending-mta-ip': sendingAddress }),
          'receiving-mx-hostname': mx,
          'receiving-ip': address,
          'failed-session-count': sessions,
          ...(detail !== null && { 'failure-reason-code': detail }),
        })),
      }),
    })),
  }
  return gzipSync(JSON.stringify(json))
}

/** The mail that carries the report (RFC 8460 5.3): unsigned, with CRLF line ends; the same report gives the same bytes. */
export function tlsReportMail(
  report: TlsReportOf,
  { to, messageId, at }: { readonly to: string; readonly messageId: string; readonly at: Date },
): Buffer {
  const { domain, submitter, contact, from, until } = report
  const boundary = `=_${createHash('sha256').update(messageId).digest('hex').slice(0, 32)}`
  const seconds = [from, until].map((time) => Math.floor(time.getTime() / 1_000))
  const name = `${submitter}!${domain}!${seconds.join('!')}.json.gz`
  const lines = [
    `From: Mailroom <${contact}>`,
    `To: <${to}>`,
    `Subject: Report Domain: ${domain} Submitter: ${submitter}`,
    ` Report-ID: <${tlsReportId(report)}>`,
    `Date: ${formatDate(at)}`,
    `Message-ID: <${messageId}>`,
    `TLS-Report-Domain: ${domain}`,
    `TLS-Report-Submitter: ${submitter}`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type="tlsrpt"; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    `How connections of ${submitter} to the mail servers of`,
    `${domain} were encrypted on ${from.toISOString().slice(0, 10)} (RFC 8460).`,
    '',
    `--${boundary}`,
    'Content-Type: application/tlsrpt+gzip',
    'Content-Transfer-Encoding: base64',
    'Content-Disposition: attachment;',
    ` filename="${name}"`,
    '',
    ...(tlsReportFile(report)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
    `--${boundary}--`,
    '',
  ]
  return Buffer.from(lines.join('\r\n'))
}

/** RFC 3339 without fractions. */
const timeText = (time: Date) => `${time.toISOString().slice(0, 19)}Z`
