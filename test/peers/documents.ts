/** A web server over https whose certificate this process trusts, on which programs publish their metadata documents. */
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { generate } from 'selfsigned'

export type Document = {
  readonly body: string
  readonly status?: number
  /** Whether the server hangs up instead of answering. */
  readonly hangsUp?: boolean
  readonly headers?: { readonly [name: string]: string }
}

export type Publisher = {
  /** For example `https://127.0.0.1:43210`. */
  readonly origin: string
  /** Publishes a document at a path. Returns its URL. */
  publish(path: string, document: (url: string) => Document): string
  /** How often a URL was requested. */
  asked(url: string): number
  close(): Promise<void>
}

export async function openPublisher(): Promise<Publisher> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, cert])
  const documents = new Map<string, Document>()
  const counts = new Map<string, number>()
  const server: Server = createServer({ key, cert }, ({ url = '' }, response) => {
    counts.set(url, (counts.get(url) ?? 0) + 1)
    const { body, status, headers, hangsUp }: Document = documents.get(url) ?? { body: '', status: 404 }
    if (hangsUp === true) response.destroy()
    else response.writeHead(status ?? 200, { 'content-type': 'application/json', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    publish(path, document) {
      const url = `${origin}${path}`
      documents.set(path, document(url))
      return url
    },
    asked: (url) => counts.get(url.slice(origin.length)) ?? 0,
    async close() {
      setDefaultCACertificates(trusted)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
