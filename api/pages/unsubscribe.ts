/** The pages behind unsubscribe links. The link alone says what is wanted: no cookie, no session (RFC 8058 3.2). */
import { subscriberOf, unsubscribe } from '../../core/send/unsubscribe.ts'
import type { Route } from '../routes.ts'
import { html } from './html.ts'
import { type Page, showPage } from './page.ts'

const path = '/unsubscribe/{token}'

export const unsubscribeRoutes: readonly Route[] = [
  {
    method: 'GET',
    path,
    serve(exchange) {
      const { email } = subscriberOf(exchange.state.ctx, exchange.params.token ?? '')
      showPage(exchange, askingPage(email))
    },
  },
  {
    // RFC 8058 3.2: mail programs post a form.
    method: 'POST',
    path,
    async serve(exchange) {
      const { email } = await unsubscribe(exchange.state.ctx, exchange.params.token ?? '')
      exchange.req.resume()
      showPage(exchange, donePage(email))
    },
  },
]

/** Opening it changes nothing, because scanners open every link (RFC 8058 3.1). */
const askingPage = (email: string): Page => ({
  title: 'Unsubscribe',
  content: html`<p>Nothing has changed yet. To get no more of this mail at <strong>${email}</strong>:</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Unsubscribe</button></form>`,
})

const donePage = (email: string): Page => ({
  title: 'Unsubscribed',
  content: html`<p>There will be no more of this mail to <strong>${email}</strong>.</p>`,
})
