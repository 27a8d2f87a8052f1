/** What is made of an object that many share is made once. */

/** The same function, which makes what it makes of an object once, as long as that is in use. */
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
