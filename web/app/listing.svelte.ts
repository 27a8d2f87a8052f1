/** A paged list of the API: the first page loads when it is shown, further ones on request. */

import { type Loading, loading } from './loading.svelte.ts'
import { attempt } from './notices.svelte.ts'

type Part<T> = { readonly items: readonly T[]; readonly next: string | null }
export type Listing<T> = Loading<readonly T[]> & { readonly hasMore: boolean; more(): Promise<unknown> }

/** `load` fetches the page after a cursor. The list reloads when reactive state that `load` reads changes. */
export function listing<T>(load: (before: string | undefined, signal?: AbortSignal) => Promise<Part<T>>): Listing<T> {
  const first = loading((signal) => load(undefined, signal))
  const change = (items: readonly T[], next: string | null) => first.set({ items, next })
  return {
    get value() {
      return first.value?.items ?? null
    },
    get error() {
      return first.error
    },
    get isLoading() {
      return first.isLoading
    },
    get hasMore() {
      return (first.value?.next ?? null) !== null
    },
    reload: () => first.reload(),
    set: (items) => change(items, first.value?.next ?? null),
    async more() {
      const { items = [], next = null } = first.value ?? {}
      if (next === null) return
      await attempt(async () => {
        const page = await load(next)
        change([...items, ...page.items], page.next)
      })
    },
  }
}
