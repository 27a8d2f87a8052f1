/**
 * Serves one request, whichever door it came through. The order of checks is the contract's (decisions.md 3): the door has
 * authenticated the caller; here follow rate, scope, reach, input and idempotency, and then the operation itself.
 */
import { createHash } from 'node:crypto'
import { noteAudit } from '../core/access/audit.ts'
import { beginIdempotent, openAnswer, sealAnswer } from '../core/access/idempotency.ts'
import { isPerson, type Principal, requireScope } from '../core/access/principal.ts'
import { takeAnonymous } from '../core/access/request-rates.ts'
import type { Session } from '../core/access/sessions.ts'
import { reachMailbox } from '../core/mailbox/mailboxes.ts'
import { requireAdministrator } from '../core/people/administrators.ts'
import { inTimeOf } from '../core/process/account-time.ts'
import type { Context } from '../core/process/context.ts'
import { codeOf } from '../core/process/database-away.ts'
import { Failure } from '../schemas/failures.ts'
import { isValid } from '../schemas/validate.ts'
import { countRequest, requireAccess } from './admit.ts'
import { errorsOf } from './errors.ts'
import {
  type AnswerHeaders,
  type Bytes,
  type Call,
  type EventStream,
  isBytes,
  isEventStream,
  isMailboxOperation,
  isStoredFile,
  mediaTypeOf,
  type Operation,
  type Prepared,
  pathOf,
  type StoredFile,
  type Trail,
} from './registry.ts'

export type InvokeRequest = {
  /** Path parameters, decoded. */
  readonly path: { readonly [name: string]: string }
  /** Reads the whole input (path, query, body); called once the key is known to be allowed. */
  input(): unknown
  /** The session of a person who is signed in. */
  readonly session?: Session | null
  /** Network address of the peer. */
  readonly peerAddress: string
  /** The User-Agent of the caller; default: empty. */
  readonly userAgent?: string
  /** Receives RateLimit-*, Idempotent-Replayed and the headers that the operation adds. */
  readonly headers: AnswerHeaders
  /** What the operation adds to its audit entry. */
  readonly trail?: Trail
  /** Returns the idempotency key, null for none; called once the input is known to be valid. */
  idempotency?(): IdempotencyKey | null
  /** False for a request that was counted already, when MCP repeats a call for a smaller result (default true). */
  readonly isCounted?: boolean
  /** Aborted when the caller has hung up. */
  readonly hungUp: AbortSignal
  /** Finds the principal again during a long-running request; default: the principal stays the same. */
  again?(): Promise<Principal>
  /** Whether an answer or a failure that the operation does not declare is an error: for tests. */
  readonly checkOutput?: boolean
}

export type IdempotencyKey = {
  readonly key: string
  readonly keepMs?: number
  /** Whether an earlier answer holds no more, so that the request is no repeat. Default: it always holds. */
  isOver?(ctx: Context, answer: JsonBody): Promise<boolean>
}

export type JsonBody = { readonly success: true; readonly [field: string]: unknown }

export type Answer = {
  readonly status: number
  readonly body: JsonBody | Bytes | StoredFile | EventStream
  /** Whether it is the stored answer of an earlier request. */
  readonly replayed: boolean
}

/**
 * Serves one request of an operation. Rejects with a Failure, or with any other error for a fault of the service;
 * `errorAnswer` renders both.
 */
export async function invoke(
  ctx: Context,
  operation: Operation,
  principal: Principal | null,
  request: InvokeRequest,
): Promise<Answer> {
  const startedAt = performance.now()
  const ended = (code: string) => {
    const { name } = operation
    ctx.metrics.count('mailroom_requests_total', { operation: name, code })
    ctx.metrics.observe('mailroom_request_seconds', { operation: name }, (performance.now() - startedAt) / 1_000)
  }
  try {
    const answer = await ctx.tracing.span(operation.name, { kind: 'server' }, () =>
      serve(principal === null ? ctx : inTimeOf(ctx, principal.accountId), operation, principal, request),
    )
    ended('ok')
    return answer
  } catch (error) {
    ended(codeOf(error))
    if (request.checkOutput && error instanceof Failure && !errorsOf(operation).includes(error.code))
      throw new Error(`${operation.name} failed with ${error.code}, which it does not declare`, { cause: error })
    throw error
  }
}

