/**
 * Measures outgoing mail: sends accepted per second by REST and by submission, sends per second from end to end, and how fast
 * a backlog drains, each with the CPU time of all processes. Postfix is measured with the same sink. See README.md.
 */
import { parseArgs } from 'node:util'
import { createTransport, type Transporter } from 'nodemailer'
import { type Context, closeContext } from '../core/process/context.ts'
import { freeAllowance } from '../core/send/allowance.ts'
import { writeSend } from '../core/send/commit.ts'
import { newId } from '../schemas/ids.ts'
import { client } from '../test/peers/rest.ts'
import { contextOf, type Service, startService } from '../test/start/service.ts'
import { median, shown, table } from './figures.ts'
import { cpuMs, signalAll } from './processes.ts'
import { startRelay } from './relay.ts'
import { makeSenders, type Sender } from './senders.ts'
import { arrived, type Measured, type Sink, startSink } from './sink.ts'
import { slowEngine } from './slow-sync.ts'

const sizeBytes = 4 * 1024
const connections = 10
const heldMs = 600_000
/** Sends of each kind before the first run, as in `inbound`, so that a warm server is measured. */
const warmUpCount = 2_000
/** V8 goes on compiling the code that sends mail until about 12,000 sends, as it does with the code that receives mail. */
const warmUpRounds = { whole: 3, quick: 1 } as const

type Figure = {
  readonly name: string
  readonly ours: number[]
  readonly oursCpu: number[]
  readonly peer: number[]
  readonly peerCpu: number[]
}

/** Runs the bench. Options: --quick, --only mailroom, --count N, --runs N, --sync-delay MS, --profile DIR. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      count: { type: 'string' },
      runs: { type: 'string' },
      'sync-delay': { type: 'string', default: '0' },
      profile: { type: 'string' },
    },
  })
  const count = Number(values.count ?? (values.quick ? 500 : 2_000))
  const runs = Number(values.runs ?? (values.quick ? 1 : 5))
  const syncDelayMs = Number(values['sync-delay'])
  const sink = await startSink()
  const figures = ['accepted by REST', 'accepted by submission', 'end to end', 'backlog drained'].map(
    (name): Figure => ({ name, ours: [], oursCpu: [], peer: [], peerCpu: [] }),
  )
  const relay =
    values.only === 'mailroom' ? 'it is switched off by --only' : await startRelay(sink.port, { syncDelayMs })
  if (typeof relay === 'string') console.error(`No peer: ${relay}.`)
  const ours = await startOurs(sink, { syncDelayMs, profileDir: values.profile ?? null })
  try {
    await ours.warmUp(values.quick ? warmUpRounds.quick : warmUpRounds.whole)
    for (let n = 0; n < runs; n++) {
      await ours.measure(count, figures)
      if (typeof relay === 'string') continue
      const [endToEnd, drained] = [await relay.relay(sink, count), await relay.drain(sink, count)]
      note(figures[2], 'peer', endToEnd)
      note(figures[3], 'peer', drained)
    }
  } finally {
    await ours.stop()
    sink.stop()
    if (typeof relay !== 'string') await relay.stop()
  }
  console.log(`\n${count} messages of ${sizeBytes / 1024} KiB a run, ${runs} runs, medians.\n`)
  console.log(
    table(
      ['', 'Mailroom /s', 'CPU ms each', 'Postfix /s', 'CPU ms each', 'ratio'],
      figures.map(({ name, ours, oursCpu, peer, peerCpu }) => [
        name,
        ...[ours, oursCpu, peer, peerCpu].map((numbers) => shown(median(numbers))),
        shown(median(ours) / median(peer)),
      ]),
    ),
  )
}

function note(figure: Figure | undefined, who: 'ours' | 'peer', { perSecond, cpuMsEach }: Measured): void {
  figure?.[who].push(perSecond)
  figure?.[who === 'ours' ? 'oursCpu' : 'peerCpu'].push(cpuMsEach)
  console.log(
    JSON.stringify({ what: figure?.name, who, perSecond: Math.round(perSecond), cpuMsEach: Number(shown(cpuMsEach)) }),
  )
}

/** Mailroom, which is stopped (SIGSTOP) while it is not measured. */
type Ours = {
  warmUp(rounds: number): Promise<void>
  measure(count: number, figures: readonly Figure[]): Promise<void>
  stop(): Promise<void>
}

