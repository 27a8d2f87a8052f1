/** A webhook endpoint in Express. */
import express from 'express'
import { verifyWebhook, WebhookError } from 'mailroom-sdk'

/** An app that hands each event to `handle` once it is known to come from Mailroom. */
export function webhookApp({ secret, handle }) {
  const app = express()
  // The signature covers the raw bytes, so nothing may parse them first.
  app.post('/webhooks/mailroom', express.raw({ type: '*/*', limit: '2mb' }), async (request, response) => {
    try {
      const event = await verifyWebhook({ body: request.body, headers: request.headers, secret })
      await handle(event)
      response.sendStatus(200)
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      response.status(error.statusCode).json({ error: error.message })
    }
  })
  return app
}
