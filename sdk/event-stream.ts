/**
 * Events as they occur, over a stream that is reopened when it is cut. Invariant: every event is delivered once and in order, because a
 * new stream starts after the last event that the caller received.
 */
import { ApiError, ConnectionError } from './errors.ts'
import type { MailroomEvent } from './generated/types.ts'
import { pause } from './pause.ts'

export type OpenStream = (headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>

/** The service sends something at least every 20 seconds: a connection that is silent for longer than this is dead. */
const silentMs = 60_000
const firstPauseMs = 500
const pauseMaxMs = 30_000

/** Reads events until the caller leaves the loop or aborts. Rejects with an ApiError if retrying does not help. */
export async function* readEvents(
  open: OpenStream,
  { signal, headers = {} }: { readonly signal?: AbortSignal; readonly headers?: Readonly<Record<string, string>> } = {},
): AsyncGenerator<MailroomEvent, void, undefined> {
  let last: string | null = null
  let pauseMs = firstPauseMs
  for (;;) {
    signal?.throwIfAborted()
    const ending = new AbortController()
    const end = () => ending.abort(signal?.reason)
    signal?.addEventListener('abort', end)
    try {
      const place: Readonly<Record<string, string>> = last === null ? {} : { 'last-event-id': last }
      const response = await open({ ...headers, accept: 'text/event-stream', ...place }, ending.signal)
      for await (const { id, data } of eventsIn(response)) {
        pauseMs = firstPauseMs
        if (id !== null) last = id
        if (data !== null) yield JSON.parse(data) as MailroomEvent
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ApiError && error.statusCode < 500 && error.statusCode !== 429) throw error
      if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error
    } finally {
      signal?.removeEventListener('abort', end)
      ending.abort()
    }
    await pause(pauseMs, signal)
    pauseMs = Math.min(2 * pauseMs, pauseMaxMs)
  }
}

type Sent = { readonly id: string | null; readonly data: string | null }

/** The events of a stream (HTML 9.2.6); an id without data only advances the position to resume from. */
async function* eventsIn(response: Response): AsyncGenerator<Sent, void, undefined> {
  let id: string | null = null
  let data: string[] = []
  for await (const line of linesOf(response)) {
    if (line !== '') {
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (field === 'id') id = value
      else if (field === 'data') data.push(value)
      continue
    }
    if (id !== null || data.length > 0) yield { id, data: data.length === 0 ? null : data.join('\n') }
    id = null
    data = []
  }
}

async function* linesOf({ body }: Response): AsyncGenerator<string, void, undefined> {
  if (body === null) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await within(silentMs, reader.read())
      if (done) return
      rest += decoder.decode(value, { stream: true })
      const lines = rest.split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    throw error instanceof ConnectionError ? error : new ConnectionError('The stream was cut.', { cause: error })
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new ConnectionError(`Nothing was received for ${ms} ms.`)), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
