/** Writes mail as mbox (RFC 4155). Its quoting (mboxrd) lets everything but the line ends be read back byte for byte. */

export type MboxEntry = {
  /** The envelope sender; '' for none. */
  readonly sender: string
  readonly receivedAt: Date
  readonly raw: Buffer
}

/**
 * One message of an mbox file: its separator line, its lines ended by LF, and an empty line. A line that begins with `From `,
 * with or without `>` before it, gets one more `>`, so that a reader always removes exactly one.
 */
export function mboxEntry({ sender, receivedAt, raw }: MboxEntry): Buffer {
  const from = sender.replaceAll(/[^\x21-\x7e]/g, '?') || 'MAILER-DAEMON'
  // One character for each byte: nothing is decoded.
  const text = raw.toString('latin1').replaceAll('\r\n', '\n')
  const quoted = text.replaceAll(/(^|\n)(?=>*From )/g, '$1>')
  return Buffer.from(`From ${from} ${asctime(receivedAt)}\n${quoted}${quoted.endsWith('\n') ? '' : '\n'}\n`, 'latin1')
}

/** As C's asctime writes a time, in UTC (RFC 4155, Appendix A): `Thu Nov  5 09:04:03 2026`. */
function asctime(at: Date): string {
  const [day = '', date = '', month = '', year = '', time = ''] = at.toUTCString().replace(',', '').split(' ')
  return `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`
}
