/** The one client of the API: the project's own SDK with the session of the browser. */
import { Mailroom } from '../../sdk/mailroom.ts'

/** Requests go where the page came from, with the cookie of the session. */
const options = { baseUrl: location.origin, fetch: fetchInSession }

export let mailroom = new Mailroom(options)
/** It is another one for each session, and for each account that it acts on. */
let token: string | null = null

/** From now on requests that change something carry the token of the session. */
export function useSession(csrfToken: string): void {
  token = csrfToken
  mailroom = new Mailroom({ ...options, csrfToken })
}

/**
 * Makes a request. Where it is refused because nobody is signed in any more, the browser goes to the page for signing in, and from
 * there back to where one is; where another window went on to another account, or as somebody else, the dashboard begins anew.
 */
async function fetchInSession(...asked: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...asked)
  // A password that is asked for once more and is wrong is refused alike.
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

/** What is shown is not of the account that the session acts on now. */
export function beginElsewhere(): void {
  location.assign('/app?done=elsewhere')
}

function here(): string {
  const query = new URLSearchParams(location.search)
  return query.size === 0 ? location.pathname : `${location.pathname}?${query}`
}
