/** A webhook endpoint in Next.js: `export const POST = webhookRoute({ secret, handle })` in app/webhooks/mailroom/route.js. */
import { verifyWebhook, WebhookError } from 'mailroom-sdk'

/** A route handler that hands each event to `handle` once it is known to come from Mailroom. */
export function webhookRoute({ secret, handle }) {
  return async (request) => {
    try {
      const event = await verifyWebhook({ body: await request.arrayBuffer(), headers: request.headers, secret })
      await handle(event)
      return new Response(null, { status: 200 })
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      return Response.json({ error: error.message }, { status: error.statusCode })
    }
  }
}
