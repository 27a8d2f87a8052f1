/**
 * The headers with which a receiver verifies a request: ours (interface.md, Webhook signature) and those of Standard
 * Webhooks.
 */
import { createHmac } from 'node:crypto'
import { secondMs } from '../process/clock.ts'

/** Signs a body. `secrets` are as they were shown; with two both sign, the newer one last. */
export function signatureHeaders({
  id,
  body,
  secrets,
  at,
}: {
  id: string
  body: string
  secrets: readonly string[]
  at: Date
}): { readonly [name: string]: string } {
  const timestamp = Math.floor(at.getTime() / secondMs)
  const ours = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
  )
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'x-service-signature': [`t=${timestamp}`, ...ours].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  }
}
