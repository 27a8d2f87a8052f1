/**
 * Corrects the counts of things that accounts may have only a number of (inboxes, endpoints, templates, aliases, keys, customers). A
 * slot is taken before the thing is created and freed after it is deleted, so that no limit is passed; a crash in
 * between leaves the count too high. Other counts need no correction: folders note what is in progress
 * (store/folders.ts), received messages are a projection of numbered events (core/receive/received-counts.ts), and the
 * allowance of a send is noted as open until the send is committed (core/send/open-allowances.ts). Counts of requests,
 * signups and creations last a minute, a day or 24 hours.
 */
import { correctSlotCount, type QuotaSlot, walkSlotCounts } from '../../store/accounts.ts'
import { readState, writeState } from '../../store/records.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'

/** Name of the stored state: how far the recount has come; 'done' from its end until the next unclean start. */
const recountState = 'countedPlaces'
const done = 'done'
/** Name of the stored state: true while a service runs. When it is true at a start, the last service crashed. */
const runningState = 'running'
const pageSize = 200
const pagesMax = 10

/** Notes that a service runs. After a crash it starts a recount of all accounts. */
export async function noteStart(ctx: Context): Promise<void> {
  const unclean = (await readState<boolean>(ctx.store, runningState)) === true
  await writeState(ctx.store, runningState, true)
  if (unclean) await writeState(ctx.store, recountState, '')
}

/** Notes that the service stops in order. */
export async function noteStop(ctx: Context): Promise<void> {
  await writeState(ctx.store, runningState, false)
}

type WrongCount = {
  readonly accountId: string
  readonly slot: QuotaSlot
  readonly counted: number
  readonly actual: number
}

/** Wrong counts that the last run found, by account and slot. */
const wrongCounts = perProcess(() => ({ last: new Map<string, WrongCount>() }))

/**
 * Continues the recount, if one is in progress. A count is corrected when two runs, at least one clock interval apart,
 * find it wrong in the same way: then no creation or deletion was in progress. Returns how many were corrected.
 */
export async function recountQuotas(ctx: Context): Promise<number> {
  const state = wrongCounts(ctx)
  const before = state.last
  const found = new Map<string, WrongCount>()
  state.last = found
  const from = await readState<string>(ctx.store, recountState)
  if (from === null || from === done) return 0
  let corrected = 0
  let after = from
  let resumeAt: string | null = null
  for (let page = 0; page < pagesMax; page++) {
    const slots = await walkSlotCounts(ctx.store, { after, limit: pageSize })
    const start = after
    after = slots.at(-1)?.accountId ?? after
    for (const finding of slots.flatMap(wrongCountsOf)) {
      const key = `${finding.accountId} ${finding.slot}`
      const same = before.get(key)
      if (same?.counted === finding.counted && same.actual === finding.actual) {
        if (await correctSlotCount(ctx.store, finding)) corrected += 1
      } else {
        found.set(key, finding)
        resumeAt ??= start
      }
    }
    if (slots.length < pageSize) {
      await writeState(ctx.store, recountState, resumeAt ?? done)
      return corrected
    }
  }
  await writeState(ctx.store, recountState, resumeAt ?? after)
  return corrected
}

function wrongCountsOf({
  accountId,
  counted,
  actual,
}: Awaited<ReturnType<typeof walkSlotCounts>>[number]): WrongCount[] {
  const slots = Object.keys(counted) as QuotaSlot[]
  return slots
    .filter((slot) => counted[slot] !== actual[slot])
    .map((slot) => ({ accountId, slot, counted: counted[slot], actual: actual[slot] }))
}
