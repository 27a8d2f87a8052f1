/**
 * Ids: a type prefix and 26 lower-case Crockford base32 characters, time-ordered (decisions.md 1, Ids).
 */
import { createHash, randomFillSync } from 'node:crypto'
import { decodeTime, monotonicFactory } from 'ulid'

export const idPrefixes = [
  'acc',
  'usr',
  'ses',
  'inv',
  'ask',
  'key',
  'gnt',
  'oac',
  'mbx',
  'fld',
  'msg',
  'thr',
  'att',
  'apr',
  'em',
  'bat',
  'evt',
  'exp',
  'whk',
  'dlv',
  'int',
  'tpl',
  'rec',
  'clm',
  'cus',
  'file',
  'aud',
  'blb',
  'req',
  'seg',
] as const
export type IdPrefix = (typeof idPrefixes)[number]
export type Id<P extends IdPrefix> = `${P}_${string}`

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** Random bytes are fetched in bulk: one call per id would cost more than the rest of making it. */
const pool = Buffer.alloc(1024)
let poolAt = pool.length
const tokenBytes = 9
/**
 * Ids stay in order while the clock goes back by less than this. After a larger step they follow the clock again, so that a single
 * id with a time far in the future does not give its time to all later ones.
 */
const backMs = 10_000

/** Makes the part of an id after its prefix, for a time in milliseconds. */
type Sequence = (ms: number) => string

/** A time that is further ahead of the machine's clock is one of a test clock, or of a node whose clock is that wrong. */
const aheadMs = 1_000
/** The ids of test clocks have a sequence of their own, so that they do not give their time to those of all other accounts. */
const usual = createSequence()
const ahead = createSequence()

function createSequence(): Sequence {
  let newestMs = 0
  let monotonic = monotonicFactory(randomShare)
  return (ms) => {
    if (ms < newestMs - backMs) {
      monotonic = monotonicFactory(randomShare)
      newestMs = ms
    }
    newestMs = Math.max(newestMs, ms)
    return monotonic(ms).toLowerCase()
  }
}

/**
 * Makes an id for the time `at`. It sorts after all earlier ids of this process, unless `at` is more than `backMs` before
 * theirs, or only one of them is that of a test clock.
 */
export function newId<P extends IdPrefix>(prefix: P, at: Date): Id<P> {
  const ms = at.getTime()
  const next = ms > Date.now() + aheadMs ? ahead : usual
  return `${prefix}_${next(ms)}`
}

/**
 * Derives the id that `source` (another id) has in another role; it is always the same: the time of the source, and 80 bits of a
 * hash of source and role. Deriving twice therefore gives one document.
 */
export function deriveId<P extends IdPrefix>(prefix: P, source: string, role: string): Id<P> {
  const time = source.slice(source.indexOf('_') + 1).slice(0, 10)
  const hash = createHash('sha256').update(`${role}\0${source}`).digest()
  let tail = ''
  for (let bit = 0; bit < 80; bit += 5) tail += alphabet[(hash.readUInt16BE(bit >> 3) >> (11 - (bit & 7))) & 31]
  return `${prefix}_${time}${tail}`
}

/** The smallest id for a time: for ranges over ids. Times before 1970 count as 1970. */
export function idAt<P extends IdPrefix>(prefix: P, at: Date): Id<P> {
  let rest = Math.max(0, at.getTime())
  let time = ''
  for (let digit = 0; digit < 10; digit++) {
    time = alphabet[rest % 32] + time
    rest = Math.floor(rest / 32)
  }
  return `${prefix}_${time}${'0'.repeat(16)}`
}

/** The time at which an id was made, to the millisecond. */
export function timeOfId(id: string): Date {
  return new Date(decodeTime(id.slice(id.indexOf('_') + 1).toUpperCase()))
}

/** A short random token that is unique in practice: for leases and reservations, never as a secret. */
export function newToken(): string {
  const from = drawn(tokenBytes)
  return pool.toString('base64url', from, from + tokenBytes)
}

/** A random number in [0, 1) made from one byte, since an id uses five bits of it. */
function randomShare(): number {
  return pool[drawn(1)]! / 256
}

/** Takes `bytes` unused bytes of the pool, and returns the index of the first. */
function drawn(bytes: number): number {
  if (poolAt + bytes > pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  poolAt += bytes
  return poolAt - bytes
}

/** The pattern of ids of a kind, for schemas. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`
}
