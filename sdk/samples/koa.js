/** A webhook endpoint in Koa. */
import Koa from 'koa'
import { verifyWebhook, WebhookError } from 'mailroom-sdk'

const bytesMax = 2 * 1024 * 1024

/** An app that hands each event to `handle` once it is known to come from Mailroom. */
export function webhookApp({ secret, handle }) {
  const app = new Koa()
  app.use(async (ctx) => {
    ctx.assert(ctx.method === 'POST' && ctx.path === '/webhooks/mailroom', 404)
    const chunks = []
    let bytes = 0
    for await (const chunk of ctx.req) {
      bytes += chunk.length
      ctx.assert(bytes <= bytesMax, 413)
      chunks.push(chunk)
    }
    try {
      const event = await verifyWebhook({ body: Buffer.concat(chunks), headers: ctx.headers, secret })
      await handle(event)
      ctx.status = 200
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      ctx.status = error.statusCode
      ctx.body = { error: error.message }
    }
  })
  return app
}
