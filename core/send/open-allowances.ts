/**
 * Open takes: allowance taken for a send or batch that is committed a moment later. A take is noted as open in the
 * period in which it was made, and closed after the commit; one that stays open shows that a crash came in between. The
 * committed document stores the token of its take. So of two tries of one send, only the committed one keeps what it
 * took.
 */
import { closeTakes, findOpenTakes, findTakeTokens, giveBack } from '../../store/usage.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** Longer than any send needs between its take and its commit. */
const openMs = 5 * minuteMs
const pageSize = 200

/**
 * Gives back the open takes of sends that were never committed, and closes those of committed sends. Returns how many
 * takes were given back.
 */
export async function sweepOpenTakes(ctx: Context): Promise<number> {
  const before = after(ctx.clock.now(), -openMs)
  const periods = await findOpenTakes(ctx.store, before, pageSize)
  const openTakes = periods.flatMap(({ _id: id, open = [] }) =>
    open.filter(({ at }) => at < before).map((take) => ({ id, ...take })),
  )
  const takers = await findTakeTokens(
    ctx.store,
    openTakes.map(({ purpose }) => purpose),
  )
  let givenBack = 0
  for (const { id, token, purpose, counter, by } of openTakes) {
    if (takers.get(purpose) === token) await closeTakes(ctx.store, [id], [token])
    else if (await giveBack(ctx.store, { id, counter, by, token })) givenBack += 1
  }
  return givenBack
}
