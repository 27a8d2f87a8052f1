/** A plain SMTP client for tests: nodemailer's connection, which sends bytes unchanged. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import SMTPConnection from 'nodemailer/lib/smtp-connection/index.js'

export type Sent = { readonly response: string; readonly accepted: readonly string[] }

/** Sends one message; rejects with the server's answer when it is refused. STARTTLS is required unless `tls` is false. */
export async function sendMail(
  smtp: string,
  { from, to, raw, tls = true }: { from: string; to: string | readonly string[]; raw: Buffer; tls?: boolean },
): Promise<Sent> {
  const [host, port] = smtp.split(':')
  const connection = new SMTPConnection({
    host,
    port: Number(port),
    requireTLS: tls,
    ignoreTLS: !tls,
    tls: { rejectUnauthorized: false },
    connectionTimeout: 10_000,
    socketTimeout: 30_000,
  })
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject)
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    return await new Promise<Sent>((resolve, reject) => {
      const envelope = { from, to: typeof to === 'string' ? [to] : [...to], use8BitMime: true, size: raw.length }
      connection.send(envelope, raw, (error, info) =>
        error ? reject(error) : resolve({ response: info.response, accepted: info.accepted }),
      )
    })
  } finally {
    connection.close()
  }
}

const fixtures = fileURLToPath(new URL('../fixtures/mime', import.meta.url))

/** Returns the messages of test/fixtures/mime as they are sent: with CRLF line ends, also after the last line. */
export function mimeFixtures(): readonly { readonly name: string; readonly raw: Buffer }[] {
  return readdirSync(fixtures)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => ({ name, raw: asSent(readFileSync(path.join(fixtures, name))) }))
}

/** Returns the bytes with CRLF line ends, also after the last line. */
export function asSent(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replaceAll(/\r\n|\r|\n/g, '\r\n')
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1')
}
