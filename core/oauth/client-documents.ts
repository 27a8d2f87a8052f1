/**
 * Fetches what programs publish about themselves: client ID metadata documents and key sets. A stranger names the URL, so the address
 * behind it is checked when connecting, as for webhooks.
 */

import { networkOf } from '../access/network.ts'
import { publicLookup } from '../access/public-address.ts'
import { takeUsage } from '../access/usage.ts'
import { allowedUrl } from '../notify/webhook-url.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { loadOnce } from '../process/load-once.ts'
import { perProcess } from '../process/per-process.ts'

/** A document that cannot be had at the moment, so that nothing is known of what it says. */
export class DocumentAway extends Error {}

const connectMs = 2 * secondMs
const connectionsPerHost = 4
const tooMany = 429

const loadClient = loadOnce(() => import('undici'))

const dispatcherOf = perProcess(async ({ resolver, settings }) => {
  const { Agent } = await loadClient()
  const connect = { lookup: publicLookup(resolver, settings.webhooks.allowPrivate), timeout: connectMs }
  return new Agent({ connections: connectionsPerHost, connect })
})

/**
 * Fetches a document over https, without following redirects; `signal` ends it. Rejects for a URL that is not allowed, and with
 * `DocumentAway` when the host has no public address, cannot be reached, does not answer in time, or is overloaded.
 */
export async function fetchDocument(
  ctx: Context,
  url: string,
  { method, headers, body, signal }: RequestInit,
): Promise<Response> {
  if (!url.toLowerCase().startsWith('https:')) throw new Error(`${url} is no https URL.`)
  const target = allowedUrl(url, ctx.settings.webhooks.allowPrivate)
  const { fetch } = await loadClient()
  const answer = await fetch(target, {
    method: method ?? 'GET',
    headers: { ...Object.fromEntries(new Headers(headers)), 'user-agent': 'Mailroom-OAuth/1' },
    ...(typeof body === 'string' && { body }),
    signal: signal ?? null,
    redirect: 'manual',
    dispatcher: await dispatcherOf(ctx),
  }).catch((cause: unknown) => {
    throw new DocumentAway(`${url} cannot be fetched.`, { cause })
  })
  if (answer.status === tooMany || answer.status >= 500) {
    await answer.body?.cancel()
    throw new DocumentAway(`${url} answered ${answer.status}.`)
  }
  // Passes on only the length and the headers that say how long the document may be cached, unless caching is forbidden (RFC 9111 5.2.2).
  const [control, expires, length] = ['cache-control', 'expires', 'content-length'].map((name) =>
    answer.headers.get(name),
  )
  const mayBeKept = !/\bno-(?:store|cache)\b/i.test(control ?? '')
  return new Response(answer.body as unknown as ReadableStream | null, {
    status: answer.status,
    headers: {
      ...(length != null && { 'content-length': length }),
      ...(mayBeKept && control != null && { 'cache-control': control }),
      ...(mayBeKept && expires != null && { expires }),
    },
  })
}

/** Counts a document that the service fetches because of a visitor. Returns false past the limit. */
export function takeDocumentFetch(ctx: Context, peerAddress: string): Promise<boolean> {
  return takeUsage(ctx, {
    owner: `oauth:${networkOf(peerAddress)}`,
    period: 'hour',
    counter: 'documents',
    by: 1,
    limit: ctx.settings.limits.oauth.documentsPerNetworkPerHour,
  })
}

/** Whether a client id may name a document: a URL with a path, so that a whole site is no program. */
export const namesDocument = (clientId: string): boolean => new URL(clientId).pathname !== '/'
