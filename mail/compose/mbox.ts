/** Mail as mbox (RFC 4155), quoted so that it can be read back byte for byte but for line ends (mboxrd). */

export type MboxEntry = {
  /** The envelope sender; '' for none. */
  readonly sender: string
  readonly receivedAt: Date
  readonly raw: Buffer
}

/**
 * One message of an mbox file: its separator line, its lines ended by LF, and an empty line. A line that begins with `From `
 * gets a `>` in front, and so does one that has some there already, so that a reader takes off exactly one.
 */
export function mboxEntry({ sender, receivedAt, raw }: MboxEntry): Buffer {
  const from = sender.replaceAll(/[^\x21-\x7e]/g, '?') || 'MAILER-DAEMON'
  // A character for each byte: nothing is decoded.
  const text = raw.toString('latin1').replaceAll('\r\n', '\n')
  const quoted = text.replaceAll(/(^|\n)(?=>*From )/g, '$1>')
  return Buffer.from(`From ${from} ${asctime(receivedAt)}\n${quoted}${quoted.endsWith('\n') ? '' : '\n'}\n`, 'latin1')
}

/** As C's asctime writes a time, in UTC (RFC 4155, Appendix A): `Thu Nov  5 09:04:03 2026`. */
function asctime(at: Date): string {
  const [day = '', date = '', month = '', year = '', time = ''] = at.toUTCString().replace(',', '').split(' ')
  return `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`
}
