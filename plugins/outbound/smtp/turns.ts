/**
 * Shares the connections to one server: a mail has to take a turn before it uses one. Invariants: at most `max` turns are taken
 * at a time, in the order of asking. If none becomes free for `patienceMs`, all waiting mail is turned away, because mail that
 * waits for a slow server holds a slot that mail for other servers needs.
 */
export type Turns = {
  /** Whether no turn is taken. */
  readonly isIdle: boolean
  /** Takes a turn. Resolves with null or, if turned away, with the number of seconds after which to try again. */
  take(): Promise<number | null>
  /** Gives a turn back. */
  end(): void
}

const pauseMinMs = 15_000
const pauseMaxMs = 300_000

export function createTurns({ max, patienceMs }: { max: number; patienceMs: number }): Turns {
  const waiting: ((pauseSeconds: number | null) => void)[] = []
  let out = 0
  /** Since when the server has been slow; null if it is not. */
  let slowSinceMs: number | null = null
  let impatience: NodeJS.Timeout | undefined
  /** How many turns were given in the `patienceMs` after `fromMs`. */
  let recent = { fromMs: 0, turns: 0 }

  function given(): null {
    const now = performance.now()
    if (now - recent.fromMs > patienceMs) recent = { fromMs: now, turns: 0 }
    recent.turns += 1
    // As many turns as there are connections were given: the server is fast enough to wait for.
    if (recent.turns >= max) slowSinceMs = null
    watch()
    return null
  }

  function watch(): void {
    clearTimeout(impatience)
    if (waiting.length > 0) impatience = setTimeout(sendAway, patienceMs)
  }

  function sendAway(): void {
    slowSinceMs ??= performance.now()
    for (const tell of waiting.splice(0)) tell(pauseSeconds(slowSinceMs))
  }

  /** As long as the server has been slow, within bounds, and randomly up to a fifth more or less, so that not all retry at once. */
  function pauseSeconds(sinceMs: number): number {
    const pauseMs = Math.min(pauseMaxMs, Math.max(pauseMinMs, performance.now() - sinceMs))
    return Math.ceil((pauseMs * (0.8 + Math.random() * 0.4)) / 1_000)
  }

  return {
    get isIdle() {
      return out === 0
    },
    async take() {
      if (out < max) {
        out += 1
        return given()
      }
      if (slowSinceMs !== null) return pauseSeconds(slowSinceMs)
      return new Promise((resolve) => {
        waiting.push(resolve)
        if (waiting.length === 1) watch()
      })
    },
    end() {
      const next = waiting.shift()
      if (next === undefined) out -= 1
      else next(given())
    },
  }
}
