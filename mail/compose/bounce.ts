/** The report a person gets when mail of their mail program could not be delivered (RFC 3464, RFC 6522; in UTF-8 RFC 6533). */
import { isAscii } from 'node:buffer'
import { createHash } from 'node:crypto'
import { formatDate } from '../encoding/date.ts'
import { enhancedStatusOf } from '../encoding/enhanced-status.ts'

export type Bounce = {
  readonly to: string
  /** Domain that reports, and the host name of the machine. */
  readonly domain: string
  readonly hostname: string
  readonly messageId: string
  readonly at: Date
  readonly recipient: string
  /** The remote's answer, word for word, or the reason in the form of one. */
  readonly response: string
  /** Null when no server was contacted. */
  readonly remoteMta: string | null
  /** Whether delivery was tried until the time limit. The response is then that of the last attempt, by the server or by the sender. */
  readonly isGivenUp: boolean
  /** Header of the mail that came back, CRLF line ends. */
  readonly originalHeader: Buffer
}

/**
 * Writes the report as a message (RFC 3464, RFC 6522): a text for people, the delivery status for programs, and the header
 * of the mail that came back. CRLF line ends; the same bounce gives the same bytes.
 */
export function bounceMessage(bounce: Bounce): Buffer {
  const { to, domain, messageId, at, originalHeader } = bounce
  const boundary = `=_${createHash('sha256').update(messageId).digest('hex').slice(0, 32)}`
  const head = [
    `From: Mail Delivery System <mailer-daemon@${domain}>`,
    `To: <${to}>`,
    'Subject: Undelivered Mail Returned to Sender',
    `Date: ${formatDate(at)}`,
    `Message-ID: <${messageId}>`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    'Content-Transfer-Encoding: 8bit',
    '',
    `--${boundary}`,
    ...notice(bounce),
    `--${boundary}`,
    ...deliveryStatus(bounce),
    `--${boundary}`,
    ...partOf('text/rfc822-headers', { inUtf8: 'message/global-headers', isPlain: isAscii(originalHeader) }),
    '',
    '',
  ].join('\r\n')
  return Buffer.concat([Buffer.from(head), originalHeader, Buffer.from(`\r\n--${boundary}--\r\n`)])
}

/** The part for people. */
function notice(bounce: Bounce): readonly string[] {
  const { recipient, response } = bounce
  return [
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    'Your message could not be delivered to',
    '',
    `    ${recipient}`,
    '',
    introduction(bounce),
    '',
    ...response.split('\n').map((line) => `    ${oneLine(line)}`),
    '',
  ]
}

function introduction({ remoteMta, isGivenUp }: Bounce): string {
  if (isGivenUp) return 'Delivery was tried until its time limit. The result of the last attempt:'
  return remoteMta === null ? 'The reason:' : 'The mail system there answered:'
}

/** The part for programs (RFC 3464 2). */
function deliveryStatus({ hostname, recipient, response, remoteMta }: Bounce): readonly string[] {
  const answer = oneLine(response)
  const status = enhancedStatusOf(response) ?? (answer.startsWith('4') ? '4.0.0' : '5.0.0')
  const fields = [
    `Reporting-MTA: dns; ${hostname}`,
    '',
    `Final-Recipient: ${isInAscii(recipient) ? 'rfc822' : 'utf-8'}; ${recipient}`,
    'Action: failed',
    `Status: ${status}`,
    ...(remoteMta === null ? [] : [`Remote-MTA: dns; ${oneLine(remoteMta)}`]),
    `Diagnostic-Code: smtp; ${answer}`,
    '',
  ]
  const type = { inUtf8: 'message/global-delivery-status', isPlain: fields.every(isInAscii) }
  return [...partOf('message/delivery-status', type), '', ...fields]
}

/** The header of a part, whose type is another one when its content is not ASCII (RFC 6533). */
function partOf(type: string, { inUtf8, isPlain }: { inUtf8: string; isPlain: boolean }): readonly string[] {
  return isPlain ? [`Content-Type: ${type}`] : [`Content-Type: ${inUtf8}`, 'Content-Transfer-Encoding: 8bit']
}

const isInAscii = (text: string) => isAscii(Buffer.from(text))

const responseLineCharsMax = 900

/** A line without characters that would end it or control a terminal. */
const oneLine = (text: string) =>
  text
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, responseLineCharsMax)
