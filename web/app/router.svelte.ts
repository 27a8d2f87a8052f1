/** The page that is shown follows from the URL alone: every place has a link, and the back and forward buttons work. */
import { tick } from 'svelte'

export type Place = { readonly path: string; readonly query: URLSearchParams }
export type Params = Readonly<Record<string, string>>

/** The beginning of all paths of the dashboard. */
export const base = '/app'

let current = $state.raw<Place>(read())
/** The URL of the current place. It differs from the browser's URL only while `mayLeave` is being asked. */
let currentHref = location.href

/** Whether the viewer may leave the place for `next`. It may first save what would be lost. */
export type MayLeave = (next: URL) => boolean | Promise<boolean>
let mayLeave: MayLeave = () => true

/** Where the viewer is: a path below `base`, such as `/webhooks/whk_1`, and its query. */
export const place = (): Place => current

/** Returns the URL of a place, for `href`. Empty and null parameters are left out. */
export function linkTo(path: string, query: Readonly<Record<string, string | null | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '')
  return `${base}${path}${given.length === 0 ? '' : `?${new URLSearchParams(given)}`}`
}

/** One segment of a path. */
export const segment = (text: string): string => encodeURIComponent(text)

/** Goes to a URL of `linkTo`. With `replace` the current place is not kept in the history. */
export function go(href: string, { replace = false }: { replace?: boolean } = {}): void {
  const move = () => {
    if (replace) history.replaceState(null, '', href)
    else history.pushState(null, '', href)
    arrive()
  }
  const answer = mayLeave(new URL(href, location.href))
  if (answer === true) move()
  else if (answer !== false) void moveIf(answer, move)
}

/** Calls `ask` before the viewer leaves the place. Returns a function that ends this. */
export function askBeforeLeaving(ask: MayLeave): () => void {
  mayLeave = ask
  return () => {
    if (mayLeave === ask) mayLeave = () => true
  }
}

async function moveIf(answer: Promise<boolean>, move: () => void): Promise<void> {
  if (await answer) move()
}

function arrive(): void {
  current = read()
  currentHref = location.href
}

/** Returns the parameters of a path that matches a pattern such as `/webhooks/:id`, otherwise null. `?` makes one optional. */
export function match(pattern: string, path: string): Params | null {
  const names = pattern.split('/').slice(1)
  const parts = path.split('/').slice(1)
  if (parts.length > names.length) return null
  const params: Record<string, string> = {}
  for (const [n, name] of names.entries()) {
    const part = parts[n] ?? ''
    if (!name.startsWith(':')) {
      if (name !== part) return null
    } else if (part === '') {
      if (!name.endsWith('?')) return null
    } else params[name.replace(/^:|\?$/g, '')] = decoded(part)
  }
  return params
}

/** Follows links within the dashboard without reloading the page. Returns a function that stops. */
export function followLinks(): () => void {
  const clicked = (event: MouseEvent) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    const link = (event.target as Element | null)?.closest?.('a')
    if (link == null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return
    if (link.pathname !== base && !link.pathname.startsWith(`${base}/`)) return
    event.preventDefault()
    go(link.pathname + link.search + link.hash)
  }
  // The browser has changed the URL already. If the viewer stays, the old URL is restored.
  const moved = () => {
    const next = location.href
    const answer = mayLeave(new URL(next))
    if (answer === true) return arrive()
    history.pushState(null, '', currentHref)
    if (answer === false) return
    void moveIf(answer, () => {
      history.pushState(null, '', next)
      arrive()
    })
  }
  document.addEventListener('click', clicked)
  window.addEventListener('popstate', moved)
  return () => {
    document.removeEventListener('click', clicked)
    window.removeEventListener('popstate', moved)
  }
}

/** Moves the focus to the content, so that screen readers announce the new page. */
export async function focusContent(): Promise<void> {
  await tick()
  document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
}

function read(): Place {
  const { pathname, search } = location
  return { path: pathname.slice(base.length).replace(/\/+$/, '') || '/', query: new URLSearchParams(search) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return part
  }
}
