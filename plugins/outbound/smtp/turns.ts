/**
 * Turns at the connections to one server. Invariants: at most `max` turns are out; they are given in the order of asking;
 * nobody waits while none was given for `patienceMs`: mail that waits for a slow server would hold a place that mail for
 * other servers needs.
 */
export type Turns = {
  /** Whether any are out. */
  readonly isIdle: boolean
  /** Resolves with null when it is one's turn, or with the seconds after which to ask again. */
  take(): Promise<number | null>
  /** Ends a turn. */
  end(): void
}

const pauseMinMs = 15_000
const pauseMaxMs = 300_000

export function createTurns({ max, patienceMs }: { max: number; patienceMs: number }): Turns {
  const waiting: ((pauseSeconds: number | null) => void)[] = []
  let out = 0
  /** Since when the server is slow; null when it is not. */
  let slowSinceMs: number | null = null
  let impatience: NodeJS.Timeout | undefined
  /** Turns that were given within `patienceMs` from then on. */
  let recent = { fromMs: 0, turns: 0 }

  function given(): null {
    const now = Date.now()
    if (now - recent.fromMs > patienceMs) recent = { fromMs: now, turns: 0 }
    recent.turns += 1
    // All connections had one: it is fast enough to wait for.
    if (recent.turns >= max) slowSinceMs = null
    watch()
    return null
  }

  function watch(): void {
    clearTimeout(impatience)
    if (waiting.length > 0) impatience = setTimeout(sendAway, patienceMs)
  }

  function sendAway(): void {
    slowSinceMs ??= Date.now()
    for (const tell of waiting.splice(0)) tell(pauseSeconds(slowSinceMs))
  }

  /** As long as it has been slow, not the same for all. */
  function pauseSeconds(sinceMs: number): number {
    const pauseMs = Math.min(pauseMaxMs, Math.max(pauseMinMs, Date.now() - sinceMs))
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
