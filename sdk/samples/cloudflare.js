/** A webhook endpoint as a Cloudflare Worker: `export default webhookWorker(handle)`; the secret is the variable WEBHOOK_SECRET. */
import { verifyWebhook, WebhookError } from 'mailroom-sdk'

/** A worker that answers at once, and runs `handle(event, env)` after the answer. */
export function webhookWorker(handle) {
  return {
    async fetch(request, env, ctx) {
      if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
      try {
        const { headers } = request
        const event = await verifyWebhook({ body: await request.arrayBuffer(), headers, secret: env.WEBHOOK_SECRET })
        ctx.waitUntil(handle(event, env))
        return new Response(null, { status: 200 })
      } catch (error) {
        if (!(error instanceof WebhookError)) throw error
        return Response.json({ error: error.message }, { status: error.statusCode })
      }
    },
  }
}
