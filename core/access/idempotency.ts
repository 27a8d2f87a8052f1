/** Requests that may be repeated: the first answer is kept and given again (decisions.md 1, Idempotency). */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import { newId, newToken } from '../../schemas/ids.ts'
import type { IdempotencyDoc } from '../../store/documents/accounts.ts'
import { dropMark, finishMark, releaseMark, takeMark } from '../../store/records.ts'
import { after, dayMs, minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { isAway } from '../process/database-away.ts'

const keyCharactersMax = 256
const keptMs = 7 * dayMs
const runningMs = minuteMs
const againMs = secondMs

export type Once =
  | { readonly done: true; readonly status: number; readonly body: string }
  | {
      readonly done: false
      /** The same for every try of the request (Context.onceId). */
      readonly onceId: string
      finish(answer: { status: number; body: string }): Promise<void>
      /** Nothing was done: the key is free. */
      abandon(): Promise<void>
      /** It is not known what was done: the next try of the same request goes on with it. */
      release(): Promise<void>
    }

/**
 * Begins a request that must happen at most once under its key. `fingerprint` tells requests apart (method, path, body).
 * Returns the first request's answer when there is one. Fails with `idempotency_key_invalid`, `idempotency_in_progress`,
 * `idempotency_key_reused`.
 */
export async function beginOnce(
  ctx: Context,
  {
    accountId,
    path,
    key,
    fingerprint,
    keepMs = keptMs,
  }: { accountId: string; path: string; key: string; fingerprint: string; keepMs?: number },
): Promise<Once> {
  if (key === '' || [...key].length > keyCharactersMax) throw new Failure('idempotency_key_invalid')
  const now = ctx.clock.now()
  const mark: IdempotencyDoc = {
    _id: createHash('sha256').update([accountId, path, key].join('\0')).digest('base64url'),
    accountId,
    fingerprint,
    state: 'running',
    owner: newToken(),
    onceId: newId('req', now),
    startedAt: now,
    expiresAt: after(now, keepMs),
  }
  const result = await takeMark(ctx.store, mark, after(now, -runningMs))
  if (result.taken) {
    return {
      done: false,
      onceId: result.onceId,
      finish: (answer) => surely(ctx, () => finishMark(ctx.store, mark, answer)),
      abandon: () => surely(ctx, () => dropMark(ctx.store, mark)),
      release: () => surely(ctx, () => releaseMark(ctx.store, mark)),
    }
  }
  const { existing } = result
  if (existing.fingerprint !== fingerprint) throw new Failure('idempotency_key_reused')
  if (existing.state === 'running') throw new Failure('idempotency_in_progress', undefined, { retryAfter: 1 })
  return { done: true, status: existing.status ?? 200, body: existing.body ?? '' }
}

/**
 * Writes down what became of a request. While the database is away this goes on by itself, for as long as the mark counts:
 * until it is written, whoever tries again is told that the request is still running.
 */
async function surely(ctx: Context, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isAway(error)) throw error
    void writeLater(ctx, write)
  }
}

async function writeLater(ctx: Context, write: () => Promise<void>): Promise<void> {
  for (const end = after(ctx.clock.now(), runningMs); ctx.clock.now() < end; ) {
    await sleep(againMs, undefined, { ref: false })
    try {
      return await write()
    } catch (error) {
      ctx.log.warn({ err: error }, 'an idempotency mark could not be written yet')
      if (!isAway(error)) return
    }
  }
}
