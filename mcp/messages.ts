/** The messages of the transport: which revision they are of, and how requests and answers are told to the protocol's library. */
import { classifyInboundRequest } from '@modelcontextprotocol/server'
import type { McpAnswer, McpRequest } from '../operations/http.ts'

/** Whether an answer of this endpoint may be a stream of events: the client says that it reads one. */
export function streamsTo({ headers }: Pick<McpRequest, 'headers'>): boolean {
  return headers.accept?.includes('text/event-stream') ?? false
}

/** Whether a message is of a revision before 2026-07-28, whose requests do not say theirs in `_meta`. */
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
 * The request as the library reads it: it insists on both types in Accept, although it answers most requests with JSON, which
 * any client reads. `until` tells the library that the client is gone; a call hears that of its caller.
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

/** Status of an answer that nobody reads, because its client has hung up. */
const nobodyReads = 499

/** The library's answer as the door sends it: text, or a stream of events. `end` is called when it is over. */
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
