/**
 * Makes news quick: what change notes report is derived at once instead of at the next sweep. Invariant: one round runs at a
 * time, and all notes that arrive meanwhile form the next, so a burst is derived in batches. The first note after a quiet
 * moment is handled at once. Under load there is a pause between rounds, longer the more a round had to do, because a round
 * costs about the same for one message as for fifty.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { noteDue } from '../core/process/alarms.ts'
import type { Context } from '../core/process/context.ts'
import { announceArrivals } from '../core/receive/announce.ts'
import { settleByIds } from '../core/send/settle.ts'
import { followArrivals } from '../core/upkeep/arrivals.ts'

export type Announcer = { stop(): Promise<void> }

const roundMax = 500
/** The most messages, and the most sends, that wait; the sweeps find the others. */
const waitingMax = 50_000
/** The pause after a round: `pauseEachMs` for each of its messages and sends, within these bounds. */
const pauseEachMs = 5
const pauseMinMs = 25
const pauseMaxMs = 100

const pauseAfter = (count: number) => Math.min(pauseMaxMs, Math.max(pauseMinMs, pauseEachMs * count))

export function startAnnouncer(ctx: Context): Announcer {
  /** For each message, by its id, the mailboxes in its note; it is in one of them. */
  const arrivals = new Map<string, readonly string[]>()
  /** For each send, by its id, the accounts that its note named; it belongs to one of them. */
  const sends = new Map<string, readonly string[]>()
  let running: Promise<void> | null = null
  let stopped = false

  async function rounds(): Promise<void> {
    while (!stopped && (arrivals.size > 0 || sends.size > 0)) {
      const [told, due] = [takeFirst(arrivals), takeFirst(sends)]
      const [mailboxIds, accountIds] = [told.flatMap(([, among]) => among), due.flatMap(([, among]) => among)]
      await Promise.all([
        attempt('arrivals', () =>
          announceArrivals(ctx, { ids: told.map(([id]) => id), mailboxIds: [...new Set(mailboxIds)] }, followArrivals),
        ),
        attempt('sends', () => settleByIds(ctx, { ids: due.map(([id]) => id), accountIds: [...new Set(accountIds)] })),
      ])
      if (!stopped) await sleep(pauseAfter(told.length + due.length))
    }
    running = null
  }

  /** If this fails, a sweep finds the work. */
  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      ctx.log.warn({ err: error }, `announcing ${what} failed; the sweep tries again`),
    )
  }

  const stopListening = ctx.changes.listen((note) => {
    if (note.kind === 'messages') keep(arrivals, note.ids, note.mailboxIds)
    else if (note.kind === 'emails') keep(sends, note.ids, note.accountIds)
    else {
      if (note.kind === 'deliveries') noteDue(ctx, 'deliveries', ctx.clock.now())
      return
    }
    running ??= rounds()
  })

  return {
    async stop() {
      stopListening()
      stopped = true
      await running
      arrivals.clear()
    },
  }
}

function keep(waiting: Map<string, readonly string[]>, ids: readonly string[], among: readonly string[]): void {
  for (const id of ids) if (waiting.size < waitingMax) waiting.set(id, among)
}

/** Removes the oldest waiting entries, as many as one round handles, and returns them. */
function takeFirst(waiting: Map<string, readonly string[]>): readonly (readonly [string, readonly string[]])[] {
  const first = [...waiting.entries().take(roundMax)]
  for (const [id] of first) waiting.delete(id)
  return first
}