async function serve(
  ctx: Context,
  operation: Operation,
  principal: Principal | null,
  given: InvokeRequest,
): Promise<Answer> {
  const request = { ...given, trail: {} }
  ctx.skew.requireSound()
  if (request.isCounted !== false) {
    if (principal === null) await takeAnonymous(ctx, request.peerAddress)
    else await countRequest(ctx, principal, request.headers)
  }
  requireAccess(operation, { principal, session: request.session ?? null })
  if (operation.access === 'administrator') await requireAdministrator(ctx, request.session?.personId ?? '')
  if (principal === null) {
    const prepared = await readInput(ctx, operation, principal, request)
    return { ...(await perform(ctx, operation, principal, request, prepared)), replayed: false }
  }
  return audited(ctx, operation, principal, request, async () => {
    for (const scope of operation.scopes) requireScope(principal, scope)
    // Waits for the background work of the account's earlier requests, so that the answer reflects what they did.
    if (!isNew(operation)) await ctx.background.done(principal.accountId)
    const prepared = await readInput(ctx, operation, principal, request)
    return once(ctx, operation, principal, request, prepared)
  })
}

/** Whether an operation creates something new, independent of what was done before: sends need not wait for one another. */
const isNew = ({ idempotent, pathFields }: Operation) => idempotent && pathFields.every((name) => name === 'address')

/** Reach comes before the body: a caller who cannot reach the mailbox gets that failure, even if the body is invalid too. */
async function readInput(
  ctx: Context,
  operation: Operation,
  principal: Principal | null,
  request: InvokeRequest,
): Promise<Prepared> {
  try {
    return operation.prepare(await request.input())
  } catch (error) {
    const { address } = request.path
    if (principal !== null && isMailboxOperation(operation) && address) await reachMailbox(ctx, principal, address)
    throw error
  }
}

async function once(
  ctx: Context,
  operation: Operation,
  principal: Principal,
  request: InvokeRequest,
  prepared: Prepared,
): Promise<Answer> {
  const asked = operation.idempotent ? (request.idempotency?.() ?? null) : null
  if (asked === null) return { ...(await perform(ctx, operation, principal, request, prepared)), replayed: false }
  const { isOver, ...repeat } = asked
  const path = pathOf(operation, await canonicalPath(ctx, operation, principal, request))
  const { marksUnder, keyId, partnerMode } = principal
  // A caller who may not make this request learns nothing about an earlier one. For a first request the handler checks it.
  const requireReach = () => prepared.reach(callOf(ctx, principal, request))
  const mark = await beginIdempotent(ctx, {
    accountId: marksUnder,
    keyId,
    // Requests with a partner's test key share no idempotency marks with those of a live key.
    path: partnerMode === 'test' ? `test ${path}` : path,
    ...repeat,
    fingerprint: fingerprint(operation, path, prepared.input),
    ...(prepared.customerOf && { customerOf: prepared.customerOf }),
  }).catch(async (error: unknown) => {
    await requireReach()
    throw error
  })
  if (mark.done) {
    await requireReach()
    const isOwn = mark.keyId === keyId || operation.sharesAnswer
    if (!isOwn && (principal.kind === 'agent' || isPerson(keyId)))
      throw new Failure('idempotency_key_reused', 'Somebody else of the account has used this Idempotency-Key.')
    const body = JSON.parse(openAnswer(ctx, mark.body)) as JsonBody
    if (await isOver?.(ctx, body)) {
      await mark.forget()
      return once(ctx, operation, principal, request, prepared)
    }
    request.headers['Idempotent-Replayed'] = 'true'
    return { status: mark.status, body, replayed: true }
  }
  // The key is freed only if the operation failed. If it succeeded and only storing its answer failed, the key stays taken:
  // otherwise a repeat would do everything twice.
  const lost = (error: unknown) => ctx.log.error({ err: error }, 'an idempotency mark could not be written')
  const own = { ...ctx, onceId: mark.onceId, mayRepeat: mark.mayRepeat }
  const answer = await perform(own, operation, principal, request, prepared).catch(async (error: unknown) => {
    await (wasDone(error) === 'nothing' ? mark.abandon() : mark.release()).catch(lost)
    throw error
  })
  await mark.finish({ status: answer.status, body: sealAnswer(ctx, JSON.stringify(answer.body)) }).catch(lost)
  return { ...answer, replayed: false }
}

