/** Large messages as they were read, so that going on with a cursor does not read them again. Messages never change. */
import type { Reading } from '../parsing/jobs.ts'
import { minuteMs } from '../process/clock.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'

/** Characters of bodies and headers in all: a handful of the largest messages. */
const charsMax = 16 * 1024 * 1024

/** By message, view and attachment. Only for callers that have been allowed to read the message. */
export const readingsOf = perProcess(({ clock }) =>
  createKept<Reading>(clock, { max: charsMax, weigh: charsOf, ttlMs: 10 * minuteMs, renewOnUse: true }),
)

function charsOf({ text = '', html, reply = '', headers }: Reading): number {
  const header = headers.reduce((sum, { rawValue }) => sum + rawValue.length, 0)
  return text.length + (html?.length ?? 0) + reply.length + header * 2
}
