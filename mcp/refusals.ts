/** Refusals as JSON-RPC errors: a code, a message, and the contract's error object as data. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Context } from '../core/process/context.ts'
import { errorAnswer } from '../operations/errors.ts'
import type { McpAnswer } from '../operations/http.ts'
import { Failure, type FailureCode } from '../schemas/failures.ts'

/** The code for server errors for which the protocol defines none (JSON-RPC 2.0, 5.1). */
export const serverError = -32000

/** Failures that mean that the parameters are wrong, or name something that does not exist. */
const ofParams: ReadonlySet<FailureCode> = new Set([
  'validation_error',
  'invalid_request',
  'not_found',
  'mailbox_not_found',
  'agent_inbox_only',
])

/** Converts anything thrown to an error of the protocol. */
export function protocolError(ctx: Context, thrown: unknown): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown
  const { body } = errorAnswer(ctx, thrown)
  return new ProtocolError(codeOf(thrown), `${body.error} ${body.fix}`, body)
}

function codeOf(thrown: unknown): number {
  if (!(thrown instanceof Failure)) return ProtocolErrorCode.InternalError
  return ofParams.has(thrown.code) ? ProtocolErrorCode.InvalidParams : serverError
}

export type Refusal = {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly headers?: { readonly [name: string]: string }
  readonly data?: unknown
}

/** An answer that is an error of the protocol. It has the id of the request, or null if none can be read. */
export function refuse(body: unknown, { status, code, message, headers = {}, data }: Refusal): McpAnswer {
  const error = { code, message, ...(data !== undefined && { data }) }
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error }),
  }
}

/** The same for anything thrown, with its HTTP status. */
export function refuseFor(ctx: Context, body: unknown, thrown: unknown): McpAnswer {
  const { status, headers } = errorAnswer(ctx, thrown)
  const { code, message, data } = protocolError(ctx, thrown)
  return refuse(body, { status, code, message, headers, data })
}

function idOf(body: unknown): string | number | null {
  const { id, method } = (body ?? {}) as { readonly id?: unknown; readonly method?: unknown }
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null
}
