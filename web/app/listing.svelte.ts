/** A paged list of the API: the first page loads when it is shown, further ones on request. */

import { type Loading, loading } from './loading.svelte.ts'
import { attempt } from './notices.svelte.ts'

type Part<T> = { readonly items: readonly T[]; readonly next: string | null }
export type Listing<T> = Loading<readonly T[]> & { readonly hasMore: boolean; more(): Promise<unknown> }

/**
 * `load` fetches the page after a cursor. The list begins anew when reactive state that `load` reads changes; `reload` loads again
 * all the pages that are shown.
 */
export function listing<T>(load: (before: string | undefined, signal?: AbortSignal) => Promise<Part<T>>): Listing<T> {
  let pages = 1
  let wanted = 1
  const first = loading(async (signal) => {
    const most = wanted
    wanted = 1
    let { items, next } = await load(undefined, signal)
    let loaded = 1
    for (; loaded < most && next !== null; loaded++) {
      const page = await load(next, signal)
      items = [...items, ...page.items]
      next = page.next
    }
    if (!signal.aborted) pages = loaded
    return { items, next }
  })
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
    reload() {
      wanted = pages
      first.reload()
    },
    set: (items) => change(items, first.value?.next ?? null),
    async more() {
      const { items = [], next = null } = first.value ?? {}
      if (next === null) return
      await attempt(async () => {
        const page = await load(next)
        change([...items, ...page.items], page.next)
        pages += 1
      })
    },
  }
}
