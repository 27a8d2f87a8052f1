/**
 * The headers with which a receiver verifies a request: ours (interface.md, Webhook signature) and those of Standard
 * Webhooks.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { secondMs } from '../process/clock.ts'

/** A secret as the two kinds of signature use it. */
export type SigningSecret = { readonly ours: KeyObject; readonly standard: KeyObject }

/** Prepares a secret, as it was shown, for signing many bodies. */
export function signingSecret(secret: string): SigningSecret {
  return {
    ours: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(secret.replace(/^whsec_/, ''), 'base64'),
  }
}

/** Signs a body. With two secrets both sign, the newer one last. */
export function signatureHeaders({
  id,
  body,
  secrets,
  at,
}: {
  id: string
  body: string
  secrets: readonly SigningSecret[]
  at: Date
}): { readonly [name: string]: string } {
  const timestamp = Math.floor(at.getTime() / secondMs)
  const ours = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret.ours).update(`${timestamp}.${body}`).digest('hex')}`,
  )
  const standard = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret.standard).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  )
  return {
    'x-service-signature': [`t=${timestamp}`, ...ours].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  }
}
