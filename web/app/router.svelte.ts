/** Which page is shown, by the address alone: every place has a link, and the buttons back and forward work. */
import { tick } from 'svelte'

export type Place = { readonly path: string; readonly query: URLSearchParams }
export type Params = Readonly<Record<string, string>>

/** All addresses of the dashboard begin with it. */
export const base = '/app'

let current = $state.raw<Place>(read())
/** Where that is, with which the address of the browser agrees but while it is asked whether one may leave. */
let currentHref = location.href

/** Whether one may go from the place to `next`; it may have to be kept first what would be lost. */
export type MayLeave = (next: URL) => boolean | Promise<boolean>
let mayLeave: MayLeave = () => true

/** Where the viewer is: a path below `base`, such as `/webhooks/whk_1`, and its query. */
export const place = (): Place => current

/** The address of a place, for `href`. Parameters that are empty or null are left out. */
export function linkTo(path: string, query: Readonly<Record<string, string | null | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '')
  return `${base}${path}${given.length === 0 ? '' : `?${new URLSearchParams(given)}`}`
}

/** One segment of a path. */
export const segment = (text: string): string => encodeURIComponent(text)

/** Goes to an address of `linkTo`. `replace` leaves no way back to the one before. */
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

/** Has each way out of the place asked `ask` first, until the function that this returns is called. */
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

/** The parameters of a path by a pattern such as `/webhooks/:id`; null when it is another. A trailing `?` makes one optional. */
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

/** Follows links within the dashboard without loading the page again. Returns how to stop. */
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
  // The address is another by then: where one has to stay, it is put back.
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

/** Tells people who do not see the page that another one is there: the focus goes to its content. */
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
