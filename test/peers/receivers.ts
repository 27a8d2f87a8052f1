/** Receivers for tests: a webhook endpoint and an SMTP server, which store what they get. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string; readonly at: number }
export type WebhookReceiver = { readonly url: string; readonly requests: readonly Received[]; close(): Promise<void> }

/** Starts a webhook endpoint. It answers the nth POST with the status that `answer` returns for n; 200 by default. */
export async function startWebhookReceiver(
  answer: (count: number, received: Received) => number = () => 200,
): Promise<WebhookReceiver> {
  const requests: Received[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const received = { headers: request.headers, body: Buffer.concat(parts).toString(), at: Date.now() }
      requests.push(received)
      response.writeHead(answer(requests.length, received)).end('ok')
    })
  })
  return { url: `http://127.0.0.1:${await listen(server)}/hook`, requests, close: () => closeServer(server) }
}

export type SunkMail = { readonly from: string; readonly to: readonly string[]; readonly raw: Buffer }
export type SmtpSink = { readonly port: number; readonly mails: readonly SunkMail[]; close(): Promise<void> }

/** Starts an SMTP server. It accepts all mail, unless the options say otherwise. */
export async function startSmtpSink(options: SMTPServerOptions = {}): Promise<SmtpSink> {
  const mails: SunkMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(parts),
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.server.address() as AddressInfo).port))
  })
  return { port, mails, close: () => new Promise((resolve) => server.close(() => resolve())) }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
