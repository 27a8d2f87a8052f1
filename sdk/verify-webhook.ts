/**
 * Verifies that a webhook request came from Mailroom, using only what Node 18, browsers and edge runtimes have in common. It supports
 * both families of signature headers: `X-Service-Signature` (t=<seconds>,v1=<hex>), and those of Standard Webhooks (webhook-id,
 * webhook-timestamp, webhook-signature). Each may contain several signatures, as while a secret is being rotated; one valid signature is
 * enough.
 */

/** The envelope of an event. */
export type WebhookEvent<Data = { readonly [field: string]: unknown }> = {
  readonly id: string
  readonly type: string
  /** ISO 8601 UTC. */
  readonly created_at: string
  readonly cursor?: string
  readonly test?: boolean
  readonly sandbox?: boolean
  readonly customer_id?: string
  readonly data: Data
}

/** The request cannot be trusted: answer it with `statusCode`. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly statusCode = 400
}

type HeaderRecord = { readonly [name: string]: string | readonly string[] | undefined }

export type WebhookRequest = {
  /** The raw body, before anything parsed it: text or bytes. */
  readonly body: string | Uint8Array | ArrayBuffer
  /** The headers, as Fetch (`Headers`) or Node (an object) provides them. */
  readonly headers: { get(name: string): string | null } | HeaderRecord
  /** The signing secret (`whsec_...`); several while it is being rotated. */
  readonly secret: string | readonly string[]
  /** How far the time of the signature may be from now. Default: 5 minutes. */
  readonly toleranceSeconds?: number
  /** The time now. */
  readonly now?: Date
}

/** More signatures than any request of ours has, each of which costs a digest. */
const signaturesMax = 10

/**
 * Verifies a webhook request and returns its event. Rejects with a `WebhookError` if it cannot be trusted: no signature, a wrong one,
 * one that is too old or in the future, or a body that is not an event. Rejects with a `TypeError` if it is called incorrectly: without
 * a secret, or with a body that was already parsed.
 */
export async function verifyWebhook<Data = { readonly [field: string]: unknown }>({
  body,
  headers,
  secret,
  toleranceSeconds = 300,
  now = new Date(),
}: WebhookRequest): Promise<WebhookEvent<Data>> {
  const raw = bytesOf(body)
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0 || secrets.some((each) => typeof each !== 'string' || each === ''))
    throw new TypeError('Pass the signing secret of the endpoint, which begins with "whsec_".')
  const claims = [...ownClaims(headers), ...standardClaims(headers)]
  if (claims.length === 0) throw new WebhookError('The request has no signature that can be read.')
  const fresh = claims.filter(({ at }) => Math.abs(now.getTime() / 1000 - at) <= toleranceSeconds)
  if (fresh.length === 0) throw new WebhookError('The signature is too old, or from the future.')
  for (const claim of fresh.slice(0, signaturesMax))
    for (const each of secrets) if (await isSigned(claim, each, raw)) return eventIn<Data>(raw)
  throw new WebhookError('No signature of the request was made with the secret.')
}

/** A signature to be verified, which shows that the sender knows the secret. */
type Claim = {
  /** Seconds since 1970. */
  readonly at: number
  /** What was signed before the body. */
  readonly prefix: string
  readonly signature: Uint8Array<ArrayBuffer>
  /** The key for a secret; null if the secret is malformed. */
  keyOf(secret: string): Uint8Array<ArrayBuffer> | null
}

/** X-Service-Signature: keyed by the text of the secret. */
function ownClaims(headers: WebhookRequest['headers']): Claim[] {
  const fields = (headerOf(headers, 'x-service-signature') ?? '').split(',').map((field) => field.trim().split('='))
  const times = fields.filter(([name]) => name === 't')
  const [, t = ''] = times[0] ?? []
  const at = secondsOf(t)
  if (at === null || times.length > 1) return []
  return fields.flatMap(([name, value = '']): Claim[] => {
    const signature = name === 'v1' ? hexBytes(value) : null
    return signature === null ? [] : [{ at, prefix: `${t}.`, signature, keyOf: utf8 }]
  })
}

/** The headers of Standard Webhooks: keyed by the bytes that the secret encodes in base64. */
function standardClaims(headers: WebhookRequest['headers']): Claim[] {
  const [id, t = '', signatures = ''] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headerOf(headers, name) ?? undefined,
  )
  const at = secondsOf(t)
  if (id === undefined || id === '' || at === null) return []
  return signatures.split(' ').flatMap((each): Claim[] => {
    const signature = each.startsWith('v1,') ? base64Bytes(each.slice(3)) : null
    return signature === null ? [] : [{ at, prefix: `${id}.${t}.`, signature, keyOf: standardKey }]
  })
}

const standardKey = (secret: string) => base64Bytes(secret.replace(/^whsec_/, ''))

/** Web Crypto compares in constant time. */
async function isSigned({ prefix, signature, keyOf }: Claim, secret: string, body: Uint8Array): Promise<boolean> {
  const bytes = keyOf(secret)
  if (bytes === null || bytes.length === 0) return false
  const { subtle } = await webCrypto()
  const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  const before = utf8(prefix)
  const signed = new Uint8Array(before.length + body.length)
  signed.set(before)
  signed.set(body, before.length)
  return subtle.verify('HMAC', key, signature, signed)
}

/** Web Crypto, which Node 18 only has in a module. Its name is in a variable, so that no bundler for browsers looks for it. */
async function webCrypto(): Promise<typeof globalThis.crypto> {
  if (globalThis.crypto?.subtle !== undefined) return globalThis.crypto
  const name = 'node:crypto'
  return ((await import(name)) as { readonly webcrypto: typeof globalThis.crypto }).webcrypto
}

function eventIn<Data>(body: Uint8Array): WebhookEvent<Data> {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof event === 'object' && event !== null && !Array.isArray(event)) return event as WebhookEvent<Data>
  } catch {
    // Reported below.
  }
  throw new WebhookError('The body is signed, but is not an event.')
}

function bytesOf(body: WebhookRequest['body']): Uint8Array {
  if (typeof body === 'string') return utf8(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new TypeError('Pass the raw body, as text or bytes: a parsed body cannot be verified.')
}

function headerOf(headers: WebhookRequest['headers'], name: string): string | null {
  if (typeof headers.get === 'function') return headers.get(name)
  const found = Object.entries(headers as HeaderRecord).find(([each]) => each.toLowerCase() === name)?.[1]
  return typeof found === 'string' || found === undefined ? (found ?? null) : found.join(',')
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text))

const secondsOf = (text: string) => (/^\d{1,12}$/.test(text) ? Number(text) : null)

function hexBytes(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[0-9a-f]{64}$/.test(text)) return null
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function base64Bytes(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}
