/** A value that is loaded from the API: loading, loaded, or failed. */

export type Loading<T> = {
  /** Null until it is loaded. During a reload it keeps the previous value. */
  readonly value: T | null
  readonly error: unknown
  readonly isLoading: boolean
  /** Loads again; the previous value stays until the answer arrives. */
  reload(): void
  /** Replaces the value, for example with the answer to a change. */
  set(value: T): void
}

/**
 * Loads when the component is shown, and again whenever reactive state changes that `load` reads before its first `await`.
 * The answer to an outdated request is dropped.
 */
export function loading<T>(load: (signal: AbortSignal) => Promise<T>): Loading<T> {
  let value = $state.raw<T | null>(null)
  let error = $state.raw<unknown>(null)
  let isLoading = $state(true)
  let round = $state(0)
  $effect(() => {
    void round
    const ending = new AbortController()
    isLoading = true
    load(ending.signal).then(
      (found) => {
        if (ending.signal.aborted) return
        value = found
        error = null
        isLoading = false
      },
      (reason: unknown) => {
        if (ending.signal.aborted) return
        error = reason
        isLoading = false
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
      round += 1
    },
    set(found) {
      value = found
      error = null
    },
  }
}
