/**
 * Makes new mail searchable soon after it arrives: messages in change notes are indexed in batches, and segments are merged once there
 * are many. Invariant: one round runs at a time; notes that arrive meanwhile form the next. The sweep indexes what a crash left out.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../core/process/context.ts'
import { indexArrivals } from '../core/search/indexing.ts'
import { mergeFanIn, mergeSegments } from '../core/search/merge.ts'

export type Indexer = { stop(): Promise<void> }

/** A round costs about the same for one message as for ten, so its first message waits this long for others. */
const gatherMs = 250
const roundMax = 500
/** Messages waiting at most; further ones are left to the sweep. */
const waitingMax = 50_000

export function startIndexer(ctx: Context): Indexer {
  /** For each message, by its id, the mailboxes in its note; it is in one of them. */
  const waiting = new Map<string, readonly string[]>()
  /** The number of segments that each mailbox got since its last merge. */
  const fresh = new Map<string, number>()
  const mergeable = new Set<string>()
  let running: Promise<void> | null = null
  let merging: Promise<void> | null = null
  let stopped = false

  async function rounds(): Promise<void> {
    while (!stopped && waiting.size > 0) {
      await sleep(gatherMs)
      const told = [...waiting].slice(0, roundMax)
      for (const [id] of told) waiting.delete(id)
      const ids = told.map(([id]) => id)
      const mailboxIds = [...new Set(told.flatMap(([, among]) => among))]
      await attempt('indexing', async () => count(await indexArrivals(ctx, { ids, mailboxIds })))
    }
    running = null
  }

  function count(mailboxIds: readonly string[]): void {
    for (const mailboxId of mailboxIds) {
      // The number of earlier segments is unknown, so the first new segment of a mailbox asks for a merge.
      const segments = (fresh.get(mailboxId) ?? mergeFanIn - 1) + 1
      fresh.set(mailboxId, segments % mergeFanIn)
      if (segments === mergeFanIn) mergeable.add(mailboxId)
    }
    // Counts that are dropped cost one more merge per mailbox.
    if (fresh.size > waitingMax) fresh.clear()
    merging ??= merges()
  }

  /** Runs beside the rounds: a large merge takes seconds. */
  async function merges(): Promise<void> {
    for (const mailboxId of mergeable) {
      if (stopped) break
      mergeable.delete(mailboxId)
      await attempt('merging', () => mergeSegments(ctx, mailboxId))
    }
    merging = null
  }

  async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => ctx.log.warn({ err: error }, `${what} failed; a later run tries again`))
  }

  const stopListening = ctx.changes.listen((note) => {
    if (note.kind !== 'messages' && note.kind !== 'stored') return
    for (const id of note.ids) if (waiting.size < waitingMax) waiting.set(id, note.mailboxIds)
    running ??= rounds()
  })

  return {
    async stop() {
      stopListening()
      stopped = true
      await running
      await merging
    },
  }
}
