/** The interface between the HTTP door and the MCP endpoint. It is declared here because doors do not import each other. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from '../core/process/context.ts'
import type { AnswerHeaders, EventStream } from './registry.ts'

export type McpRequest = {
  /** The context of this request. */
  readonly ctx: Context
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly peerAddress: string
  /** The key of `/api/mcp/<API_KEY>`. */
  readonly pathKey?: string
  /** Whether it came to `/api/mcp/signup`, where nobody needs a key. */
  readonly isSignup: boolean
  readonly query: URLSearchParams
  /** Receives headers of the answer, which are sent with errors too. */
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
  /** Whether it contains nothing written by strangers, so that it may be compressed. */
  readonly isOurs?: boolean
}

export type McpEndpoint = (request: McpRequest) => Promise<McpAnswer>

/** Path of the metadata that describes the MCP endpoint as a protected resource (RFC 9728 3.1). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource/api/mcp'
