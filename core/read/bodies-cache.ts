/**
 * A cache of large messages as they were parsed, so that the next part of a message is read without parsing it again.
 * Messages never change.
 */
import type { Reading } from '../parsing/jobs.ts'
import { minuteMs } from '../process/clock.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'

/** Characters of all cached bodies and headers: a handful of the largest messages. */
const charsMax = 16 * 1024 * 1024

/** By message id, view and attachment id. The caller must already have checked that the message may be read. */
export const readingsOf = perProcess(({ clock }) =>
  createKept<Reading>(clock, { max: charsMax, weigh: charsOf, ttlMs: 10 * minuteMs, renewOnUse: true }),
)

function charsOf({ text = '', html, reply = '', headers }: Reading): number {
  const header = headers.reduce((sum, { rawValue }) => sum + rawValue.length, 0)
  return text.length + (html?.length ?? 0) + reply.length + header * 2
}
