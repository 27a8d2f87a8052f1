/**
 * What mailboxes received lately, as this process knows it (core/process/known.ts): a caller that waits again and again costs a
 * query only at the end of each wait.
 */
import { findNewestReceived, findReceivedMarks, type ReceivedMark } from '../../store/received.ts'
import { newestMax } from '../mailbox/arrival-cursor.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'

/** The messages that a mailbox received from an id on, newest first. Unless `isWhole`, the oldest of them are missing. */
export type Arrivals = { readonly messages: readonly ReceivedMark[]; readonly isWhole: boolean }

export type ArrivalsSince = { readonly mailboxId: string; readonly from: string }

const knownArrivals = perProcess(({ clock, changes }) => {
  const known = createKnown<Arrivals>(clock)
  changes.listen((note) => {
    if (note.kind === 'messages') known.forget((key) => note.mailboxIds.includes(readKey(key).mailboxId))
  })
  return known
})

/** The arrivals in a mailbox, as this process knows them or else from the database. */
export async function recentArrivals(ctx: Context, since: ArrivalsSince): Promise<Arrivals> {
  const known = knownArrivals(ctx).get(keyOf(begun(since)))
  return known === undefined ? askArrivals(ctx, since) : narrowed(known, since)
}

/** Reads the arrivals in a mailbox from the database; concurrent callers share a query. */
export async function askArrivals(ctx: Context, since: ArrivalsSince): Promise<Arrivals> {
  const found = await knownArrivals(ctx).refresh(keyOf(begun(since)), (keys) => loadArrivals(ctx, keys))
  return narrowed(found!, since)
}

/** Characters of an id that are kept: without the last three characters of its time, times differ in steps of half a minute. */
const begunLength = 'msg_'.length + 7

/** The same range from a little earlier on, so that waits since about the same time share one entry. */
const begun = ({ mailboxId, from }: ArrivalsSince): ArrivalsSince => ({ mailboxId, from: from.slice(0, begunLength) })

/** Narrows the arrivals from an earlier id on to those from this one on. */
function narrowed({ messages, isWhole }: Arrivals, { from }: ArrivalsSince): Arrivals {
  const own = messages.filter(({ _id }) => _id >= from)
  return { messages: own, isWhole: isWhole || own.length < messages.length }
}

const keyOf = ({ mailboxId, from }: ArrivalsSince) => `${mailboxId} ${from}`

function readKey(key: string): ArrivalsSince {
  const [mailboxId = '', from = ''] = key.split(' ')
  return { mailboxId, from }
}

/** Most messages read for several mailboxes in one query; when there are more, each mailbox gets a query of its own. */
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

/** The arrivals of one mailbox. When there are `newestMax` of them, there may be more. */
function arrivalsOf(messages: readonly ReceivedMark[]): Arrivals {
  const newest = messages.toSorted((a, b) => (a._id < b._id ? 1 : -1)).slice(0, newestMax)
  return { messages: newest, isWhole: newest.length < newestMax }
}
