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
  /** How many pages are shown or asked for. */
  let pages = 1
  let underWay: Promise<Part<T>>
  const first = loading((signal, isAgain) => {
    if (!isAgain) pages = 1
    underWay = shownPages(signal)
    return underWay
  })
  async function shownPages(signal: AbortSignal): Promise<Part<T>> {
    const most = pages
    let { items, next } = await load(undefined, signal)
    for (let loaded = 1; loaded < most && next !== null; loaded++) {
      const page = await load(next, signal)
      items = [...items, ...page.items]
      next = page.next
    }
    return { items, next }
  }
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
    reload: first.reload,
    set: (items) => change(items, first.value?.next ?? null),
    async more() {
      // A list that is being loaded has another cursor when it is.
      await underWay.catch(() => undefined)
      const from = underWay
      const next = first.value?.next ?? null
      if (next === null) return
      pages += 1
      const isSame = () => underWay === from
      await attempt(
        async () => {
          const page = await load(next)
          // If the list was loaded meanwhile, it has this page already, or it is another list.
          if (isSame()) change([...(first.value?.items ?? []), ...page.items], page.next)
        },
        () => {
          if (isSame()) pages -= 1
        },
      )
    },
  }
}
