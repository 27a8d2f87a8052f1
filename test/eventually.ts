import { setTimeout as sleep } from 'node:timers/promises'

/** How long what must come is waited for: far longer than it takes, since the machine may do other work. */
const patienceMs = 90_000
const pollMs = 20

/** Asks until `answer` gives something, and returns that; fails with `what` was waited for when it never does. */
export async function eventually<T>(
  what: string,
  answer: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  withinMs = patienceMs,
): Promise<T> {
  const end = Date.now() + withinMs
  for (;;) {
    const given = await answer()
    if (given !== null && given !== undefined && given !== false) return given
    if (Date.now() > end) throw new Error(`Not within ${withinMs} ms: ${what}`)
    await sleep(pollMs)
  }
}
