/**
 * Idempotency keys: the first answer to a request is kept and returned again to every repeat (decisions.md 1,
 * Idempotency).
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import { newId, newToken, timeOfId } from '../../schemas/ids.ts'
import type { IdempotencyDoc } from '../../store/documents/accounts.ts'
import {
  finishingMark,
  forgetIdempotencyKey,
  freeIdempotencyKey,
  holdingMark,
  releaseIdempotencyKey,
  takeIdempotencyKey,
} from '../../store/records.ts'
import { sealedFor } from '../../store/sealed.ts'
import type { Write } from '../../store/writes.ts'
import { after, dayMs, minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { isAway } from '../process/database-away.ts'

const keyCharactersMax = 256
const keptMs = 7 * dayMs
const runningMs = minuteMs
const retryMs = secondMs

type IdempotentAnswer = { readonly status: number; readonly body: string }

export type IdempotentRequest =
  | ({ readonly done: true; readonly keyId: string | null; forget(): Promise<void> } & IdempotentAnswer)
  | ({ readonly done: false } & BegunRequest)

/** A request that has no recorded answer. */
export type BegunRequest = {
  /** The same for every try of the request (`Context.onceId`). */
  readonly onceId: string
  /** Whether an earlier try may have done something (`Context.mayRepeat`). */
  readonly mayRepeat: boolean
  /** The first write of a list: it is refused, and the whole list with it, when another try has taken over. */
  readonly hold: Write
  finish(answer: IdempotentAnswer): Promise<void>
  /** As `finish`, but as a write for the list that makes the changes of the request. */
  finishing(answer: IdempotentAnswer): Write
  /** Frees the key. For a request that did nothing. */
  abandon(): Promise<void>
  /** Lets the next try of the same request take over, with the same `onceId`. For a request whose outcome is unknown. */
  release(): Promise<void>
}

/**
 * Begins a request that must take effect at most once under its key. `fingerprint` identifies the request (method, path, body);
 * `customerOf` returns the customer that a partner's request is about, by its `onceId`. Returns the answer of the first request when
 * there is one, with the API key (`keyId`) that made it; after `forget` the same request is a new one. Fails with
 * `idempotency_key_invalid`, `idempotency_in_progress`, `idempotency_key_reused` (another request used the key) and `conflict` (the
 * customer was erased).
 */
export async function beginIdempotent(
  ctx: Context,
  {
    accountId,
    keyId,
    path,
    key,
    fingerprint,
    keepMs = keptMs,
    customerOf,
  }: {
    accountId: string
    keyId: string
    path: string
    key: string
    fingerprint: string
    keepMs?: number
    customerOf?: (onceId: string) => string
  },
): Promise<IdempotentRequest> {
  if (key === '' || [...key].length > keyCharactersMax) throw new Failure('idempotency_key_invalid')
  const now = ctx.clock.now()
  const newOnceId = newId('req', now)
  const record: IdempotencyDoc = {
    _id: createHash('sha256').update([accountId, path, key].join('\0')).digest('base64url'),
    accountId,
    keyId,
    ...(customerOf !== undefined && { customerId: customerOf(newOnceId) }),
    fingerprint,
    state: 'running',
    owner: newToken(),
    onceId: newOnceId,
    startedAt: now,
    expiresAt: after(now, keepMs),
  }
  const result = await takeIdempotencyKey(ctx.store, record, after(now, -runningMs))
  if (result.taken) {
    const { onceId } = result
    const finishing = (answer: IdempotentAnswer) => finishingMark(ctx.store, record, answer)
    return {
      done: false,
      onceId,
      // Only the first try gets the `onceId` that it proposed.
      mayRepeat: onceId !== record.onceId,
      hold: holdingMark(ctx.store, { ...record, onceId }),
      finish: (answer) => writeOrRetry(ctx, () => ctx.store.writeTogether([finishing(answer)])),
      finishing,
      abandon: () => writeOrRetry(ctx, () => freeIdempotencyKey(ctx.store, record)),
      release: () => writeOrRetry(ctx, () => releaseIdempotencyKey(ctx.store, record)),
    }
  }
  const { existing } = result
  if (existing.state === 'erased')
    throw new Failure('conflict', 'The customer of the first request with this Idempotency-Key has been erased.', {
      fix: 'Use a new Idempotency-Key to make another customer.',
    })
  if (existing.fingerprint !== fingerprint) throw new Failure('idempotency_key_reused')
  if (existing.state === 'running') throw new Failure('idempotency_in_progress', undefined, { retryAfter: 1 })
  return {
    done: true,
    status: existing.status ?? 200,
    body: existing.body ?? '',
    keyId: existing.keyId ?? null,
    forget: () => forgetIdempotencyKey(ctx.store, existing),
  }
}

/**
 * Whether an earlier try of this request, whose outcome is unknown, may have made a record: then a repeat that finds it is not in
 * conflict with it.
 */
export function mayHaveMade({ mayRepeat, onceId }: Context, { createdAt }: { readonly createdAt: Date }): boolean {
  return mayRepeat && onceId !== null && createdAt >= timeOfId(onceId)
}

/** Seals an answer that may contain a value that is shown only once, such as a signing secret. */
export function sealAnswer({ secrets }: Context, body: string): string {
  return secrets.seal(body, sealedFor.idempotency).toString('base64')
}

/** Opens an answer that `sealAnswer` sealed. */
export function openAnswer({ secrets }: Context, body: string): string {
  return secrets.open(Buffer.from(body, 'base64'), sealedFor.idempotency)
}

/**
 * Writes how a request ended. While the database is away, keeps retrying in the background for as long as the running
 * request blocks its key: until it is written, repeats get `idempotency_in_progress`.
 */
async function writeOrRetry(ctx: Context, write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isAway(error)) throw error
    void writeLater(ctx, write)
  }
}

async function writeLater(ctx: Context, write: () => Promise<unknown>): Promise<void> {
  for (const end = after(ctx.clock.now(), runningMs); ctx.clock.now() < end; ) {
    await sleep(retryMs, undefined, { ref: false })
    try {
      await write()
      return
    } catch (error) {
      ctx.log.warn({ err: error }, 'the end of an idempotent request could not be written yet')
      if (!isAway(error)) return
    }
  }
}
