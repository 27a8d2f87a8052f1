/** The pages behind unsubscribe links. The link contains all that is needed: no cookie, no session (RFC 8058 3.2). */
import { subscriberOf, unsubscribe } from '../../core/send/unsubscribe.ts'
import { Failure } from '../../schemas/failures.ts'
import type { Route } from '../routes.ts'
import { html } from './html.ts'
import { type Page, showPage } from './page.ts'

const path = '/unsubscribe/{token}'

export const unsubscribeRoutes: readonly Route[] = [
  {
    method: 'GET',
    path,
    async serve(exchange) {
      const found = async () => subscriberOf(exchange.state.ctx, exchange.params.token ?? '')
      showPage(exchange, await found().then(({ email }) => askingPage(email), refusalPage))
    },
  },
  {
    // RFC 8058 3.2: mail programs post a form.
    method: 'POST',
    path,
    async serve(exchange) {
      const done = unsubscribe(exchange.state.ctx, exchange.params.token ?? '')
      const page = await done.then(({ email }) => donePage(email), refusalPage)
      exchange.req.resume()
      showPage(exchange, page)
    },
  },
]

/** Opening it changes nothing, because scanners open every link (RFC 8058 3.1). */
const askingPage = (email: string): Page => ({
  title: 'Unsubscribe',
  content: html`<p>Nothing has changed yet. To stop this mail to <strong>${email}</strong>:</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Unsubscribe</button></form>`,
})

const donePage = (email: string): Page => ({
  title: 'Unsubscribed',
  content: html`<p>This mail will no longer be sent to <strong>${email}</strong>.</p>`,
})

/** The page for an unknown link. Any other error is thrown. */
function refusalPage(error: unknown): Page {
  if (!(error instanceof Failure) || error.code !== 'not_found') throw error
  const { message, fix } = error
  return { title: 'This link cannot be used', status: 404, content: html`<p>${message} ${fix}</p>` }
}
