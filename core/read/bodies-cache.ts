/**
 * A cache of parsed messages: the next part of a large message, or a thread that is read again as it grows, needs neither the blob
 * nor another parse. Entries do not go stale: a blob never changes, and a draft that is changed gets another blob.
 */
import type { Reading } from '../parsing/jobs.ts'
import { minuteMs } from '../process/clock.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'

/** Characters of all cached bodies and headers: a handful of the largest messages, or some thousand small ones. */
const charsMax = 16 * 1024 * 1024
/** Fixed memory cost of a cached message, in characters. */
const overheadChars = 2_000

/** By message id, blob id, view and attachment id. The caller must already have checked that the message may be read. */
export const readingsOf = perProcess(({ clock }) =>
  createKept<Reading>(clock, { max: charsMax, weigh: charsOf, ttlMs: 10 * minuteMs, renewOnUse: true }),
)

function charsOf({ text = '', markdown = '', html, reply = '', headers }: Reading): number {
  const header = headers.reduce((sum, { rawValue }) => sum + rawValue.length, 0)
  return overheadChars + text.length + markdown.length + (html?.length ?? 0) + reply.length + header * 2
}
