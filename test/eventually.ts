import { setTimeout as sleep } from 'node:timers/promises'

/** How long to wait for something that must happen: far longer than it takes, since the machine may do other work. */
const patienceMs = 90_000
/** The pause between two questions grows with the time waited, since asking a whole service costs milliseconds of processor time. */
const pauseMs = { least: 20, most: 100 } as const
const pauseShare = 0.1

/** Calls `answer` until it returns something, and returns that. Rejects with the name `what` if it does not within `withinMs`. */
export async function eventually<T>(
  what: string,
  answer: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  withinMs = patienceMs,
): Promise<T> {
  const began = Date.now()
  for (;;) {
    const given = await answer()
    if (given !== null && given !== undefined && given !== false) return given
    const waitedMs = Date.now() - began
    if (waitedMs > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}`)
    await sleep(Math.min(Math.max(pauseMs.least, waitedMs * pauseShare), pauseMs.most))
  }
}