/** A refusal did nothing. For a fault, and for a send that failed on its way, it is unknown. */
const wasDone = (error: unknown): 'nothing' | 'unknown' =>
  error instanceof Failure && error.code !== 'send_failed' ? 'nothing' : 'unknown'

/**
 * Returns the path parameters with the canonical address of the mailbox. Fails, before any replay, if the caller cannot reach the
 * mailbox any more.
 */
async function canonicalPath(
  ctx: Context,
  operation: Operation,
  principal: Principal,
  { path }: InvokeRequest,
): Promise<InvokeRequest['path']> {
  if (!isMailboxOperation(operation)) return path
  const { address } = await reachMailbox(ctx, principal, path.address ?? '')
  return { ...path, address }
}

async function perform(
  ctx: Context,
  operation: Operation,
  principal: Principal | null,
  request: InvokeRequest,
  prepared: Prepared,
): Promise<Pick<Answer, 'status' | 'body'>> {
  const output = await prepared.run(callOf(ctx, principal, request))
  if (isBytes(output) || isStoredFile(output) || isEventStream(output))
    return { status: operation.status, body: output }
  if (request.checkOutput && (mediaTypeOf(operation) !== null || !isValid(operation.output, output)))
    throw new Error(`${operation.name} answered what it does not declare: ${JSON.stringify(output)}`)
  return { status: operation.statusOf(output), body: { success: true, ...(output as object) } }
}

/** The call, as the handler receives it. */
function callOf<P extends Principal | null>(ctx: Context, principal: P, request: InvokeRequest): Call<P> {
  const { headers, trail = {}, hungUp, peerAddress, userAgent = '', session = null, again } = request
  const callerAgain = async () => {
    const found = (await again?.()) ?? principal
    if (found === null) throw new Failure('missing_api_key')
    return found
  }
  return { ctx, principal, session, peerAddress, userAgent, headers, trail, hungUp, again: callerAgain }
}

/** Outcomes of requests that name nothing that could be done: they are not written to the audit. */
const malformed: ReadonlySet<string> = new Set(['validation_error', 'invalid_request', 'payload_too_large'])

/**
 * Writes to the account's audit each change that was made or refused, each request that lacked its scope, and every request with a
 * customer's key that the partner holds (interface.md, Events, rule 4). A replay changes nothing and is not written.
 */
async function audited(
  ctx: Context,
  operation: Operation,
  principal: Principal,
  request: InvokeRequest,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const isAudited = operation.audit || principal.heldBy === 'partner'
  const note = (outcome: string) =>
    noteAudit(ctx, {
      accountId: principal.accountId,
      keyId: principal.keyId,
      action: operation.name,
      target: pathOf(operation, request.path),
      outcome,
      address: request.peerAddress,
      ...(request.trail?.change !== undefined && { change: request.trail.change }),
    })
  try {
    const answer = await act()
    if (isAudited && !answer.replayed) await ctx.background.begin(principal.accountId, () => note('done'))
    return answer
  } catch (error) {
    const outcome = codeOf(error)
    if (outcome === 'insufficient_scope' || (isAudited && !malformed.has(outcome)))
      await ctx.background.begin(principal.accountId, () => note(outcome))
    throw error
  }
}

/** A digest that is equal for two requests with the same method, canonical path and body, whatever the order of the fields. */
function fingerprint({ method, pathFields }: Operation, path: string, input: unknown): string {
  const body = Object.fromEntries(Object.entries(input as object).filter(([name]) => !pathFields.includes(name)))
  return createHash('sha256')
    .update(canonicalJson([method, path, body]))
    .digest('hex')
}

/** JSON with the fields of every object sorted by name. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
