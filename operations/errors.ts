import type { Context } from '../core/process/context.ts'
import { whileUnavailable } from '../core/process/database-away.ts'
import { Failure, type FailureCode, failures } from '../schemas/failures.ts'
import type { ErrorObject } from '../schemas/fields.ts'
import { type AnswerHeaders, isMailboxOperation, type Operation } from './registry.ts'

/** Seconds a peer is asked to wait where the failure itself does not say. */
const retryAfterDefault = 30
/**
 * Seconds in the Retry-After of a 429 that waiting does not help: every 429 must have the header (interface.md, Error object). The
 * body of such an error has no `retryAfter`.
 */
const retryAfterNever = 86_400

/** The parts of a context that rendering an error needs. */
type Telling = Pick<Context, 'baseUrl' | 'log'>

export type ErrorAnswer = {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: ErrorObject
}

/**
 * Renders whatever was thrown as the contract's error object (interface.md, Error object). Anything but a Failure is a
 * fault of the service: its cause is logged, and the peer reads `internal_error`.
 */
export function errorAnswer(ctx: Telling, thrown: unknown): ErrorAnswer {
  const failure = asFailure(ctx, whileUnavailable(thrown))
  const { code, message, fix, detail } = failure
  const { http: status } = failures[code]
  const waits = status === 429 || status === 503
  const { retryAfter: wait = waits ? retryAfterDefault : null, challenge = status === 401 ? 'Bearer' : null } = detail
  const retryAfter = wait === null ? undefined : Math.max(1, Math.ceil(wait))
  const pause = retryAfter ?? (status === 429 ? retryAfterNever : undefined)
  return {
    status,
    headers: {
      ...(pause !== undefined && { 'Retry-After': String(pause) }),
      ...(challenge !== null && { 'WWW-Authenticate': challenge }), // RFC 9110 15.5.2
    },
    body: {
      success: false,
      error: message,
      code,
      fix,
      docs: errorDocs(ctx.baseUrl, code),
      statusCode: status,
      ...(code === 'validation_error' && detail.param !== undefined && { param: detail.param }),
      ...(detail.requiredScope !== undefined && { requiredScope: detail.requiredScope }),
      ...(retryAfter !== undefined && { retryAfter }),
      ...(detail.missing !== undefined && { missing: detail.missing }),
    },
  }
}

/** Where a code is explained (decisions.md 1, Errors). */
export function errorDocs(baseUrl: string, code: FailureCode): string {
  return `${baseUrl}/docs/errors#${code}`
}

/** Groups of failures that several operations share, each with a test for the operations that share it. */
export const sharedErrors: readonly {
  /** The name of these operations, to follow "may be answered by". */
  readonly by: string
  readonly codes: readonly FailureCode[]
  has(operation: Operation): boolean
}[] = [
  {
    by: 'every operation',
    codes: ['validation_error', 'invalid_request', 'rate_limited', 'internal_error', 'unavailable'],
    has: () => true,
  },
  {
    by: 'those that need a key or a session',
    codes: [
      'missing_api_key',
      'invalid_api_key',
      'api_key_expired',
      'invalid_access_token',
      'unauthorized',
      'partner_key_not_allowed',
      'account_suspended',
      'forbidden',
    ],
    has: ({ access }) => access !== 'public',
  },
  {
    by: 'those that need a scope',
    codes: ['insufficient_scope'],
    has: ({ scopes }) => scopes.length > 0,
  },
  {
    by: 'those with the address of a mailbox in their path',
    codes: ['mailbox_not_found'],
    has: isMailboxOperation,
  },
  {
    by: 'those of POST, PUT and PATCH',
    codes: ['payload_too_large'],
    has: ({ method }) => method !== 'GET' && method !== 'DELETE',
  },
  {
    by: 'those that take files',
    codes: ['attachments_too_large'],
    has: ({ body }) => body === 'send',
  },
  {
    by: 'those that take an `Idempotency-Key`',
    codes: ['idempotency_key_invalid', 'idempotency_in_progress', 'idempotency_key_reused'],
    has: ({ idempotent }) => idempotent,
  },
]

/** Every failure an operation may answer with: its own, and those that it shares. */
export function errorsOf(operation: Operation): readonly FailureCode[] {
  const shared = sharedErrors.filter(({ has }) => has(operation)).flatMap(({ codes }) => codes)
  const codes = new Set([...operation.errors, ...shared])
  return (Object.keys(failures) as FailureCode[]).filter((code) => codes.has(code))
}

function asFailure(ctx: Telling, thrown: unknown): Failure {
  if (!(thrown instanceof Failure)) {
    ctx.log.error({ err: thrown }, 'a request failed')
    return new Failure('internal_error')
  }
  if (thrown.detail.cause !== undefined) {
    const level = failures[thrown.code].http >= 500 ? 'error' : 'info'
    ctx.log[level]({ err: thrown.detail.cause, code: thrown.code }, 'a request was refused')
  }
  return thrown
}
