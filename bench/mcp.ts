/**
 * Measures MCP with many clients at once, all subscribed to their mailbox or all waiting for a message in it: how much memory each
 * takes, and how soon after the 250 of a message they are notified of it. See README.md.
 */
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createParser } from 'eventsource-parser'
import { closeContext } from '../core/process/context.ts'
import { SmtpClient } from '../test/peers/smtp-client.ts'
import { contextOf, type Service, startService } from '../test/start/service.ts'
import { quantile, shown, table } from './figures.ts'
import { pssMb } from './processes.ts'
import { makeSenders, type Sender } from './senders.ts'

const revision = '2026-07-28'
const kinds = ['subscribed', 'waiting'] as const
type Kind = (typeof kinds)[number]
const goalMs = 100
/** How long the service rests after the number of clients has changed, so that the change itself is not measured. */
const settleMs = 5_000
const givenUpMs = 60_000
/** The pause between the first waits of two clients, since there is no sign that a wait has begun. */
const paceMs = 5
/** Long enough that no wait ends by itself. */
const waitSeconds = 55

/** One client. It is notified of one message at a time. */
type Listener = { heard: () => void; readonly close: () => void }

/** Runs the bench. Options: --quick, --clients N, --mails N, --only subscribed, --profile DIR. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      clients: { type: 'string' },
      mails: { type: 'string' },
      only: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  const clients = Number(values.clients ?? 1_000)
  const mails = Number(values.mails ?? (values.quick ? 24 : 240))
  const rows: string[][] = []
  const chosen = kinds.filter((kind) => values.only?.split(',').includes(kind) ?? true)
  for (const kind of chosen) rows.push(await measure({ kind, clients, mails, profileDir: values.profile }))
  const head = ['clients', 'n', 'KiB each', 'mails', 'p50 ms', 'p99 ms', 'max ms', 'goal']
  console.log(`\nFrom the 250 until each client of the mailbox is notified.\n\n${table(head, rows)}`)
}

type Asked = {
  readonly kind: Kind
  readonly clients: number
  readonly mails: number
  readonly profileDir: string | undefined
}

/** Measures clients of one kind with a new service, whose memory has not grown yet. */
async function measure(asked: Asked): Promise<string[]> {
  const service = await startService({
    env: {
      MAILROOM_LOG_LEVEL: 'warn',
      MAILROOM_LIMITS_HTTP_CONNECTIONS_PER_ADDRESS: String(asked.clients + 100),
      MAILROOM_LIMITS_HTTP_CONNECTIONS_PER_NETWORK: String(asked.clients + 100),
      MAILROOM_LIMITS_HTTP_CONNECTIONS: String(asked.clients + 100),
      ...(asked.profileDir !== undefined && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(asked.profileDir)}` }),
    },
  })
  const ctx = await contextOf(service)
  try {
    return await measureAt(service, await makeSenders(ctx), asked)
  } finally {
    await closeContext(ctx)
    await service.dispose()
  }
}

async function measureAt(
  service: Service,
  senders: readonly Sender[],
  { kind, clients, mails }: Asked,
): Promise<string[]> {
  const roots = [service.process.pid ?? 0]
  const listeners = senders.map((): Listener[] => [])
  const open = kind === 'subscribed' ? subscribe : wait
  // The first client of each account loads the data that the others share.
  await Promise.all(senders.map((sender, n) => open(service.http, sender).then((one) => listeners[n]!.push(one))))
  await sleep(settleMs)
  const before = pssMb(roots)
  for (let n = senders.length; n < clients; n++)
    listeners[n % senders.length]!.push(await open(service.http, senders[n % senders.length]!))
  await sleep(settleMs)
  const eachKb = ((pssMb(roots) - before) * 1024) / (clients - senders.length)
  const session = await SmtpClient.hello(service.smtp)
  const times: number[] = []
  for (let n = 0; n < mails; n++) {
    const sender = senders[n % senders.length]!
    times.push(...(await mail(session, sender, listeners[n % senders.length]!, `${kind} ${n}`)))
  }
  for (const each of listeners.flat()) each.close()
  const p99 = quantile(times, 0.99)
  const figures = [clients, eachKb, mails, quantile(times, 0.5), p99, Math.max(...times)].map(shown)
  return [kind, ...figures, `p99 < ${goalMs}: ${p99 < goalMs ? 'met' : 'missed'}`]
}

/** Sends one message. Returns after how many ms from its 250 each listener was notified; 0 for one that was notified earlier. */
async function mail(
  session: SmtpClient,
  { mailbox }: Sender,
  listeners: readonly Listener[],
  subject: string,
): Promise<readonly number[]> {
  const heard = listeners.map((listener) => {
    const { promise, resolve } = Promise.withResolvers<number>()
    listener.heard = () => resolve(performance.now())
    return promise
  })
  const raw = `From: carol@remote.example\r\nTo: ${mailbox.address}\r\nSubject: ${subject}\r\n\r\n${'Text.\r\n'.repeat(400)}`
  const { code, text } = await session.send([mailbox.address], raw)
  if (code !== 250) throw new Error(`A message was refused: ${text}`)
  const acceptedAt = performance.now()
  const late = sleep(givenUpMs).then(() => {
    throw new Error(`Not all clients were notified of "${subject}" within ${givenUpMs} ms.`)
  })
  const times = await Promise.race([Promise.all(heard), late])
  return times.map((at) => Math.max(0, at - acceptedAt))
}

async function subscribe(http: string, { key, mailbox }: Sender): Promise<Listener> {
  const own = new AbortController()
  const uri = `mailroom://mailbox/${encodeURIComponent(mailbox.address)}`
  const response = await ask(
    http,
    key,
    'subscriptions/listen',
    { notifications: { resourceSubscriptions: [uri] } },
    own,
  )
  const acknowledged = Promise.withResolvers<void>()
  const listener: Listener = { heard: () => undefined, close: () => own.abort() }
  const parser = createParser({
    onEvent: ({ data }) => (data.includes('acknowledged') ? acknowledged.resolve() : listener.heard()),
  })
  const read = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) parser.feed(chunk)
  }
  read().catch(() => undefined)
  await acknowledged.promise
  return listener
}

/** Waits again and again, each time from the cursor of the last wait. */
async function wait(http: string, { key, mailbox }: Sender): Promise<Listener> {
  const own = new AbortController()
  const listener: Listener = { heard: () => undefined, close: () => own.abort() }
  const again = async (since: string) => {
    const given = { mailbox: mailbox.address, timeout: waitSeconds, since }
    const params = { name: 'wait_for_message', arguments: given }
    const { result } = (await (await ask(http, key, 'tools/call', params, own)).json()) as {
      result: { structuredContent: { message: unknown; cursor?: string } }
    }
    const { message, cursor } = result.structuredContent
    if (cursor === undefined) throw new Error(`A wait was refused: ${JSON.stringify(result)}`)
    if (message !== null) listener.heard()
    await again(cursor)
  }
  again(new Date().toISOString()).catch((error: unknown) => {
    if (!own.signal.aborted) throw error
  })
  await sleep(paceMs)
  return listener
}

async function ask(
  http: string,
  key: string,
  method: string,
  params: { readonly [name: string]: unknown },
  { signal }: AbortController,
): Promise<Response> {
  const response = await fetch(`${http}/api/mcp`, {
    method: 'POST',
    signal,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': revision,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
  if (!response.ok) throw new Error(`${method} was refused: ${await response.text()}`)
  return response
}
