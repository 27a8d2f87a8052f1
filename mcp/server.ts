/**
 * The MCP endpoint, Streamable HTTP. Invariants: every request is answered on its own, so that any node behind a load balancer can
 * answer it; each request has its own revision; a tool call is counted by its operation, all other requests are counted here.
 */
import { type Implementation, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import type { Context } from '../core/process/context.ts'
import { admit, admitAgain } from '../operations/admit.ts'
import { operations } from '../operations/all.ts'
import { errorAnswer } from '../operations/errors.ts'
import type { McpAnswer, McpEndpoint, McpRequest } from '../operations/http.ts'
import { isEventStream } from '../operations/registry.ts'
import { serviceVersion } from '../operations/version.ts'
import { Failure } from '../schemas/failures.ts'
import { type Caller, countProtocolRequest } from './caller.ts'
import { challenge, requireScopes } from './challenge.ts'
import { choiceOf } from './choice.ts'
import { instructionsFor } from './credential.ts'
import { answerCurrent } from './current.ts'
import { answerEarlier, refusedBatch } from './earlier.ts'
import type { Serving } from './handlers.ts'
import { answerGet, answerListen } from './listen.ts'
import { mailOffer, signupOffer } from './mail-offer.ts'
import { isEarlier as isOfEarlier, isRequestOf } from './messages.ts'
import { neededScopes } from './needed-scopes.ts'
import type { Offer } from './offer.ts'
import { requireMessage, requireParams } from './params.ts'
import { protocolError, refuse, refuseFor, serverError } from './refusals.ts'
import { createSessions } from './sessions.ts'
import { toolsOf } from './tools.ts'

export type McpOptions = {
  /** Whether an answer that the operation does not declare is an error: for tests. */
  readonly checkOutput?: boolean
  /** Offers besides the operations: for tests of the protocol. */
  readonly offers?: readonly Offer[]
  /** How often a call in progress notifies a client that asked for progress. */
  readonly progressMs?: number
}

const progressMsDefault = 5_000

const catalogue = toolsOf(operations)

/** Builds the MCP endpoint of the service: the tools of all operations, resources and prompts. */
export function createMcp(
  { baseUrl, machineClock }: Context,
  { checkOutput, offers = [], progressMs = progressMsDefault }: McpOptions = {},
): McpEndpoint {
  const identified = { identity: identityAt(baseUrl), validator: new AjvJsonSchemaValidator(), progressMs }
  const sessions = createSessions(machineClock)
  const ownOrigin = new URL(baseUrl).origin
  return async (request) => {
    const { answerHeaders, ctx, headers, hungUp, isSignup, pathKey, peerAddress } = request
    // A page of another site must not use the key of a program on its visitor's machine; browsers name the site in Origin.
    if (headers.origin !== undefined && headers.origin !== ownOrigin)
      throw new Failure('forbidden', 'Requests from pages of another origin are not answered.', {
        fix: 'Call from a program rather than from a page, without an Origin header.',
      })
    const principal = isSignup
      ? null
      : await admit(ctx, { headers, peerAddress, answerHeaders, credential: pathKey }).catch((error: unknown) =>
          challenge(request, error),
        )
    const visitor = { ctx, principal, catalogue, peerAddress, answerHeaders, hungUp, checkOutput }
    const choice = await countedIfRefused(visitor, () => choiceOf(catalogue, request))
    // Without a key, tool calls are counted here like all other messages.
    const caller = { ...visitor, choice, ...(isSignup && { isCounted: false }) }
    const offered = isSignup ? [signupOffer] : [mailOffer, ...offers]
    const listening = { caller, offers: offered, again: () => admitAgain(ctx, { headers, credential: pathKey }) }
    if (request.method !== 'POST') {
      await countProtocolRequest(caller)
      if (request.method === 'GET') return answerGet(request, { listening, sessions })
      const message = 'Sessions end on their own: only POST and GET are supported.'
      return refuse(null, { status: 405, code: serverError, message, headers: { Allow: 'GET, POST' } })
    }
    const read = await readBody(request, caller)
    if ('refusal' in read) return read.refusal
    const { body } = read
    if (principal !== null) await requireScopes(request, principal, neededScopes(catalogue, body))
    const instructions = asksInstructions(body) ? await instructionsFor(caller) : ''
    const serving: Serving = { ...identified, offers: offered, instructions }
    const isEarlier = isOfEarlier(request, body)
    const answer =
      refusedBatch(request, body) ??
      (await refusedUncounted(caller, body)) ??
      refusedMalformed(caller, body, { isEarlier }) ??
      refusedMessage(caller, body) ??
      (await (isEarlier
        ? answerEarlier(request, { body, caller, serving, sessions })
        : isRequestOf(body, 'subscriptions/listen')
          ? answerListen(request, { body, listening, serving })
          : answerCurrent(request, { body, caller, serving })))
    // Counts a call that was refused before it reached an operation. The answer of a stream begins before its call is counted.
    const isCounted = isSignup || answerHeaders['RateLimit-Limit'] !== undefined || isEventStream(answer.body)
    const refusal = isCounted ? null : await refusedCount(caller, body)
    if (refusal !== null) return refusal
    return isRequestOf(body, 'tools/list') ? { ...answer, isOurs: true } : answer
  }
}

/** The identity of the server (2025-11-25, Implementation). */
function identityAt(baseUrl: string): Implementation {
  return {
    name: 'mailroom',
    title: 'Mailroom',
    version: serviceVersion(),
    websiteUrl: baseUrl,
    icons: [{ src: `${baseUrl}/icon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
  }
}

const parseError = -32700

async function readBody(
  { readBody: read }: McpRequest,
  caller: Caller,
): Promise<{ readonly body: unknown } | { readonly refusal: McpAnswer }> {
  try {
    return { body: await read() }
  } catch (error) {
    await countProtocolRequest(caller)
    const { body: data, status, headers } = errorAnswer(caller.ctx, error)
    return { refusal: refuse(null, { status, code: parseError, message: data.error, headers, data }) }
  }
}

/** Counts the messages that are not tool calls. Returns the refusal if there were too many, else null. */
async function refusedUncounted(caller: Caller, body: unknown): Promise<McpAnswer | null> {
  for (const message of messagesIn(body)) {
    const isCountedLater = caller.isCounted !== false && isRequestOf(message, 'tools/call')
    const refusal = isCountedLater ? null : await refusedCount(caller, body)
    if (refusal !== null) return refusal
  }
  return null
}

/** Counts one request. Returns the refusal if there were too many, else null. */
async function refusedCount(caller: Caller, body: unknown): Promise<McpAnswer | null> {
  try {
    await countProtocolRequest(caller)
    return null
  } catch (error) {
    return refuseFor(caller.ctx, body, error)
  }
}

/** Returns what `act` returns; if it fails, the request is counted. */
async function countedIfRefused<T>(visitor: Omit<Caller, 'choice'>, act: () => T): Promise<T> {
  try {
    return act()
  } catch (error) {
    await countProtocolRequest(visitor)
    throw error
  }
}

const messagesIn = (body: unknown): readonly unknown[] => (Array.isArray(body) ? body : [body])

/** Whether the answer includes the instructions. */
const asksInstructions = (body: unknown) =>
  messagesIn(body).some((message) => isRequestOf(message, 'initialize') || isRequestOf(message, 'server/discover'))

function refusedMalformed(
  { ctx }: Caller,
  body: unknown,
  { isEarlier }: { readonly isEarlier: boolean },
): McpAnswer | null {
  try {
    for (const message of messagesIn(body)) requireParams(message, { isEarlier })
    return null
  } catch (error) {
    return { ...refuseFor(ctx, body, error), status: isEarlier ? 200 : 400 }
  }
}

/** Refuses what is no message of JSON-RPC. The protocol's library does so too, without saying what is wrong. */
function refusedMessage({ ctx }: Caller, body: unknown): McpAnswer | null {
  try {
    for (const message of messagesIn(body)) requireMessage(message)
    return null
  } catch (error) {
    const { message, data } = protocolError(ctx, error)
    return refuse(body, { status: 400, code: ProtocolErrorCode.InvalidRequest, message, data })
  }
}
