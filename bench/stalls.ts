/**
 * Measures whether large messages delay other work: how late the turns of the event loops of all processes are while messages of
 * 1, 10 and 25 MB arrive, are read, searched and sent. See README.md.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { request } from 'undici'
import { createKey } from '../core/access/keys.ts'
import { administrator } from '../core/access/principal.ts'
import { createAccount } from '../core/account/accounts.ts'
import { createDomain } from '../core/domains/claims.ts'
import { createMailbox } from '../core/mailbox/mailboxes.ts'
import { closeContext } from '../core/process/context.ts'
import { allScopes } from '../schemas/scopes.ts'
import { eventually } from '../test/eventually.ts'
import { startNameServer } from '../test/peers/name-server.ts'
import { client } from '../test/peers/rest.ts'
import { sendMail } from '../test/peers/send-mail.ts'
import { contextOf, startService } from '../test/start/service.ts'
import type { LateTurn } from './event-loop.ts'
import { shown, table } from './figures.ts'
import { largeMail, shapes } from './large-mail.ts'
import { startSink } from './sink.ts'

const address = 'agent@bench.test'
const sizesMb = [1, 10, 25]
const mb = 1024 * 1024
/** Bytes left for the parts of a message besides its body, so that the whole stays within the size. */
const headBytes = 16 * 1024
const connections = 4
/** The sizes of the file in a send. A send may have files of 10 MB in all, before base64. */
const sendMb = [1, 10]
const sendsEach = 4
const settleMs = 1_500
const arrivalMs = 120_000

type Row = { readonly what: string; readonly from: number; readonly to: number }

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean' }, profile: { type: 'string' } },
  })
  const { quick, profile } = values
  const folder = profile ?? mkdtempSync(path.join(tmpdir(), 'mailroom-bench-turns-'))
  const [dns, sink] = await Promise.all([startNameServer({}), startSink()])
  const preload = fileURLToPath(new URL('./event-loop.ts', import.meta.url))
  const service = await startService({
    env: {
      BENCH_TURNS: folder,
      NODE_OPTIONS: `--import ${preload}${profile === undefined ? '' : ` --cpu-prof --cpu-prof-dir=${profile}`}`,
      MAILROOM_LOG_LEVEL: 'warn',
      MAILROOM_RESOLVER: JSON.stringify([dns.address]),
      MAILROOM_OUTBOUND_ROUTES: JSON.stringify({ 'remote.test': `127.0.0.1:${sink.port}` }),
    },
  })
  try {
    const bench = await prepare(service)
    const rows: Row[] = []
    for (const sizeMb of quick ? [25] : sizesMb) {
      const mails = [...shapes, ...shapes].map((shape, n) => largeMail(shape, sizeMb * mb - headBytes, n))
      rows.push(await phase(`${sizeMb} MB comes in`, () => receive(bench, mails)))
      rows.push(await phase(`${sizeMb} MB is read`, () => read(bench)))
    }
    rows.push(await phase('searched', () => search(bench)))
    for (const sizeMb of sendMb) rows.push(await phase(`${sizeMb} MB is sent`, () => send(bench, sizeMb)))
    console.log(report(rows, folder))
  } finally {
    await service.dispose()
    sink.stop()
    await dns.stop()
    if (profile === undefined) rmSync(folder, { recursive: true })
  }
}

type Bench = Awaited<ReturnType<typeof prepare>>

async function prepare(service: Awaited<ReturnType<typeof startService>>) {
  const ctx = await contextOf(service)
  const account = await createAccount(ctx, { name: 'bench', owner: null })
  await createDomain(ctx, { domain: 'bench.test', accountId: account.id, verified: true })
  for (const each of [address, 'small@bench.test']) await createMailbox(ctx, administrator(account), { address: each })
  const given = { accountId: account.id, kind: 'account', name: 'bench', scopes: allScopes } as const
  const { apiKey } = await createKey(ctx, { ...given, mailboxIds: [], expiresAt: null })
  await closeContext(ctx)
  return { service, apiKey, call: client(service.http, apiKey), mailbox: `/api/v1/mailboxes/${address}` }
}

