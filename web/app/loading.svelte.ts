/** Something that is asked of the API: loading, there, or refused. */

export type Loading<T> = {
  /** Null until it is there; while it is asked for again, the one before. */
  readonly value: T | null
  readonly error: unknown
  readonly isLoading: boolean
  /** Asks again; what is shown stays until the answer is there. */
  reload(): void
  /** Puts in another value, such as the one that a change answered. */
  set(value: T): void
}

/**
 * Asks when the component is shown, and again whenever what `load` reads of the page's state (before its first `await`)
 * changes. An answer that was overtaken by a newer question is dropped.
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
