/** A list of the API that comes in pages: the first when it is shown, more when they are asked for. */

import { type Loading, loading } from './loading.svelte.ts'
import { attempt } from './notices.svelte.ts'

type Part<T> = { readonly items: readonly T[]; readonly next: string | null }
export type Listing<T> = Loading<readonly T[]> & { readonly hasMore: boolean; more(): Promise<unknown> }

/** `load` asks for the page after a cursor. It is asked anew when what it reads of the page's state changes. */
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
