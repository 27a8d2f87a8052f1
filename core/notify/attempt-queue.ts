/**
 * The deliveries that a process has claimed and not attempted yet, by endpoint. Invariants: at most `concurrency` attempts are in
 * flight, at most `attemptsPerEndpoint` of them to one endpoint; endpoints take turns, so that the long queue of one delays no
 * other; an attempt that takes long gives its place to another, up to `slowMax`; an endpoint that did not answer has one attempt in
 * flight until it answers again. First attempts and repeated attempts are queued apart. Some places are reserved for each kind,
 * so that a backlog of failed deliveries does not delay new events, nor the other way round. For one endpoint, first attempts go
 * before repeated ones, one attempt at a time is in flight for each mailbox whose order is kept, and one for redeliveries. A
 * delivery whose lease is too short when its turn comes is not attempted under that lease.
 */
import type { DeliveryDoc } from '../../store/documents/events.ts'
import { secondMs } from '../process/clock.ts'
import { perProcess } from '../process/per-process.ts'
import { attemptsPerEndpoint } from './webhook-post.ts'

/** How an attempt ended: whether the endpoint answered at all. */
export type Ended = { readonly hasAnswered: boolean }

export type Work = {
  readonly delivery: DeliveryDoc
  /** Until when it may begin, by the machine's clock. */
  readonly beginBefore: Date
  run(): Promise<Ended>
}

const kinds = ['first', 'again'] as const
type Kind = (typeof kinds)[number]

type Queue = { readonly [kind in Kind]: Item[] } & {
  /** The lines (`lineOf`) that have an attempt in flight. */
  readonly busy: Set<string | null>
  inFlight: number
  isSilent: boolean
}

type Item = { readonly work: Work; done(hasBegun: boolean): void }

export type AttemptQueue = {
  /** Resolves to true when the attempt was made, and to false when it was not: its time was over, or the process ends. */
  add(work: Work): Promise<boolean>
  /** How many more deliveries of an endpoint the queue takes. */
  roomFor(webhookId: string): number
  /** Whether an endpoint did not answer the last attempt. */
  isSilent(webhookId: string): boolean
  /** Begins no more attempts. */
  close(): void
}

/** Deliveries of one endpoint in memory, each with its body. */
export const queuedMax = 200
/** An attempt that takes longer holds no place. */
const slowAfterMs = secondMs
/** Most endpoints that are remembered because they did not answer. */
const queuesMax = 10_000
/** Most slow attempts beside those that hold a place: each holds a socket. */
const slowMax = 1_000
/** The part of all places that is reserved for each kind: for first attempts always, for repeated ones while any wait. */
const ownPart = 1 / 5

/** The queue of a process. */
export const attemptQueue = perProcess(({ settings, machineClock }) => {
  const { concurrency } = settings.webhooks
  const queues = new Map<string, Queue>()
  const ownPlaces = Math.floor(concurrency * ownPart)
  /** The endpoints that have something of each kind to begin, in the order of their turns. */
  const turns: { readonly [kind in Kind]: Set<string> } = { first: new Set(), again: new Set() }
  /** Attempts that hold a place. */
  const inFlight: { [kind in Kind]: number } = { first: 0, again: 0 }
  let slow = 0
  let isClosed = false

  function queueOf(webhookId: string): Queue {
    const queue = queues.get(webhookId) ?? { first: [], again: [], busy: new Set(), inFlight: 0, isSilent: false }
    queues.set(webhookId, queue)
    return queue
  }

  function admit(): void {
    for (const kind of kinds)
      for (const [webhookId] of turns[kind].entries()) {
        if (isClosed || !hasPlace(kind)) break
        turns[kind].delete(webhookId)
        const queue = queueOf(webhookId)
        const item = next(queue, kind)
        if (item === null) continue
        begin(webhookId, queue, item, kind)
        if (queue[kind].length > 0 && hasRoom(queue)) turns[kind].add(webhookId)
      }
  }

  function hasPlace(kind: Kind): boolean {
    if (inFlight.first + inFlight.again >= concurrency) return false
    return kind === 'again'
      ? inFlight.again < concurrency - ownPlaces
      : turns.again.size === 0 || inFlight.first < concurrency - ownPlaces
  }

  /** Takes the next item of a kind that may begin; no repeated attempt while a first one may begin. */
  function next(queue: Queue, wanted: Kind): Item | null {
    if (!hasRoom(queue)) return null
    for (const kind of kinds) {
      const items = queue[kind]
      dropLate(items)
      const at = items.findIndex(({ work: { delivery } }) => !isHeld(queue, delivery))
      if (kind === wanted) return at < 0 ? null : (items.splice(at, 1)[0] ?? null)
      if (at >= 0) return null
    }
    return null
  }

  function dropLate(items: Item[]): void {
    const now = machineClock.now()
    while (items[0] !== undefined && items[0].work.beginBefore <= now) items.shift()?.done(false)
  }

  function begin(webhookId: string, queue: Queue, { work, done }: Item, kind: Kind): void {
    const { delivery } = work
    let isSlow = false
    inFlight[kind] += 1
    queue.inFlight += 1
    const line = lineOf(delivery)
    if (line !== undefined) queue.busy.add(line)
    const timer = setTimeout(() => {
      if (slow >= slowMax) return
      isSlow = true
      slow += 1
      inFlight[kind] -= 1
      admit()
    }, slowAfterMs)
    void work.run().then(({ hasAnswered }) => {
      clearTimeout(timer)
      if (isSlow) slow -= 1
      else inFlight[kind] -= 1
      queue.inFlight -= 1
      if (line !== undefined) queue.busy.delete(line)
      queue.isSilent = !hasAnswered
      done(true)
      for (const each of kinds) if (queue[each].length > 0) turns[each].add(webhookId)
      if (queue.first.length + queue.again.length > 0) return admit()
      if (queue.inFlight === 0 && (!queue.isSilent || queues.size > queuesMax)) queues.delete(webhookId)
      admit()
    })
  }

  return {
    add: (work) =>
      new Promise((resolve) => {
        if (isClosed) return resolve(false)
        const { webhookId, attempts } = work.delivery
        const queue = queueOf(webhookId)
        const kind = attempts.length === 0 ? 'first' : 'again'
        queue[kind].push({ work, done: resolve })
        turns[kind].add(webhookId)
        admit()
      }),
    roomFor(webhookId) {
      if (isClosed) return 0
      const queue = queues.get(webhookId)
      if (queue === undefined) return queuedMax
      const queued = queue.first.length + queue.again.length
      return Math.max(0, queue.isSilent ? 1 - queue.inFlight - queued : queuedMax - queued)
    },
    isSilent: (webhookId) => queues.get(webhookId)?.isSilent ?? false,
    close() {
      isClosed = true
      for (const { first, again } of queues.values())
        for (const { done } of [...first.splice(0), ...again.splice(0)]) done(false)
    },
  } satisfies AttemptQueue as AttemptQueue
})

function hasRoom(queue: Queue): boolean {
  return queue.inFlight < (queue.isSilent ? 1 : attemptsPerEndpoint)
}

function isHeld({ busy }: Queue, delivery: DeliveryDoc): boolean {
  const line = lineOf(delivery)
  return line !== undefined && busy.has(line)
}

/** The line in which deliveries are made one after another: that of the mailbox, or of redeliveries; undefined without an order. */
function lineOf({ order, mailboxId, isPaced }: DeliveryDoc): string | null | undefined {
  if (isPaced === true) return 'redelivery'
  return order === undefined ? undefined : mailboxId
}
