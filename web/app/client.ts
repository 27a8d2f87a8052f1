/** The only API client: the project's own SDK with the browser's session. */
import { Mailroom } from '../../sdk/mailroom.ts'

/** Requests go to the origin of the page, with the session cookie. */
const options = { baseUrl: location.origin, fetch: fetchInSession }

export let mailroom = new Mailroom(options)
/** The CSRF token of the session: a new one for each session, and for each account that it acts on. */
let token: string | null = null

/** Makes requests that change something carry the session's token. */
export function useSession(csrfToken: string): void {
  token = csrfToken
  mailroom = new Mailroom({ ...options, csrfToken })
}

/**
 * Makes a request. If it is refused because nobody is signed in, the browser goes to the sign-in page, which leads back to the
 * current page. If another window switched to another account or person, the dashboard reloads.
 */
async function fetchInSession(...asked: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...asked)
  // A wrong password at a confirmation is refused with the same status, so the session is checked.
  if (response.status === 401 || (response.status === 403 && token !== null)) {
    const session = await fetch('/api/v1/session')
    if (session.status === 401) location.assign(`/sign-in?next=${encodeURIComponent(here())}`)
    else if (session.ok && token !== null) {
      const { csrfToken } = (await session.json()) as { readonly csrfToken: string }
      if (csrfToken !== token) beginElsewhere()
    }
  }
  return response
}

/** Reloads the dashboard, because the session acts on another account than the one that is shown. */
export function beginElsewhere(): void {
  location.assign('/app?done=elsewhere')
}

function here(): string {
  const query = new URLSearchParams(location.search)
  return query.size === 0 ? location.pathname : `${location.pathname}?${query}`
}
