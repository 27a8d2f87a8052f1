/** The one client of the API: the project's own SDK with the session of the browser. */
import { Mailroom } from '../../sdk/mailroom.ts'

/** Requests go where the page came from, with the cookie of the session. */
export let mailroom = new Mailroom({ baseUrl: location.origin })

/** From now on requests that change something carry the token of the session. */
export function useSession(csrfToken: string): void {
  mailroom = new Mailroom({ baseUrl: location.origin, csrfToken })
}
