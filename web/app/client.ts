/** The one client of the API: the project's own SDK with the session of the browser. */
import { Mailroom } from '../../sdk/mailroom.ts'

/** Requests go where the page came from, with the cookie of the session. */
const options = { baseUrl: location.origin, fetch: fetchInSession }

export let mailroom = new Mailroom(options)

/** From now on requests that change something carry the token of the session. */
export function useSession(csrfToken: string): void {
  mailroom = new Mailroom({ ...options, csrfToken })
}

/**
 * Makes a request. Where it is refused because nobody is signed in any more, the browser goes to the page for signing in, and from
 * there back to where one is.
 */
async function fetchInSession(...asked: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...asked)
  // A password that is asked for once more and is wrong is refused alike.
  if (response.status === 401 && (await fetch('/api/v1/session')).status === 401)
    location.assign(`/sign-in?next=${encodeURIComponent(here())}`)
  return response
}

function here(): string {
  const query = new URLSearchParams(location.search)
  return query.size === 0 ? location.pathname : `${location.pathname}?${query}`
}
