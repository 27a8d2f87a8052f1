import type { IncomingHttpHeaders } from 'node:http'
import { requireAllowed } from '../core/access/account-record.ts'
import { noteKeyUse } from '../core/access/key-use.ts'
import { isFailedLogin, limitLogins } from '../core/access/login-limits.ts'
import { authenticate, claimHeaders, type Principal } from '../core/access/principal.ts'
import { takeAnonymous, takeRequest } from '../core/access/request-rates.ts'
import type { Context } from '../core/process/context.ts'
import { refusalIn } from '../schemas/account-states.ts'
import { Failure } from '../schemas/failures.ts'
import type { AnswerHeaders } from './registry.ts'

export type Visitor = {
  readonly headers: IncomingHttpHeaders
  readonly peerAddress: string
  /** Filled with the claim headers of an unclaimed account, and the rate of a suspended one. */
  readonly answerHeaders: AnswerHeaders
  /** A key from the path, used when the headers have none. */
  readonly credential?: string
}

/**
 * Finds the principal of an HTTP request. Requests without a valid key are counted by address and network, and those with a
 * wrong one as failed logins. Only they are slowed down and refused: nobody can guess a key, so a right one is never refused
 * for the wrong ones of others behind the same address. Fails with `rate_limited` past the limits, with `unauthorized` for
 * another scheme than Bearer, with `account_suspended`, and like `authenticate`.
 */
export async function admit(
  ctx: Context,
  { headers, peerAddress, answerHeaders, credential }: Visitor,
): Promise<Principal> {
  const principal = await principalOf(ctx, { headers, peerAddress, credential }).catch((error: unknown) => {
    const code = error instanceof Failure ? error.code : 'internal_error'
    ctx.metrics.count('mailroom_requests_total', { operation: 'none', code })
    throw error
  })
  noteKeyUse(ctx, principal, peerAddress)
  Object.assign(answerHeaders, claimHeaders(principal.account))
  if (refusalIn(principal.account.states, 'ask') !== null) await countRequest(ctx, principal, answerHeaders)
  requireAllowed(principal.account, 'ask')
  return principal
}

/**
 * Counts a request of a key and notes in the headers of its answer what is left, also when it is refused. Fails with
 * `rate_limited`.
 */
export async function countRequest(ctx: Context, principal: Principal, answerHeaders: AnswerHeaders): Promise<void> {
  const { limit, remaining, resetSeconds, refusal } = await takeRequest(ctx, principal)
  Object.assign(answerHeaders, {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  })
  if (refusal !== null) throw refusal
}

async function principalOf(
  ctx: Context,
  { headers, peerAddress, credential }: Omit<Visitor, 'answerHeaders'>,
): Promise<Principal> {
  try {
    return await authenticate(ctx, credentialOf(headers) ?? credential ?? '')
  } catch (error) {
    if (error instanceof Failure) await takeAnonymous(ctx, peerAddress)
    if (isFailedLogin(error)) await limitLogins(ctx, { peerAddress, user: null }, () => Promise.reject(error))
    throw error
  }
}

/** Whether a request brings any credential. */
export function hasCredential(headers: IncomingHttpHeaders): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined
}

/**
 * The key of a request (interface.md, Authentication 1); null without one. Fails with `unauthorized` for another scheme.
 */
function credentialOf({ authorization, 'x-api-key': apiKey }: IncomingHttpHeaders): string | null {
  const bearer = /^bearer(?: +(.*))?$/i.exec(authorization ?? '')
  if (bearer !== null) return bearer[1]?.trim() ?? ''
  if (typeof apiKey === 'string') return apiKey.trim()
  if (authorization !== undefined) throw new Failure('unauthorized', 'Only the Bearer scheme is understood.')
  return null
}
