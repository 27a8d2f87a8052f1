import type { Store } from '../../store/open.ts'

/** What a process has one of, kept beside its store, which the contexts of all requests share. Made when it is first asked for. */
export function perStore<T>(make: (store: Store) => T): (ctx: { readonly store: Store }) => T {
  const made = new WeakMap<Store, T>()
  return ({ store }) => {
    const known = made.get(store)
    if (known !== undefined) return known
    const fresh = make(store)
    made.set(store, fresh)
    return fresh
  }
}
