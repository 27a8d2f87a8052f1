import type { IncomingHttpHeaders } from 'node:http'
import { accessTokenPrefix } from '../core/access/access-tokens.ts'
import { requireAllowed } from '../core/access/account-record.ts'
import { noteKeyUse } from '../core/access/key-use.ts'
import { isFailedLogin, limitLogins } from '../core/access/login-limits.ts'
import { type Api, authenticate, claimHeaders, type Principal } from '../core/access/principal.ts'
import { takeAnonymous, takeRequest } from '../core/access/request-rates.ts'
import { findSession, requireCsrfToken, type Session } from '../core/access/sessions.ts'
import type { Context } from '../core/process/context.ts'
import { codeOf } from '../core/process/database-away.ts'
import { refusalIn } from '../schemas/account-states.ts'
import { Failure } from '../schemas/failures.ts'
import { partnerKeyPrefixes } from '../schemas/partners.ts'
import { type Access, type AnswerHeaders, isAccountless, isForPeople, type Operation } from './registry.ts'
import { sessionTokenOf } from './session-cookie.ts'

export type Visitor = {
  readonly headers: IncomingHttpHeaders
  readonly peerAddress: string
  /** Receives the claim headers of an unclaimed account, and the rate limit headers of a suspended one. */
  readonly answerHeaders: AnswerHeaders
  /** A key from the path, used when the headers have none. */
  readonly credential?: string
  /** The API that the request calls; default: any but the partner API. */
  readonly api?: Api
}

/**
 * Finds the principal of an HTTP request. A request without a valid key counts against the limits of its address and network,
 * and a wrong key also counts as a failed login. Only such requests are slowed down and refused: since nobody can guess a key, a
 * valid one is never refused because others behind the same address sent wrong ones. Fails with `rate_limited` past the limits,
 * with `unauthorized` for a scheme other than Bearer, with `account_suspended`, and as `authenticate` does.
 */
export async function admit(
  ctx: Context,
  { headers, peerAddress, answerHeaders, credential, api }: Visitor,
): Promise<Principal> {
  const principal = await principalOf(ctx, { headers, peerAddress, credential, api }).catch((error: unknown) => {
    ctx.metrics.count('mailroom_requests_total', { operation: 'none', code: codeOf(error) })
    throw error
  })
  noteKeyUse(ctx, principal, peerAddress)
  Object.assign(answerHeaders, claimHeaders(principal.account))
  if (refusalIn(principal.account.states, 'ask') !== null) await countRequest(ctx, principal, answerHeaders)
  requireAllowed(principal.account, 'ask')
  return principal
}

/** Who makes a request: a key or a person who is signed in. Both are null for a public operation. */
export type Caller = { readonly principal: Principal | null; readonly session: Session | null }

/** The API that an operation belongs to. */
export const apiOf = ({ access }: Pick<Operation, 'access'>): Api => (access === 'partner' ? 'partner' : 'api')

/** Safe methods (RFC 9110 9.2.1), which need no CSRF token. */
const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Finds the caller of an HTTP request: by its key, as `admit` does, or without one by its session cookie. Fails as `admit` does,
 * with `unauthorized` without a valid session, and with `forbidden` for an unsafe request of a session without its X-CSRF-Token.
 */
export async function admitCaller(
  ctx: Context,
  access: Access,
  visitor: Omit<Visitor, 'credential'> & { readonly method: string },
): Promise<Caller> {
  if (access === 'public') return { principal: null, session: null }
  const api = apiOf({ access })
  if (api === 'partner') return { principal: await admit(ctx, { ...visitor, api }), session: null }
  const { headers, peerAddress, method } = visitor
  const token = hasCredential(headers) ? null : sessionTokenOf(headers)
  if (token === null && (hasCredential(headers) || !isForPeople(access)))
    return { principal: await admit(ctx, visitor), session: null }
  const session =
    token === null ? null : await findSession(ctx, token, { peerAddress, userAgent: userAgentOf(headers) })
  if (session === null) {
    await takeAnonymous(ctx, peerAddress)
    throw new Failure('unauthorized', 'Nobody is signed in, or the session has ended.', {
      fix: 'Sign in with POST /api/v1/session and send the cookie that it sets.',
    })
  }
  try {
    if (!safeMethods.includes(method)) requireCsrfToken(session, textOf(headers['x-csrf-token']))
  } catch (error) {
    await takeAnonymous(ctx, peerAddress)
    throw error
  }
  return callerIn(session, access)
}

