/** A value that is loaded from the API: loading, loaded, or failed. */

export type Loading<T> = {
  /** Null until it is loaded. During a reload it keeps the previous value. */
  readonly value: T | null
  readonly error: unknown
  readonly isLoading: boolean
  /**
   * Loads again; the previous value stays until the answer arrives. While a load is under way, one more follows it, however often
   * this is called, so that frequent events neither keep an answer from being shown nor multiply the requests.
   */
  reload(): void
  /**
   * Replaces the value, for example with the answer to a change. A load that is under way begins anew, because its answer may be older
   * than that.
   */
  set(value: T): void
}

/**
 * Loads when the component is shown, and again whenever reactive state changes that `load` reads before its first `await`.
 * The answer to an outdated request is dropped. `isAgain` tells `load` that it was called by `reload`.
 */
export function loading<T>(load: (signal: AbortSignal, isAgain: boolean) => Promise<T>): Loading<T> {
  let value = $state.raw<T | null>(null)
  let error = $state.raw<unknown>(null)
  let isLoading = $state(true)
  let round = $state(0)
  let lastRound = 0
  let isUnderWay = false
  let isOutdated = false
  $effect(() => {
    const isAgain = round !== lastRound
    lastRound = round
    const ending = new AbortController()
    isLoading = true
    isUnderWay = true
    isOutdated = false
    const end = () => {
      isLoading = false
      isUnderWay = false
      if (isOutdated) round += 1
    }
    load(ending.signal, isAgain).then(
      (found) => {
        if (ending.signal.aborted) return
        value = found
        error = null
        end()
      },
      (reason: unknown) => {
        if (ending.signal.aborted) return
        error = reason
        end()
      },
    )
    return () => ending.abort()
  })
  return {
    get value() {
      return value
    },
    get error() {
      return error
    },
    get isLoading() {
      return isLoading
    },
    reload() {
      if (isUnderWay) isOutdated = true
      else round += 1
    },
    set(found) {
      value = found
      error = null
      if (isUnderWay) round += 1
    },
  }
}
