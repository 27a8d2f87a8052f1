/**
 * Corrects the counts of things of which an account may have a limited number (inboxes, endpoints, templates, aliases, keys, customers).
 * A slot is taken before the thing is created and freed after it is deleted, so that no limit is exceeded; a crash in between leaves the
 * count too high. Other counts need no correction: folders note what is in progress (store/folders.ts), received messages are a
 * projection of numbered events (core/receive/received-counts.ts), and the allowance of a send is noted as open until the send is
 * committed (core/send/open-allowances.ts). Counts of requests, signups and creations last a minute, a day or 24 hours.
 */
import { newToken } from '../../schemas/ids.ts'
import { correctSlotCount, type QuotaSlot, walkSlotCounts } from '../../store/accounts.ts'
import { readState, writeState, writeStateField } from '../../store/records.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'

/** Name of the stored state: how far the recount has come; `done` from its end until the next crash. */
const recountState = 'countedPlaces'
const done = 'done'
/** Name of the stored state: when each process that takes slots last reported, by a token of the process. */
const runningState = 'processes'
const seenEveryMs = minuteMs
/** A process that has not reported for this long has crashed. */
const crashedAfterMs = 3 * minuteMs
const pageSize = 200
const pagesMax = 10

/** Reports that this process runs, now and each minute, until `stop`. A process that ended otherwise is found by `recountQuotas`. */
export async function noteRunning(ctx: Context): Promise<{ stop(): Promise<void> }> {
  const token = newToken()
  const seen = () => writeStateField(ctx.store, runningState, token, ctx.machineClock.now())
  await seen()
  const again = () =>
    seen().catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'this process could not report that it runs; it tries again in a minute'),
    )
  const timer = setInterval(() => void again(), seenEveryMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await writeStateField(ctx.store, runningState, token, null)
    },
  }
}

/** Begins a recount of all accounts if a process has crashed. */
async function beginAfterCrash(ctx: Context): Promise<void> {
  const processes = (await readState<{ readonly [token: string]: Date }>(ctx.store, runningState)) ?? {}
  const before = after(ctx.machineClock.now(), -crashedAfterMs)
  const crashed = Object.entries(processes).filter(([, seenAt]) => seenAt < before)
  if (crashed.length === 0) return
  await writeState(ctx.store, recountState, '')
  for (const [token] of crashed) await writeStateField(ctx.store, runningState, token, null)
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
  await beginAfterCrash(ctx)
  const from = await readState<string>(ctx.store, recountState)
  if (from === null || from === done) return 0
  let corrected = 0
  let last = from
  let resumeAt: string | null = null
  for (let page = 0; page < pagesMax; page++) {
    const slots = await walkSlotCounts(ctx.store, { after: last, limit: pageSize })
    const start = last
    last = slots.at(-1)?.accountId ?? last
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
  await writeState(ctx.store, recountState, resumeAt ?? last)
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
