/** A reader of an event stream that keeps everything it receives, and reads only on demand. */
import { type IncomingMessage, request } from 'node:http'
import { createParser, type EventSourceMessage } from 'eventsource-parser'

export type StreamReader = {
  readonly response: IncomingMessage
  /** The next event; null when the stream has ended. */
  next(): Promise<EventSourceMessage | null>
  /** Everything received so far, unparsed. */
  text(): string
  /** Resolves when the stream has ended; reads it to its end. */
  ended(): Promise<void>
  /** Hangs up. */
  hangUp(): void
}

/** Requests a stream of events. */
export async function openStream(
  http: string,
  { key, query = '', headers = {} }: { key?: string; query?: string; headers?: Record<string, string> },
): Promise<StreamReader> {
  const asked = request(`${http}/api/v1/events/stream${query}`, {
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
  })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject).end()
  })
  // Hanging up makes the response emit an error.
  response.on('error', () => undefined)
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => void events.push(event) })
  const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]()
  let text = ''
  let isOver = false
  const read = async () => {
    const { value, done } = await chunks.next().catch(() => ({ value: undefined, done: true }))
    isOver = done === true
    if (isOver) return
    text += value
    parser.feed(String(value))
  }
  return {
    response,
    async next() {
      while (events.length === 0 && !isOver) await read()
      return events.shift() ?? null
    },
    text: () => text,
    async ended() {
      while (!isOver) await read()
    },
    hangUp: () => response.destroy(),
  }
}
