import type { Principal } from '../core/access/principal.ts'
import type { Context } from '../core/process/context.ts'
import type { AnswerHeaders } from '../operations/registry.ts'

/** Who asks. */
export type Caller = {
  readonly ctx: Context
  readonly principal: Principal
  readonly peerAddress: string
  readonly answerHeaders: AnswerHeaders
  /** Aborted when the caller has hung up. */
  readonly hungUp: AbortSignal
  readonly checkOutput?: boolean
  /** False for a request that was counted before it came here. */
  readonly isCounted?: boolean
}
