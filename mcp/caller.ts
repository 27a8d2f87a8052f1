import type { Principal } from '../core/access/principal.ts'
import { takeAnonymous } from '../core/access/request-rates.ts'
import type { Context } from '../core/process/context.ts'
import { countRequest } from '../operations/admit.ts'
import type { AnswerHeaders } from '../operations/registry.ts'
import { Failure } from '../schemas/failures.ts'
import type { Choice } from './choice.ts'
import type { BoundTool } from './tools.ts'

/** A caller, and what its connection asks for. */
export type Caller = {
  readonly ctx: Context
  /** null for a connection without a key. */
  readonly principal: Principal | null
  readonly choice: Choice
  readonly catalogue: ReadonlyMap<string, BoundTool>
  readonly peerAddress: string
  readonly answerHeaders: AnswerHeaders
  /** Aborted when the caller has hung up. */
  readonly hungUp: AbortSignal
  readonly checkOutput?: boolean
  /** False for a request that was already counted. */
  readonly isCounted?: boolean
}

/** A caller with a key. */
export type KnownCaller = Caller & { readonly principal: Principal }

/** The caller as one with a key. Fails with `missing_api_key`. */
export function requireKnownCaller(caller: Caller): KnownCaller {
  const { principal } = caller
  if (principal === null) throw new Failure('missing_api_key')
  return { ...caller, principal }
}

/** Counts a request that reaches no operation, by its key or by the network that it comes from. Fails with `rate_limited`. */
export async function countProtocolRequest({
  answerHeaders,
  ctx,
  peerAddress,
  principal,
}: Omit<Caller, 'choice'>): Promise<void> {
  if (principal === null) await takeAnonymous(ctx, peerAddress)
  else await countRequest(ctx, principal, answerHeaders)
}
