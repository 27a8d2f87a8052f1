/**
 * Revision 2026-07-28: each request is independent, and states its revision and the capabilities of its client. The protocol's library
 * checks the envelope, the headers and the revision.
 */
import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import type { McpAnswer, McpRequest } from '../operations/http.ts'
import type { Caller } from './caller.ts'
import { type Serving, serverOf } from './handlers.ts'
import { asFetchRequest, streamsTo, toAnswer } from './messages.ts'

type Given = {
  readonly body: unknown
  readonly caller: Caller
  readonly serving: Serving
  /** Publishes changes to a stream of subscriptions. */
  readonly bus?: ServerEventBus
}

export async function answerCurrent(request: McpRequest, given: Given): Promise<McpAnswer> {
  return (await beginCurrent(request, given)).answer
}

/** The same, with a function that ends a stream in an orderly way. */
export async function beginCurrent(
  request: McpRequest,
  { body, caller, serving, bus }: Given,
): Promise<{ readonly answer: McpAnswer; close(): Promise<void> }> {
  const { method } = Object(body) as { readonly method?: unknown }
  const server = serverOf(serving, { caller, streams: streamsTo(request), only: method })
  const onerror = (error: Error) => caller.ctx.log.debug({ err: error }, 'an MCP message was refused')
  const handler = createMcpHandler(() => server, { legacy: 'reject', bus, onerror })
  const until = bus === undefined ? undefined : request.hungUp
  const response = await handler.fetch(asFetchRequest(request, { until }), { parsedBody: body })
  return { answer: await toAnswer(response, handler.close), close: handler.close }
}
