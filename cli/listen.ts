/**
 * `mailroom listen`: posts the events of an account to a program on this machine, signed like webhooks, so that nobody needs a public
 * address to develop one. It resumes by cursor when the connection ends, so no event is lost; an event that the program refuses is not
 * sent again.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { signatureHeaders, signingSecret } from '../core/notify/signature.ts'
import { secondMs } from '../core/process/clock.ts'
import { serviceVersion } from '../operations/version.ts'
import { Failure } from '../schemas/failures.ts'
import type { EventEnvelope } from '../schemas/webhooks.ts'
import type { Io } from './io.ts'
import { type ServerOptions, serverWithKey, urlBelow, urlOf } from './server-options.ts'

export type ListenOptions = ServerOptions & {
  readonly forwardTo: string
  readonly events?: string
  readonly mailbox?: string
}

/** The same timeout as for webhooks. */
const answerMs = 10 * secondMs
/** The server sends something every 20 seconds: a connection that is silent for longer than this is dead. */
const silentMs = 60 * secondMs
const pauseFirstMs = secondMs
const pauseMaxMs = 10 * secondMs

type Session = {
  readonly io: Io
  readonly server: URL
  readonly forwardTo: URL
  readonly headers: { readonly [name: string]: string }
  /** The filter of the events. */
  readonly filter: URLSearchParams
  readonly secret: string
  /** Aborted when the person stops the command. */
  readonly stopped: AbortSignal
}

/** The connection failed or ended, and may be tried again. */
class Interrupted extends Error {
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs = 0) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** Forwards events until it is interrupted (SIGINT, SIGTERM). Fails if the server refuses, or if the first request gets no answer. */
export async function listen(io: Io, options: ListenOptions): Promise<void> {
  const { key, server } = serverWithKey(io, options)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  const session: Session = {
    io,
    server,
    forwardTo: urlOf(options.forwardTo, '--forward-to'),
    headers: { authorization: `Bearer ${key}`, 'user-agent': `Mailroom/${serviceVersion()}` },
    filter: new URLSearchParams({
      ...(options.events !== undefined && { type: options.events }),
      ...(options.mailbox !== undefined && { mailbox: options.mailbox }),
    }),
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    stopped: stopping.signal,
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  try {
    const cursor = await cursorNow(session).catch((error: unknown) => {
      throw error instanceof Interrupted
        ? new Failure('unavailable', error.message, { fix: 'Try again, or name another server with --server.' })
        : error
    })
    io.out(`Events of ${session.server.href} go to ${session.forwardTo.href}\nSigning secret: ${session.secret}\n`)
    await forwardAll(session, cursor)
  } catch (error) {
    if (!session.stopped.aborted) throw error
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
  }
}

/** Reads one stream after another, each from where the previous one ended. */
async function forwardAll(session: Session, from: string): Promise<never> {
  const { io, stopped } = session
  let cursor = from
  let pauseMs = pauseFirstMs
  for (;;) {
    try {
      await readStream(session, cursor, async (event) => {
        await forward(session, event)
        cursor = event.id ?? cursor
        pauseMs = pauseFirstMs
      })
    } catch (error) {
      if (stopped.aborted) throw error
      if (error instanceof Failure && error.code === 'conflict') {
        io.err('Events were missed: the connection was down for longer than events are kept.\n')
        cursor = await cursorNow(session)
      } else if (!(error instanceof Interrupted)) throw error
      else {
        const waitMs = Math.max(pauseMs, error.retryAfterMs)
        io.err(`${error.message} Trying again in ${Math.ceil(waitMs / secondMs)} s.\n`)
        await sleep(waitMs, undefined, { signal: stopped })
        pauseMs = Math.min(2 * pauseMs, pauseMaxMs)
      }
    }
  }
}

/** The cursor after the newest event, so that later ones count. This request also reports errors in the filter. */
async function cursorNow(session: Session): Promise<string> {
  const response = await ask(session, '/api/v1/events', new URLSearchParams([...session.filter, ['limit', '1']]), {})
  const { cursor } = (await response.json()) as { readonly cursor: string }
  return cursor
}

/** Reads a stream of events, one at a time, to its end. Fails with `Interrupted` at the end, and with the refusal of the server. */
async function readStream(
  session: Session,
  cursor: string,
  take: (event: EventSourceMessage) => Promise<void>,
): Promise<never> {
  const silent = new AbortController()
  const timer = setTimeout(() => silent.abort(), silentMs)
  try {
    const headers = { 'last-event-id': cursor }
    const { body } = await ask(session, '/api/v1/events/stream', session.filter, headers, silent.signal)
    const waiting: EventSourceMessage[] = []
    const parser = createParser({ onEvent: (event) => void waiting.push(event) })
    for await (const text of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      parser.feed(text)
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) await take(event)
      timer.refresh()
    }
  } catch (error) {
    if (error instanceof Failure || error instanceof Interrupted || session.stopped.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
  throw new Interrupted('The connection to the server ended.')
}

/** Sends a request to the server. Fails with its refusal, and with `Interrupted` if it does not answer or is temporarily unable to. */
async function ask(
  { server, headers, stopped }: Session,
  path: string,
  query: URLSearchParams,
  more: { readonly [name: string]: string },
  silent: AbortSignal = AbortSignal.timeout(silentMs),
): Promise<Response> {
  const url = urlBelow(server, `${path}?${query}`)
  const signal = AbortSignal.any([stopped, silent])
  const response = await fetch(url, { headers: { ...headers, ...more }, signal }).catch((error: unknown) => {
    if (stopped.aborted) throw error
    throw new Interrupted(`Nothing answers at ${server.href} (${reasonOf(error)}).`)
  })
  if (response.ok) return response
  const told = (await response.json().catch(() => ({}))) as { readonly [field: string]: unknown }
  if (response.status === 429 || response.status >= 500)
    throw new Interrupted(
      `The server answers ${response.status}: ${told.error ?? response.statusText}`,
      Number(response.headers.get('retry-after') ?? 0) * secondMs,
    )
  throw new Failure(
    response.status === 409 ? 'conflict' : 'invalid_request',
    String(told.error ?? `The server answers ${response.status}: this is not a Mailroom.`),
    { fix: String(told.fix ?? 'Check --server.') },
  )
}

/** Posts an event to the local program, and prints its answer in a line. */
async function forward({ io, forwardTo, secret, stopped }: Session, { data: body }: EventSourceMessage): Promise<void> {
  const { id, type } = JSON.parse(body) as EventEnvelope
  const at = new Date()
  const startedAt = performance.now()
  const outcome = await fetch(forwardTo, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': `Mailroom/${serviceVersion()}`,
      ...signatureHeaders({ id, body, secrets: [signingSecret(secret)], at }),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.any([stopped, AbortSignal.timeout(answerMs)]),
  }).then(
    async (response) => {
      await response.body?.cancel()
      return String(response.status)
    },
    (error: unknown) => {
      if (stopped.aborted) throw error
      return reasonOf(error)
    },
  )
  const ms = Math.round(performance.now() - startedAt)
  io.out(`${[at.toISOString(), type, id, outcome, `${ms} ms`].map(printable).join('  ')}\n`)
}

/** Replaces control characters, so that text of another server cannot write outside its line. */
const printable = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?')

/** Why there was no answer: the system's error code, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as { readonly name?: string; readonly cause?: { readonly code?: string } }
  return name === 'TimeoutError' ? 'no answer in time' : (cause?.code ?? String(error))
}
