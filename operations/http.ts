/** The interface between the HTTP door and the MCP endpoint. It stands here because doors do not import each other. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from '../core/process/context.ts'
import type { AnswerHeaders, EventStream } from './registry.ts'

export type McpRequest = {
  /** Of this request. */
  readonly ctx: Context
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly peerAddress: string
  /** The key of `/api/mcp/<API_KEY>`. */
  readonly pathKey?: string
  /** Whether it came to `/api/mcp/signup`, where nobody needs a key. */
  readonly isSignup: boolean
  readonly query: URLSearchParams
  /** Filled with headers that go out with errors too. */
  readonly answerHeaders: AnswerHeaders
  /** Aborted when the caller has hung up. */
  readonly hungUp: AbortSignal
  /** Reads the JSON body. Fails with `invalid_request` or `payload_too_large`. */
  readBody(): Promise<unknown>
}

export type McpAnswer = {
  readonly status: number
  readonly headers: AnswerHeaders
  /** JSON text, or a stream of events; null for none. */
  readonly body: string | EventStream | null
  /** Whether nothing in it comes from strangers, so that it may be compressed. */
  readonly isOurs?: boolean
}

export type McpEndpoint = (request: McpRequest) => Promise<McpAnswer>

/** Where the metadata of the MCP endpoint as a protected resource is (RFC 9728 3.1). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource/api/mcp'
