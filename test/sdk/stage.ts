/** What is around a program that uses the package (program.js): mails that arrive, a gateway that fails, webhooks that are signed. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { signatureHeaders, signingSecret } from '../../core/notify/signature.ts'
import type { Verdict } from '../../core/receive/sender-verdict.ts'
import { eventually } from '../eventually.ts'
import { type Fault, openFaultyGateway } from '../peers/faulty-gateway.ts'

/** Of mail whose author, at remote.example, did write it. */
export const verdict: Verdict = {
  authentication: {
    ...{ spf: 'pass', dkim: [{ domain: 'remote.example', result: 'pass' }], dmarc: 'pass', arc: 'none' },
    ...{ alignedFrom: 'remote.example', perhapsAligned: false, infos: [] },
  },
  cuts: [],
  suspicion: null,
}

/** Long enough to come in several pieces. */
const attachment = Buffer.from(Array.from({ length: 1_000_000 }, (_, n) => (n * 7) % 251))

/** What the program returns when all is right. */
export const expected = {
  readme: [
    ...[1, 'Order 66, please.', true, true, ['order'], 'queued'],
    ...['CLAIM_REQUIRED', 'string', 'whsec_', ['Is it on its way?']],
  ],
  file: {
    name: 'notes.bin',
    bytes: attachment.length,
    sum: attachment.reduce((sum, byte) => sum + byte, 0),
    isInPieces: true,
  },
  events: ['Event 0', 'Event 1', 'Event 2', 'Event 3', 'Event 4', 'Event 5'],
  aborted: ['left /wait', 'left /events/stream'],
  webhooks: ['evt_1', true, 400],
  sent: ['queued', 1],
  redirected: ['ConnectionError', 0],
}

type Letter = { readonly to: string; readonly subject: string; readonly text?: string; readonly attachment?: string }
type Given = Letter & { readonly faults?: readonly Fault[]; readonly path: string; readonly since: number }

/** What the program is told, but for whether its runtime has an environment. */
export type Stage = { readonly http: string; readonly gateway: string; readonly stage: string; close(): Promise<void> }

/** `http` is the service; `deliver` has a mail arrive there, and returns when it has. */
export async function openStage(http: string, deliver: (to: string, raw: string) => Promise<unknown>): Promise<Stage> {
  const gateway = await openFaultyGateway(http)
  const acts: { readonly [what: string]: (given: Given & readonly Fault[]) => Promise<unknown> | unknown } = {
    mail: async (given) => {
      await deliver(given.to, letter(given))
      return {}
    },
    cut: ({ faults = [] }) => {
      gateway.next(...faults)
      gateway.cut()
      return {}
    },
    faults: (given) => {
      gateway.next(...given)
      return { seen: gateway.seen.length }
    },
    asked: ({ path }) => eventually(`${path} is asked`, () => gateway.seen.at(-1)?.url.includes(path) === true && {}),
    seen: ({ path, since }) => gateway.seen.slice(since).filter(({ url }) => url.includes(path)).length,
    webhook: () => {
      const [id, secret] = ['evt_1', `whsec_${Buffer.alloc(32, 7).toString('base64')}`]
      const body = JSON.stringify({ id, type: 'message.received', created_at: 'now', data: {} })
      return { headers: signatureHeaders({ id, body, secrets: [signingSecret(secret)], at: new Date() }), body, secret }
    },
  }
  const server = createServer(async (request, response) => {
    const act = acts[request.url?.slice(1) ?? '']
    try {
      const answer = await act?.(JSON.parse(await text(request)))
      response.end(JSON.stringify(answer))
    } catch (error) {
      response.writeHead(500).end(JSON.stringify(String(error)))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    http,
    gateway: gateway.http,
    stage: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await gateway.close()
    },
  }
}

function letter({ to, subject, text: words = '', attachment: name }: Letter): string {
  const id = `${subject}.${to}`.replaceAll(/[^\w.]/g, '.')
  const head = `From: Shop <shop@remote.example>\r\nTo: ${to}\r\nSubject: ${subject}\r\nMessage-ID: <${id}@remote.example>\r\n`
  if (name === undefined) return `${head}\r\n${words}\r\n`
  const content = attachment.toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  return `${head}Content-Type: application/octet-stream; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${content}\r\n`
}