async function startOurs(
  sink: Sink,
  { syncDelayMs, profileDir }: { readonly syncDelayMs: number; readonly profileDir: string | null },
): Promise<Ours> {
  const env = {
    MAILROOM_LOG_LEVEL: 'warn',
    MAILROOM_OUTBOUND_ROUTES: JSON.stringify({ '*': `127.0.0.1:${sink.port}` }),
    MAILROOM_LIMITS_SMTP_CONNECTIONS_PER_ADDRESS: '1000',
    ...slowEngine(syncDelayMs),
    ...(profileDir !== null && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` }),
  }
  const service = await startService({ env })
  const ctx = await contextOf(service)
  const pids = [service.process.pid ?? 0]
  const senders = await makeSenders(ctx)
  const timed = async (count: number, work: () => Promise<void>): Promise<Measured> => {
    const [cpu, start] = [cpuMs(pids), performance.now()]
    await work()
    return { perSecond: count / ((performance.now() - start) / 1_000), cpuMsEach: (cpuMs(pids) - cpu) / count }
  }
  /** Sends in one way until all mail has arrived, after resetting the limit on recipients per minute. */
  const sendAll = async (send: typeof sendByRest, count: number) => {
    await ctx.store.usage.deleteMany({ _id: { $regex: ':\\d{4}-\\d{2}-\\d{2}T' } })
    await sink.reset()
    const accepted = await timed(count, () => send(service, senders, count))
    await arrived(sink, count)
    return accepted
  }
  const running = async <T>(work: () => Promise<T>): Promise<T> => {
    signalAll(pids, 'SIGCONT')
    try {
      return await work()
    } finally {
      signalAll(pids, 'SIGSTOP')
    }
  }
  return {
    warmUp: (rounds) =>
      running(async () => {
        for (const send of Array.from({ length: rounds }, () => [sendByRest, sendBySubmission]).flat())
          await sendAll(send, warmUpCount)
      }),
    measure: (count, figures) =>
      running(async () => {
        const endToEnd = await timed(count, async () => note(figures[0], 'ours', await sendAll(sendByRest, count)))
        note(figures[2], 'ours', endToEnd)
        note(figures[1], 'ours', await sendAll(sendBySubmission, count))
        note(figures[3], 'ours', await drain({ service, ctx, senders, sink, count }))
      }),
    async stop() {
      signalAll(pids, 'SIGCONT')
      await closeContext(ctx)
      await service.dispose()
    },
  }
}

const text = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.\n'.repeat(sizeBytes / 74)
const recipient = (n: number) => `r${n}@remote${n % 50}.example`

/** Calls `one` for each number below `count`, `connections` at a time. */
async function inParallel(count: number, one: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) await one(next++)
    }),
  )
}

async function sendByRest(service: Service, senders: readonly Sender[], count: number): Promise<void> {
  const calls = senders.map(({ mailbox, key }) => ({ address: mailbox.address, call: client(service.http, key) }))
  await inParallel(count, async (n) => {
    const { address, call } = calls[n % calls.length]!
    const body = { to: recipient(n), subject: `Bench ${n}`, text }
    const { status, body: answer } = await call('POST', `/api/v1/mailboxes/${address}/send`, body)
    if (status !== 202) throw new Error(`A send was refused: ${JSON.stringify(answer)}`)
  })
}

async function sendBySubmission(service: Service, senders: readonly Sender[], count: number): Promise<void> {
  const port = Number(service.submissions?.split(':')[1])
  const transports = senders.map(({ mailbox, password }): [string, Transporter] => [
    mailbox.address,
    createTransport({
      host: '127.0.0.1',
      port,
      secure: true,
      pool: true,
      maxConnections: 1,
      maxMessages: count,
      auth: { user: mailbox.address, pass: password },
      tls: { rejectUnauthorized: false },
    }),
  ])
  await inParallel(count, (n) => {
    const [from, transport] = transports[n % transports.length]!
    return transport.sendMail({ from, to: recipient(n), subject: `Bench ${n}`, text })
  })
  for (const [, transport] of transports) transport.close()
}

/** Writes sends that are not due, then makes them due. Measures from the first message in the sink to the last. */
async function drain({
  service,
  ctx,
  senders,
  sink,
  count,
}: {
  service: Service
  ctx: Context
  senders: readonly Sender[]
  sink: Sink
  count: number
}): Promise<Measured> {
  // The sends are dated in the future, so that none is due while they are written.
  const later = new Date(Date.now() + heldMs)
  await ctx.store.lanes.deleteMany({})
  const held = { ...ctx, clock: { now: () => later } }
  await inParallel(count, (n) => {
    const { account, mailbox } = senders[n % senders.length]!
    const to = [{ name: '', address: recipient(n) }]
    const from = { name: '', address: mailbox.address }
    return writeSend(
      held,
      { accountId: account.id, keyId: null, account },
      {
        id: newId('em', later),
        mailbox,
        parent: null,
        from,
        sender: async () => from,
        keepsCopy: false,
        origin: 'transactional',
        input: { to, subject: `Bench ${n}`, text },
        recipients: to,
        files: [],
        sendAt: null,
        allowance: freeAllowance(),
        decided: [{ email: to[0]!.address, decision: 'send', reason: null }],
      },
    )
  })
  await ctx.background.done()
  await sink.reset()
  const pids = [service.process.pid ?? 0]
  const cpu = cpuMs(pids)
  const now = new Date()
  const ids = senders.map(({ account }) => account.id)
  for (const accountId of ids)
    await ctx.store.outbox.updateMany({ accountId, notBefore: { $gt: now } }, { $set: { notBefore: now } })
  await ctx.store.lanes.updateMany({ _id: { $in: ids } }, { $set: { dueAt: now } })
  ctx.changes.publish({ kind: 'due', accountIds: ids })
  const { firstAt, lastAt } = await arrived(sink, count)
  return { perSecond: count / ((lastAt - firstAt) / 1_000), cpuMsEach: (cpuMs(pids) - cpu) / count }
}