/** Runs the work and waits a moment, so that the work that follows from it (index, events) counts to the same phase. */
async function phase(what: string, work: () => Promise<void>): Promise<Row> {
  await sleep(settleMs)
  const from = Date.now()
  await work()
  await sleep(settleMs)
  console.error(`${what}: ${shown((Date.now() - from) / 1_000)} s`)
  return { what, from, to: Date.now() }
}

async function receive({ service }: Bench, mails: readonly Buffer[]): Promise<void> {
  const waiting = [...mails]
  const one = async () => {
    for (let raw = waiting.shift(); raw !== undefined; raw = waiting.shift())
      await sendMail(service.smtp, { from: 'sender@load.test', to: address, raw, tls: false })
  }
  await Promise.all(Array.from({ length: connections }, one))
}

type Summary = { readonly message_id: string; readonly attachments: readonly { readonly id: string }[] }

/** Reads each of the last messages in every way that the API offers. */
async function read({ call, mailbox, service, apiKey }: Bench): Promise<void> {
  const count = shapes.length * 2
  const { body } = await call<{ messages: readonly Summary[] }>('GET', `${mailbox}/messages?limit=${count}`)
  const get = async (where: string) => {
    const url = `${service.http}${mailbox}/messages/${where}`
    const { statusCode, body: answer } = await request(url, { headers: { authorization: `Bearer ${apiKey}` } })
    if (statusCode >= 300) throw new Error(`${where} was answered ${statusCode}: ${await answer.text()}`)
    for await (const _ of answer);
  }
  for (const { message_id, attachments } of body.messages) {
    const files = attachments.slice(0, 1).map(({ id }) => `${message_id}/attachments/${id}`)
    await Promise.all([message_id, `${message_id}?view=reply`, `${message_id}/raw`, ...files].map(get))
  }
}

async function search({ call, mailbox }: Bench): Promise<void> {
  for (const words of ['silent harbour', 'überall', '"weekly order"', 'subject:attachment']) {
    const { status } = await call('GET', `${mailbox}/search?q=${encodeURIComponent(words)}`)
    if (status !== 200) throw new Error(`A search was answered ${status}.`)
  }
}

async function send({ call, mailbox }: Bench, sizeMb: number): Promise<void> {
  const content = Buffer.alloc(sizeMb * mb, 'a file that is sent ').toString('base64')
  const attachments = [{ name: 'file.bin', contentType: 'application/octet-stream', content }]
  for (let n = 0; n < sendsEach; n++) {
    const to = n % 2 === 0 ? 'somebody@remote.test' : 'small@bench.test'
    const text = 'See the file.'
    const { status, body } = await call<{ id: string }>('POST', `${mailbox}/send`, {
      to,
      subject: `n ${n}`,
      text,
      attachments,
    })
    if (status !== 202) throw new Error(`A send was answered ${status}: ${JSON.stringify(body)}`)
    const delivered = async () => {
      const answer = await call<{ recipients: readonly { status: string }[] }>('GET', `/api/v1/emails/${body.id}`)
      return answer.body.recipients.every((recipient) => recipient.status === 'delivered')
    }
    await eventually('the mail to be delivered', delivered, arrivalMs)
  }
}

function report(rows: readonly Row[], folder: string): string {
  const turns = new Map<string, LateTurn[]>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
    const lines = readFileSync(path.join(folder, file), 'utf8').trim().split('\n')
    const part = file.slice(0, file.indexOf('-'))
    turns.set(part, [...(turns.get(part) ?? []), ...lines.map((line) => JSON.parse(line) as LateTurn)])
  }
  const cells = (part: string, { from, to }: Row) => {
    const late = (turns.get(part) ?? []).filter(({ at }) => at >= from && at <= to)
    const longest = (name: 'lateMs' | 'busyMs') => shown(Math.max(0, ...late.map((turn) => turn[name])))
    return [longest('lateMs'), longest('busyMs'), String(late.filter(({ busyMs }) => busyMs > 30).length)]
  }
  const parts = ['smtp', 'service', 'engine']
  const columns = ['latest ms', 'own work ms', '> 30 ms']
  return table(
    ['', ...parts.flatMap((part) => columns.map((column) => `${part}: ${column}`))],
    rows.map((row) => [row.what, ...parts.flatMap((part) => cells(part, row))]),
  )
}
