/**
 * The block of all writes, for the time in which a database moves elsewhere. As in mongod it outlives the process, unless it was
 * set for a limited time.
 *
 * Invariant: once the block is acknowledged, no document is written and no index built for a client, not even by a statement that had
 * begun.
 */
import { flagField } from '../arguments.ts'
import { EngineError } from '../errors.ts'
import { writeMeta } from '../store/database.ts'
import type { Message } from '../wire/message.ts'
import type { Statement, WriteContext } from './context.ts'

/** The row of `meta` that is 1 while writes are blocked without a time limit. */
export const blockedRow = 'writesBlocked'

export function isBlocked({ block }: WriteContext): boolean {
  return block.untilMs > 0 && performance.now() < block.untilMs
}

/** @throws EngineError UserWritesBlocked */
export function requireUnblocked(ctx: WriteContext): void {
  if (isBlocked(ctx)) throw new EngineError('UserWritesBlocked', 'User writes blocked')
}

/** Source: `setUserWriteBlockMode`. With `embeddedForMs` the block ends after this many milliseconds, or with the process. */
// biome-ignore lint/correctness/useYield: a statement that never rests
export function* setUserWriteBlockMode(ctx: WriteContext, { body }: Message): Statement {
  const isOn = flagField(body, 'global')
  const forMs = body.embeddedForMs === undefined ? Number.POSITIVE_INFINITY : Number(body.embeddedForMs)
  if (Number.isNaN(forMs)) throw new EngineError('BadValue', 'embeddedForMs must be a number of milliseconds')
  ctx.block.untilMs = isOn ? performance.now() + forMs : 0
  writeMeta(ctx.store.db, blockedRow, isOn && forMs === Number.POSITIVE_INFINITY ? 1 : 0)
  return { ok: 1 }
}
