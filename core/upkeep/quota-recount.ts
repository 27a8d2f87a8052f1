/**
 * Mends the counts of what accounts may have only so many of (inboxes, endpoints, templates, aliases). A place is taken before
 * the thing is made and freed after it is gone, so that no limit is passed; a crash in between leaves the count too high.
 * What else is counted does not need it: folders note what is under way (store/folders.ts), received messages are a
 * projection of numbered events (core/receive/received-counts.ts), and what a send takes of its allowance is noted as open until the send is
 * committed (core/send/open-allowances.ts). Counts of requests, signups and creations are of a minute, a day or 24 hours and end with it.
 */
import { correctSlotCount, type QuotaSlot, walkSlotCounts } from '../../store/accounts.ts'
import { readState, writeState } from '../../store/records.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'

/** Where a round stands; 'done' between the end of one and the next unclean start. */
const position = 'countedPlaces'
const done = 'done'
/** Present while a service runs: found at a start, it tells that the last one did not end in order. */
const runningMark = 'running'
const pageSize = 200
const pagesMax = 10

/** Notes that a service runs. After an unclean end all accounts are counted anew. */
export async function noteStart(ctx: Context): Promise<void> {
  const unclean = (await readState<boolean>(ctx.store, runningMark)) === true
  await writeState(ctx.store, runningMark, true)
  if (unclean) await writeState(ctx.store, position, '')
}

/** Notes that the service ends in order. */
export async function noteStop(ctx: Context): Promise<void> {
  await writeState(ctx.store, runningMark, false)
}

type Finding = {
  readonly accountId: string
  readonly slot: QuotaSlot
  readonly counted: number
  readonly actual: number
}

/** What a process found at its last look, by account and place. */
const findings = perProcess(() => ({ last: new Map<string, Finding>() }))

/**
 * Goes on with the round, if one is due. A count is mended when two looks, at least a clock's tick apart, find it wrong in the
 * same way: nothing was under way then. Returns how many were mended.
 */
export async function recountQuotas(ctx: Context): Promise<number> {
  const looks = findings(ctx)
  const before = looks.last
  const found = new Map<string, Finding>()
  looks.last = found
  const from = await readState<string>(ctx.store, position)
  if (from === null || from === done) return 0
  let mended = 0
  let after = from
  let hold: string | null = null
  for (let page = 0; page < pagesMax; page++) {
    const accounts = await walkSlotCounts(ctx.store, { after, limit: pageSize })
    const start = after
    after = accounts.at(-1)?.accountId ?? after
    for (const finding of accounts.flatMap(wrongIn)) {
      const key = `${finding.accountId} ${finding.slot}`
      const same = before.get(key)
      if (same?.counted === finding.counted && same.actual === finding.actual) {
        if (await correctSlotCount(ctx.store, finding)) mended += 1
      } else {
        found.set(key, finding)
        hold ??= start
      }
    }
    if (accounts.length < pageSize) {
      await writeState(ctx.store, position, hold ?? done)
      return mended
    }
  }
  await writeState(ctx.store, position, hold ?? after)
  return mended
}

function wrongIn({ accountId, counted, actual }: Awaited<ReturnType<typeof walkSlotCounts>>[number]): Finding[] {
  const slots = Object.keys(counted) as QuotaSlot[]
  return slots
    .filter((slot) => counted[slot] !== actual[slot])
    .map((slot) => ({ accountId, slot, counted: counted[slot], actual: actual[slot] }))
}
