/** Results that are computed once for an object that many callers share. */

/** Returns `make` with a memory: the result for an object is computed once, and kept as long as the object is. */
export function madeOnce<A extends object, T>(make: (object: A) => T): (object: A) => T {
  const made = new WeakMap<A, { readonly value: T }>()
  return (object) => {
    const before = made.get(object)
    if (before !== undefined) return before.value
    const value = make(object)
    made.set(object, { value })
    return value
  }
}
