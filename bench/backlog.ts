/**
 * Measures a full outbox: how fast it drains and how much memory the service takes, with 10,000 and with 1,000,000 waiting
 * recipients. See README.md.
 */
import { parseArgs } from 'node:util'
import { type Context, closeContext } from '../core/process/context.ts'
import { returnPathOf } from '../core/receive/return-path.ts'
import { newId } from '../schemas/ids.ts'
import { insertBlob, packBlob } from '../store/blobs.ts'
import type { BlobRef } from '../store/documents/mail.ts'
import type { EmailDoc, OutboxDoc } from '../store/documents/sending.ts'
import { contextOf, type Service, startService } from '../test/start/service.ts'
import { median, shown, table } from './figures.ts'
import { cpuMs, pssMb } from './processes.ts'
import { makeSenders, type Sender } from './senders.ts'
import { arrived, type Measured, type Sink, startSink } from './sink.ts'

const smallBacklog = 10_000
const sizeBytes = 4 * 1024
/** The rows of one insert, and after how many rows progress is printed. */
const insertMax = 1_000
const toldEvery = 100_000

type Stage = {
  readonly rows: number
  readonly measured: readonly Measured[]
  readonly pssBefore: number
  readonly pssAfter: number
}

/** Runs the bench. Options: --quick, --rows N, --count N, --runs N. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rows: { type: 'string' },
      count: { type: 'string' },
      runs: { type: 'string' },
    },
  })
  const rows = Number(values.rows ?? (values.quick ? 100_000 : 1_000_000))
  const count = Number(values.count ?? (values.quick ? 1_000 : 2_000))
  const runs = Number(values.runs ?? (values.quick ? 1 : 3))
  const sink = await startSink()
  const service = await startService({
    env: { MAILROOM_LOG_LEVEL: 'warn', MAILROOM_OUTBOUND_ROUTES: JSON.stringify({ '*': `127.0.0.1:${sink.port}` }) },
  })
  const ctx = await contextOf(service)
  try {
    const senders = await makeSenders(ctx)
    const blobs = await Promise.all(senders.map(() => makeBlob(ctx)))
    const held: Held = { service, ctx, sink, senders, blobs }
    const stages: Stage[] = []
    for (const backlog of [smallBacklog, rows]) {
      await fill(held, backlog)
      stages.push(await measure(held, { rows: backlog, count, runs }))
    }
    console.log(`\n${count} messages of ${sizeBytes / 1024} KiB a run, ${runs} runs, medians.\n`)
    console.log(
      table(
        ['waiting', 'drained /s', 'CPU ms each', 'PSS MiB before', 'PSS MiB after'],
        stages.map(({ rows: waiting, measured, pssBefore, pssAfter }) => [
          String(waiting),
          shown(median(measured.map(({ perSecond }) => perSecond))),
          shown(median(measured.map(({ cpuMsEach }) => cpuMsEach))),
          shown(pssBefore),
          shown(pssAfter),
        ]),
      ),
    )
  } finally {
    sink.stop()
    await closeContext(ctx)
    await service.dispose()
  }
}

type Held = {
  readonly service: Service
  readonly ctx: Context
  readonly sink: Sink
  readonly senders: readonly Sender[]
  /** One for each sender, which all of its mail uses. */
  readonly blobs: readonly BlobRef[]
}

async function makeBlob(ctx: Context): Promise<BlobRef> {
  const at = new Date()
  const line = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.\r\n'
  const bytes = Buffer.from(`Subject: Bench\r\n\r\n${line.repeat(sizeBytes / line.length)}`)
  const { ref, chunks } = await packBlob(ctx.store, { id: newId('blb', at), bytes, users: ['em_bench'], at })
  await insertBlob(ctx.store, chunks)
  return ref
}

/** Inserts due rows into the outbox, without lanes. Rows of accounts that have no lane are not claimed, so they wait. */
async function fill(held: Held, rows: number): Promise<void> {
  const { ctx } = held
  await ctx.store.lanes.deleteMany({})
  for (let n = 0; n < rows; n += insertMax) {
    const emails = Array.from({ length: Math.min(insertMax, rows - n) }, (_, k) => emailOf(held, n + k))
    await ctx.store.emails.insertMany(emails, { ordered: false })
    await ctx.store.outbox.insertMany(
      emails.map((email) => rowOf(ctx, email)),
      { ordered: false },
    )
    if ((n + emails.length) % toldEvery === 0) console.error(`${n + emails.length} rows`)
  }
}

function emailOf({ senders, blobs }: Held, n: number): EmailDoc {
  const at = new Date()
  const { account, mailbox } = senders[n % senders.length]!
  const id = newId('em', at)
  const to = `r${n}@remote${n % 50}.example`
  const untried = { at, reason: null, mx: null, response: null, tls: null, attempts: 0, announced: null }
  return {
    _id: id,
    accountId: account.id,
    keyId: null,
    mailboxId: mailbox._id,
    mailbox: mailbox.address,
    from: { name: '', address: mailbox.address },
    to: [{ name: '', address: to }],
    cc: [],
    bcc: [],
    subject: 'Bench',
    messageIdHeader: `${id}@${mailbox.domain}`,
    blob: blobs[n % blobs.length]!,
    messageId: null,
    threadId: null,
    inReplyTo: null,
    references: [],
    taken: [],
    takenBy: '',
    origin: 'transactional',
    createdAt: at,
    planned: true,
    rev: 0,
    recipients: [{ email: to, status: 'queued', ...untried }],
  }
}

function rowOf(
  ctx: Context,
  { _id, accountId, from, recipients, messageIdHeader, blob, createdAt }: EmailDoc,
): OutboxDoc {
  return {
    _id: `${_id}#0`,
    accountId,
    emailId: _id,
    n: 0,
    messageIdHeader,
    blob,
    createdAt,
    notBefore: createdAt,
    sender: returnPathOf(ctx, { emailId: _id, n: 0 }, from.address),
    recipient: recipients[0]?.email ?? '',
    lease: null,
    attempts: 0,
    attempting: false,
  }
}

/** Releases the outbox by inserting the lanes, and measures how fast the sink receives the mail. */
async function measure(
  { service, ctx, sink, senders }: Held,
  { rows, count, runs }: { rows: number; count: number; runs: number },
): Promise<Stage> {
  const pids = [service.process.pid ?? 0]
  const pssBefore = pssMb(pids)
  await sink.reset()
  const now = new Date()
  await ctx.store.lanes.insertMany(senders.map(({ account }) => ({ _id: account.id, dueAt: now })))
  ctx.changes.publish({ kind: 'due', accountIds: senders.map(({ account }) => account.id) })
  const measured: Measured[] = []
  // The first `count` messages are not measured: they open the connections.
  let before = (await arrived(sink, count)).count
  for (let n = 0; n < runs; n++) {
    const [cpu, start] = [cpuMs(pids), performance.now()]
    const { count: after } = await arrived(sink, before + count)
    const seconds = (performance.now() - start) / 1_000
    measured.push({ perSecond: (after - before) / seconds, cpuMsEach: (cpuMs(pids) - cpu) / (after - before) })
    before = after
    console.log(JSON.stringify({ waiting: rows, ...measured.at(-1) }))
  }
  return { rows, measured, pssBefore, pssAfter: pssMb(pids) }
}
