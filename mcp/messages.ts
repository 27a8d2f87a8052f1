/** The messages of the transport: their revision, and the translation of requests and answers to and from the protocol's library. */
import { classifyInboundRequest } from '@modelcontextprotocol/server'
import type { McpAnswer, McpRequest } from '../operations/http.ts'

/** Whether an answer of this endpoint may be a stream of events: the client says so in Accept. */
export function streamsTo({ headers }: Pick<McpRequest, 'headers'>): boolean {
  return headers.accept?.includes('text/event-stream') ?? false
}

/** Whether a message is of a revision before 2026-07-28, whose requests do not state it in `_meta`. */
export function isEarlier({ headers }: Pick<McpRequest, 'headers'>, body: unknown): boolean {
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: textOf(headers['mcp-protocol-version']),
    mcpMethodHeader: textOf(headers['mcp-method']),
    mcpNameHeader: textOf(headers['mcp-name']),
    body,
  })
  return kind === 'legacy'
}

export function isRequestOf(message: unknown, method: string): boolean {
  return typeof message === 'object' && message !== null && (message as { method?: unknown }).method === method
}

/**
 * Converts the request for the library, which insists on both types in Accept although it answers most requests with JSON, which any
 * client reads. `until` aborts when the client is gone; a call notices that through its caller.
 */
export function asFetchRequest({ headers }: McpRequest, { until }: { readonly until?: AbortSignal } = {}): Request {
  const told = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].flatMap((name) => {
    const value = textOf(headers[name])
    return value === undefined ? [] : [[name, value] as const]
  })
  return new Request('http://mcp.invalid/', {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...Object.fromEntries(told),
    },
    ...(until !== undefined && { signal: until }),
  })
}

/** The library's status for an answer whose client has hung up. */
const nobodyReads = 499

/** Converts the library's answer for the door: text, or a stream of events. `end` is called when it is over. */
export async function toAnswer(response: Response, end: () => Promise<void>): Promise<McpAnswer> {
  const { body, status } = response
  const type = response.headers.get('content-type')
  if (body !== null && type === 'text/event-stream')
    return { status, headers: {}, body: { pieces: body.pipeThrough(new TextDecoderStream()), close: () => void end() } }
  const text = await response.text()
  await end()
  if (status === nobodyReads) return { status: 200, headers: {}, body: null }
  return { status, headers: type === null ? {} : { 'Content-Type': type }, body: text === '' ? null : text }
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined
}
