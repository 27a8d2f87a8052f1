/**
 * What mailboxes received lately, as this process knows it (core/process/known.ts): who waits again and again asks the database
 * only at the end of a wait.
 */
import { findNewestReceived, findReceivedMarks, type ReceivedMark } from '../../store/received.ts'
import { newestMax } from '../mailbox/arrival-cursor.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'

/** The messages that a mailbox received from an id on, newest first; the oldest are missing where not `isWhole`. */
export type Arrivals = { readonly messages: readonly ReceivedMark[]; readonly isWhole: boolean }

export type ArrivalsSince = { readonly mailboxId: string; readonly from: string }

const knownArrivals = perProcess(({ clock, changes }) => {
  const known = createKnown<Arrivals>(clock)
  changes.listen((note) => {
    if (note.kind === 'messages') known.forget((key) => note.mailboxIds.includes(readKey(key).mailboxId))
  })
  return known
})

/** The arrivals in a mailbox as they are known, or else as they are. */
export async function recentArrivals(ctx: Context, since: ArrivalsSince): Promise<Arrivals> {
  const known = knownArrivals(ctx).get(keyOf(begun(since)))
  return known === undefined ? askArrivals(ctx, since) : narrowed(known, since)
}

/** Asks for the arrivals in a mailbox; those who ask at once share a query. */
export async function askArrivals(ctx: Context, since: ArrivalsSince): Promise<Arrivals> {
  const found = await knownArrivals(ctx).ask(keyOf(begun(since)), (keys) => loadArrivals(ctx, keys))
  return narrowed(found!, since)
}

/** Of the time in an id so many characters are compared: a character less than these is half a minute. */
const begunLength = 'msg_'.length + 7

/** The same from a little earlier on, so that those who wait since about the same time ask the same. */
const begun = ({ mailboxId, from }: ArrivalsSince): ArrivalsSince => ({ mailboxId, from: from.slice(0, begunLength) })

/** Of the arrivals from an earlier id on those from this one on. */
function narrowed({ messages, isWhole }: Arrivals, { from }: ArrivalsSince): Arrivals {
  const own = messages.filter(({ _id }) => _id >= from)
  return { messages: own, isWhole: isWhole || own.length < messages.length }
}

const keyOf = ({ mailboxId, from }: ArrivalsSince) => `${mailboxId} ${from}`

function readKey(key: string): ArrivalsSince {
  const [mailboxId = '', from = ''] = key.split(' ')
  return { mailboxId, from }
}

/** Messages read for several mailboxes at once; when there are more, each mailbox is asked for itself. */
const togetherMax = 1_000

async function loadArrivals(ctx: Context, keys: readonly string[]): Promise<ReadonlyMap<string, Arrivals>> {
  const ranges = keys.map(readKey)
  if (ranges.length > 1) {
    const together = await findReceivedMarks(ctx.store, ranges, togetherMax)
    if (together.length < togetherMax) {
      const byMailbox = Map.groupBy(together, ({ mailboxId }) => mailboxId)
      return new Map(
        ranges.map((range) => {
          const own = byMailbox.get(range.mailboxId) ?? []
          return [keyOf(range), arrivalsOf(own.filter(({ _id }) => _id >= range.from))]
        }),
      )
    }
  }
  const each = ranges.map(
    async (range) => [keyOf(range), arrivalsOf(await findNewestReceived(ctx.store, range, newestMax))] as const,
  )
  return new Map(await Promise.all(each))
}

/** The arrivals of one mailbox, of which there may be more when they are `newestMax`. */
function arrivalsOf(messages: readonly ReceivedMark[]): Arrivals {
  const newest = messages.toSorted((a, b) => (a._id < b._id ? 1 : -1)).slice(0, newestMax)
  return { messages: newest, isWhole: newest.length < newestMax }
}
