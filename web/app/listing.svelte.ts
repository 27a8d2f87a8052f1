/** A paged list of the API: the first page loads when it is shown, further ones on request. */

import { type Loading, loading } from './loading.svelte.ts'
import { attempt } from './notices.svelte.ts'

type Part<T> = { readonly items: readonly T[]; readonly next: string | null }
export type Listing<T> = Loading<readonly T[]> & { readonly hasMore: boolean; more(): Promise<unknown> }

/** What the API is asked for: at most so many entries after a cursor. */
type Page = { readonly limit: number; readonly before?: string }

/** The most entries that the API answers at once. */
const limitMax = 200

/**
 * `load` fetches a page. The list begins anew when reactive state that `load` reads changes; `reload` loads again all that is shown,
 * in as few requests as possible.
 */
export function listing<T>(pageSize: number, load: (page: Page, signal?: AbortSignal) => Promise<Part<T>>): Listing<T> {
  /** How many pages are shown or asked for. */
  let pages = 1
  let underWay: Promise<Part<T>>
  const first = loading((signal, isAgain) => {
    if (!isAgain) pages = 1
    underWay = shownPages(signal)
    return underWay
  })
  async function shownPages(signal: AbortSignal): Promise<Part<T>> {
    let missing = pages * pageSize
    let items: readonly T[] = []
    let next: string | null = null
    do {
      const limit = Math.min(missing, limitMax)
      const found: Part<T> = await load({ limit, ...(next !== null && { before: next }) }, signal)
      items = [...items, ...found.items]
      next = found.next
      missing -= limit
    } while (missing > 0 && next !== null)
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
          const page = await load({ limit: pageSize, before: next })
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