/**
 * Finds the caller of a long-running request again; nothing is counted or recorded. `credential` is a key from the path. Fails as
 * `admitCaller` does if the key, the session or the account has ended meanwhile.
 */
export async function admitAgain(
  ctx: Context,
  { headers, credential, api }: Pick<Visitor, 'headers' | 'credential' | 'api'>,
): Promise<Principal> {
  const token = hasCredential(headers) || credential !== undefined ? null : sessionTokenOf(headers)
  const principal =
    token === null
      ? await authenticate(ctx, credentialOf(headers) ?? credential ?? '', api)
      : ((await findSession(ctx, token, null))?.principal ?? null)
  if (principal === null) throw new Failure('unauthorized', 'The session has ended.', { fix: 'Sign in again.' })
  requireAllowed(principal.account, 'ask')
  return principal
}

/** How many characters of a User-Agent are kept: enough to tell browsers apart. */
const userAgentMax = 200

/** The User-Agent of a request (RFC 9110 10.1.5), cut to `userAgentMax`; empty without one. */
export const userAgentOf = ({ 'user-agent': userAgent = '' }: IncomingHttpHeaders): string =>
  userAgent.slice(0, userAgentMax)

/** Returns the caller of a session. Fails with `account_suspended`. */
export function callerIn(session: Session, access: Access): Caller {
  const { principal } = session
  // Somebody signed in to a suspended account may still read the session, sign out and switch to another account.
  if (principal !== null && !isAccountless(access)) requireAllowed(principal.account, 'ask')
  return { principal, session }
}

const textOf = (field: string | readonly string[] | undefined) => (typeof field === 'string' ? field : undefined)

/**
 * Fails with `forbidden` if the caller may not use the operation: a key where a person must be signed in, an agent key where an
 * account key is needed, an insufficient role, a person without an account. Fails with `partner_key_not_allowed` for a partner's
 * key outside the partner API.
 */
export function requireAccess({ access, method, scopes }: Operation, { principal, session }: Caller): void {
  if (access === 'public') return
  if (access === 'partner') {
    requirePartner(principal)
    return
  }
  if (principal?.partnerMode !== undefined) throw new Failure('partner_key_not_allowed')
  if (isForPeople(access) && session === null)
    throw new Failure('forbidden', 'Only a person who is signed in may ask for this; a key may not.', {
      fix: 'Sign in as a person (POST /api/v1/session), or ask the owner of the account.',
    })
  if (isAccountless(access)) return
  if (principal === null) throw noAccountOfSession()
  if (access === 'account' && principal.kind === 'agent')
    throw new Failure('forbidden', 'An agent key may not ask for this.', {
      fix: 'Use an account key, or sign in as a person.',
    })
  const { role } = principal
  const isReading = method === 'GET' || scopes.length > 0
  if ((access === 'owner' && role !== 'owner') || (role === 'reader' && !isReading))
    throw new Failure('forbidden', `The role ${role} may not do this.`, {
      fix: 'Ask an owner of the account to do it, or to give you another role.',
    })
}

/** The failure for a person who is in no account, or who left the one that the session acted on. */
export const noAccountOfSession = () =>
  new Failure('forbidden', 'The session acts on no account.', {
    fix: 'Call GET /api/v1/session, which selects one of your accounts. If you have none, claim one with its claim link or accept an invitation.',
  })

function requirePartner(principal: Principal | null): void {
  if (principal?.partnerMode === undefined)
    throw new Failure('forbidden', 'Only the keys of partners may ask for this.', {
      fix: `Use a key that begins with ${partnerKeyPrefixes.live} or ${partnerKeyPrefixes.test}, or call /api/v1.`,
    })
}

/**
 * Counts a request of a key, and sets the RateLimit headers of its answer, even if the request is refused. Fails with
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
  { headers, peerAddress, credential, api }: Omit<Visitor, 'answerHeaders'>,
): Promise<Principal> {
  try {
    const given = credentialOf(headers)
    if (given === null && credential?.startsWith(accessTokenPrefix))
      throw new Failure('invalid_access_token', 'An access token is not accepted in the path.', {
        fix: 'Send it as "Authorization: Bearer <ACCESS_TOKEN>" to /api/mcp.',
      })
    return await authenticate(ctx, given ?? credential ?? '', api)
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
