/** Clients that begin TLS with the service, by STARTTLS or from the first byte, and report which certificate they get. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'

export type Door = { readonly port: number; readonly speaks: 'http' | 'smtp' | 'imap'; readonly startsWithTls: boolean }

export type Secured = {
  /** The names in the certificate, unparsed. */
  readonly names: string
  readonly serial: string
  /** Makes a request over the connection; rejects when the answer is not the expected one. */
  ask(): Promise<void>
  end(): void
}

/** Connects and begins TLS. `name` is the host name of the client's SNI; without it there is none. */
export async function secure({ port, speaks, startsWithTls }: Door, name?: string): Promise<Secured> {
  const plain = connect(port, '127.0.0.1')
  await once(plain, 'connect')
  if (!startsWithTls) {
    await said(plain, /\r\n$/)
    if (speaks === 'smtp') {
      plain.write('EHLO client.example\r\n')
      await said(plain, /250 .*\r\n$/)
    }
    plain.write(speaks === 'smtp' ? 'STARTTLS\r\n' : 'a STARTTLS\r\n')
    await said(plain, /\r\n$/)
  }
  const socket = connectTls({
    socket: plain,
    rejectUnauthorized: false,
    ...(name !== undefined && { servername: name }),
  })
  await once(socket, 'secureConnect')
  if (startsWithTls && speaks !== 'http') await said(socket, /\r\n$/)
  const { subjectaltname = '', serialNumber } = socket.getPeerCertificate()
  return {
    names: subjectaltname,
    serial: serialNumber,
    async ask() {
      const [question, answer] = exchanges[speaks]
      socket.write(question)
      await said(socket, answer)
    },
    end: () => socket.destroy(),
  }
}

const exchanges: Readonly<Record<Door['speaks'], readonly [string, RegExp]>> = {
  http: ['GET /healthz HTTP/1.1\r\nHost: mx.tests.example\r\n\r\n', /^HTTP\/1\.1 200 OK\r\n.*"ok"/s],
  smtp: ['NOOP\r\n', /^250 .*\r\n$/],
  imap: ['b NOOP\r\n', /^b OK .*\r\n$/],
}

/** Reads until the received text matches; rejects when the connection ends earlier. */
async function said(socket: Socket | TLSSocket, wanted: RegExp): Promise<void> {
  let text = ''
  while (!wanted.test(text)) {
    const chunk = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => null)])
    if (chunk === null) throw new Error(`The connection ended after: ${text}`)
    text += String(chunk[0])
  }
}
