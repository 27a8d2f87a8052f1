/**
 * What was taken of an allowance for something that is committed a moment later. A take is noted as open in the period it
 * was made in, and closed when what it is for is there; one that stays open tells of a crash in between. What it is for notes
 * the token of its take, so that of two tries of one send only the one that was committed keeps what it took.
 */
import { closeTakes, findOpenTakes, findTakeTokens, giveBack } from '../../store/usage.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'

/** Longer than anything takes between its take and its commit. */
const openMs = 5 * minuteMs
const pageSize = 200
const groupMax = 200

type Closing = { readonly ctx: Context; readonly ids: readonly string[]; readonly token: string }

const closings = perProcess(() => createGroupCommit(groupMax, closeGroup))

/** Closes a take in the periods (by id) it was made in. Nobody has to wait for it. */
export function closeTake(ctx: Context, { ids, token }: { ids: readonly string[]; token: string }): Promise<void> {
  return closings(ctx)({ ctx, ids, token })
}

async function closeGroup(group: readonly Closing[]): Promise<[]> {
  const ids = [...new Set(group.flatMap(({ ids }) => ids))]
  await closeTakes(
    group[0]!.ctx.store,
    ids,
    group.map(({ token }) => token),
  )
  return []
}

/** Gives back what was taken for what never came, and closes the rest. Returns how many takes were given back. */
export async function sweepTakes(ctx: Context): Promise<number> {
  const before = after(ctx.clock.now(), -openMs)
  const periods = await findOpenTakes(ctx.store, before, pageSize)
  const left = periods.flatMap(({ _id: id, open = [] }) =>
    open.filter(({ at }) => at < before).map((take) => ({ id, ...take })),
  )
  const takers = await findTakeTokens(
    ctx.store,
    left.map(({ purpose }) => purpose),
  )
  let given = 0
  for (const { id, token, purpose, counter, by } of left) {
    if (takers.get(purpose) === token) await closeTakes(ctx.store, [id], [token])
    else if (await giveBack(ctx.store, { id, counter, by, token })) given += 1
  }
  return given
}
