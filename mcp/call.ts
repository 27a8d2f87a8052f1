import { createHash } from 'node:crypto'
import { type CallToolResult, type InputRequiredResult, ProtocolError } from '@modelcontextprotocol/server'
import { endedUnsent } from '../core/deliver/approval-state.ts'
import { minuteMs } from '../core/process/clock.ts'
import { madeOnce } from '../core/process/made-once.ts'
import { countRequest } from '../operations/admit.ts'
import { canonicalJson, type IdempotencyKey, invoke } from '../operations/invoke.ts'
import { fieldsOf, isBytes, pathOf, type Tool } from '../operations/registry.ts'
import { Failure } from '../schemas/failures.ts'
import { allowanceOf } from '../schemas/plans.ts'
import { validate } from '../schemas/validate.ts'
import { showBytes } from './attachment.ts'
import type { Caller } from './caller.ts'
import { confirmationFor } from './confirm.ts'
import { soleMailbox } from './credential.ts'
import { bodiesOf, resultBytesMax, shortened, sizeOf } from './fit.ts'
import type { Arguments, Exchange } from './offer.ts'
import { refusedCall } from './refused-call.ts'
import { resultOf } from './result.ts'
import { argumentName, type BoundTool, takesMailbox } from './tools.ts'
import { separated } from './trust.ts'

/** How long a repeated send without an idempotency key counts as the same one (decisions.md 4, MCP sending). */
const repeatMs = 10 * minuteMs
/**
 * How often a call is repeated to get a smaller result when its result is too large; each repeat reduces it by at least a twentieth.
 */
const smallerMax = 8
const keptAtMost = 0.95

/**
 * Calls a tool, including one that was not listed to the caller, or first asks a person. A refusal is a result with `isError` and the
 * error object; only a violation of the protocol rejects.
 */
export async function callTool(
  exchange: Exchange,
  bound: BoundTool,
  given: Arguments,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    requireWanted(exchange.caller, bound)
    const { caller, given: whole } = await completed(exchange.caller, bound, given)
    return (await confirmationFor({ ...exchange, caller }, bound, whole)) ?? (await perform(caller, bound, whole))
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    return refusedCall(exchange.caller, bound, { given, error })
  }
}

/** The same for callers that show refusals in another way: rejects with them. */
export async function runTool(caller: Caller, bound: BoundTool, given: Arguments): Promise<CallToolResult> {
  requirePlan(caller)
  return perform(caller, bound, given)
}

/** Fails with `plan_required` if the plan has no MCP (interface.md, Rate and volume limits). */
function requirePlan({ principal }: Caller): void {
  if (principal !== null && !allowanceOf(principal.account).mcp)
    throw new Failure('plan_required', 'The plan does not include MCP.')
}

/**
 * Fails with `plan_required`; with `forbidden` for a tool that the connection has excluded, or that is only for callers without a key;
 * and with `missing_api_key` for any other tool if the caller has no key.
 */
function requireWanted(caller: Caller, bound: BoundTool): void {
  const { choice, principal } = caller
  const { name } = bound.tool
  const isPublic = bound.operation.access === 'public'
  if (principal === null && !isPublic)
    throw new Failure('missing_api_key', `The tool ${name} needs a key.`, {
      fix: 'Call sign_up to get a key, and connect to mcp_url with it.',
    })
  if (principal !== null && isPublic)
    throw new Failure('forbidden', `The tool ${name} is only for callers without a key.`, {
      fix: 'Use the key that you have, or connect to /api/mcp/signup without one.',
    })
  requirePlan(caller)
  if (!choice.has(bound))
    throw new Failure('forbidden', `This connection excludes the tool ${name}: it is limited to ${choice.written}.`, {
      fix: 'Do without the tool, or ask whoever set up this connection to change the filters in its URL or headers.',
    })
}

/** Fills in the mailbox if it was left out and the caller can access only one. */
async function completed(
  caller: Caller,
  bound: BoundTool,
  given: Arguments,
): Promise<{ readonly caller: Caller; readonly given: Arguments }> {
  const { answerHeaders, ctx, principal } = caller
  if (principal === null || !takesMailbox(bound) || given.mailbox !== undefined) return { caller, given }
  // Counted first, so that nobody makes the database search more often than the rate allows.
  await countRequest(ctx, principal, answerHeaders)
  const address = await soleMailbox(ctx, principal)
  return { caller: { ...caller, isCounted: false }, given: address === null ? given : { ...given, mailbox: address } }
}

