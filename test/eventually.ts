import { setTimeout as sleep } from 'node:timers/promises'

/** How long what must come is waited for: far longer than it takes, since the machine may do other work. */
const patienceMs = 90_000
/** Who has waited long asks less often: a question to a whole service costs milliseconds of its processor. */
const pauseMs = { least: 20, most: 100 } as const
const pauseShare = 0.1

/** Asks until `answer` gives something, and returns that; fails with `what` was waited for when it never does. */
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