async function perform(caller: Caller, bound: BoundTool, given: Arguments): Promise<CallToolResult> {
  const { operation, tool } = bound
  const { choice } = caller
  const path = Object.fromEntries(
    operation.pathFields.map((field) => {
      const part = given[argumentName(operation, field)]
      return [field, typeof part === 'string' ? part : '']
    }),
  )
  const madeOf = madeOnce((value: object) => {
    const result = resultOf(value, choice)
    return { result, size: sizeOf(result) }
  })
  const fits = (value: unknown) => madeOf(value as object).size <= resultBytesMax
  let smaller: Arguments = {}
  for (let tries = 0; ; tries++) {
    const answer = await invoke(caller.ctx, operation, caller.principal, {
      path,
      peerAddress: caller.peerAddress,
      headers: caller.answerHeaders,
      hungUp: caller.hungUp,
      checkOutput: caller.checkOutput,
      idempotency: () => repeatKey(caller, bound, given),
      isCounted: tries === 0 && caller.isCounted !== false,
      input: () => ({ ...inputOf(bound, given), ...smaller }),
    })
    if (isBytes(answer.body))
      return await showBytes(answer.body, {
        given,
        bodies: choice.bodies,
        address: caller.ctx.baseUrl + pathOf(operation, path),
      })
    const body = operation.idempotent ? { ...answer.body, replayed: answer.replayed } : answer.body
    const value = shortened(shown(tool, separated(operation.output, body)), fits)
    const { result, size } = madeOf(value as object)
    if (size <= resultBytesMax || tool.sizedBy === undefined || tries === smallerMax) return result
    smaller = { [tool.sizedBy]: reduced(value, { by: tool.sizedBy, most: resultBytesMax, size }) }
  }
}

/** The part of a result that a tool shows. */
function shown({ shows }: Tool, value: unknown): unknown {
  if (shows === undefined) return value
  const { untrusted, ...ours } = value as Arguments
  const theirs = picked((untrusted ?? {}) as Arguments, shows)
  return {
    ...picked(ours, ['success', 'replayed', ...shows]),
    ...(Object.keys(theirs).length > 0 && { untrusted: theirs }),
  }
}

const picked = (fields: Arguments, names: readonly string[]): Arguments =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))

/** Validates the arguments under the names of the tool and turns them into the operation's input. */
function inputOf({ arguments: schema, operation, tool }: BoundTool, given: Arguments): Arguments {
  validate(schema, given)
  const values = fieldsOf(operation).flatMap(({ name }) => {
    const { [argumentName(operation, name)]: value = tool.preset?.[name] } = given
    return tool.expose.includes(name) && value !== undefined ? [[name, value]] : []
  })
  return Object.fromEntries(values)
}

/** Returns the limit to request so that the result fits: characters of its longest body, or rows of its list. */
function reduced(result: unknown, { by, most, size }: { by: string; most: number; size: number }): number {
  const { longest, bytes } = by === 'limit' ? { longest: rowsOf(result), bytes: size } : bodiesOf(result)
  const room = Math.max(0, most - (size - bytes))
  return Math.max(1, Math.floor(longest * Math.min(1, room / bytes) * keptAtMost))
}

function rowsOf(result: unknown): number {
  const lists = Object.values(result as Arguments).filter((each) => Array.isArray(each))
  return Math.max(1, ...lists.map(({ length }) => length))
}

/**
 * The given idempotency key; a send without one gets a key derived from API key, tool and arguments, valid for ten minutes, or until
 * the send has ended without going out: then the same call means another send. A dry run sends nothing, and is made each time.
 */
function repeatKey({ principal }: Caller, { operation, tool }: BoundTool, given: Arguments): IdempotencyKey | null {
  if (!operation.idempotent) return null
  if (typeof given.idempotencyKey === 'string') return { key: given.idempotencyKey }
  if (tool.effect !== 'send' || given.dryRun === true) return null
  const digest = createHash('sha256')
    .update(canonicalJson([principal?.keyId ?? '', tool.name, given]))
    .digest('hex')
  const accountId = principal?.accountId ?? ''
  return {
    key: `mcp-${digest}`,
    keepMs: repeatMs,
    isOver: (ctx, { id }) => endedUnsent(ctx, { accountId, emailId: String(id) }),
  }
}
