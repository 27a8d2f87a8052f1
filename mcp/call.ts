import { createHash } from 'node:crypto'
import { type CallToolResult, type InputRequiredResult, ProtocolError } from '@modelcontextprotocol/server'
import type { Principal } from '../core/access/principal.ts'
import { minuteMs } from '../core/process/clock.ts'
import { errorAnswer } from '../operations/errors.ts'
import { canonicalJson, invoke, type JsonBody } from '../operations/invoke.ts'
import { fieldsOf, isBytes, pathOf } from '../operations/registry.ts'
import { Failure } from '../schemas/failures.ts'
import { allowanceOf } from '../schemas/plans.ts'
import { validate } from '../schemas/validate.ts'
import { showBytes } from './attachment.ts'
import type { Caller } from './caller.ts'
import { questionBefore } from './confirm.ts'
import { bodiesOf, resultBytesMax, shortened, sizeOf } from './fit.ts'
import { untrustedBlock } from './markers.ts'
import type { Arguments, Exchange } from './offer.ts'
import { argumentName, type BoundTool } from './tools.ts'
import { separated, trustedOnly } from './trust.ts'

/** How long a repeated send without a key is taken for the same one (decisions.md 4, MCP sending). */
const repeatMs = 10 * minuteMs
/**
 * How often a call is repeated for a smaller result when its result is too large; each repeat drops at least a twentieth.
 */
const smallerMax = 8
const keptAtMost = 0.95

/**
 * Calls a tool, or asks a person first. A refusal is a result with `isError` and the error object; only a broken rule of the
 * protocol rejects.
 */
export async function callTool(
  exchange: Exchange,
  bound: BoundTool,
  given: Arguments,
): Promise<CallToolResult | InputRequiredResult> {
  const { caller } = exchange
  try {
    requirePlan(caller.principal)
    return (await questionBefore(exchange, bound, given)) ?? (await perform(caller, bound, given))
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    const { body } = errorAnswer(caller.ctx, error)
    return {
      isError: true,
      structuredContent: body,
      content: [{ type: 'text', text: `${body.code}: ${body.error} ${body.fix}` }],
    }
  }
}

/** The same, for who shows refusals in another way: rejects with them. */
export async function runTool(caller: Caller, bound: BoundTool, given: Arguments): Promise<CallToolResult> {
  requirePlan(caller.principal)
  return perform(caller, bound, given)
}

/** Fails with `plan_required` when the plan has no MCP (interface.md, Rate and volume limits). */
function requirePlan({ account }: Principal): void {
  if (!allowanceOf(account).mcp) throw new Failure('plan_required', 'The plan does not include MCP.')
}

async function perform(caller: Caller, bound: BoundTool, given: Arguments): Promise<CallToolResult> {
  const { operation, tool } = bound
  const path = Object.fromEntries(
    operation.pathFields.map((field) => {
      const part = given[argumentName(operation, field)]
      return [field, typeof part === 'string' ? part : '']
    }),
  )
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
        address: caller.ctx.baseUrl + pathOf(operation, path),
        cursor: given.cursor,
      })
    const body = operation.idempotent ? { ...answer.body, replayed: answer.replayed } : answer.body
    const result = shortened(separated(operation.output, body), resultBytesMax)
    const size = sizeOf(result)
    if (size <= resultBytesMax || tool.sizedBy === undefined || tries === smallerMax) return show(result)
    smaller = { [tool.sizedBy]: reduced(result, { by: tool.sizedBy, most: resultBytesMax, size }) }
  }
}

/** Checks the arguments by the tool's own names and turns them into the operation's input. */
function inputOf({ arguments: schema, operation, tool }: BoundTool, given: Arguments): Arguments {
  validate(schema, given)
  const values = fieldsOf(operation).flatMap(({ name }) => {
    const value = given[argumentName(operation, name)] ?? tool.preset?.[name]
    return tool.expose.includes(name) && value !== undefined ? [[name, value]] : []
  })
  return Object.fromEntries(values)
}

/** Returns the limit to ask for so that a result fits: characters of its longest body, or rows of its list. */
function reduced(result: unknown, { by, most, size }: { by: string; most: number; size: number }): number {
  const { longest, bytes } = by === 'limit' ? { longest: rowsOf(result), bytes: size } : bodiesOf(result)
  const room = Math.max(0, most - (size - bytes))
  return Math.max(1, Math.floor(longest * Math.min(1, room / bytes) * keptAtMost))
}

function rowsOf(result: unknown): number {
  const lists = Object.values(result as Arguments).filter((each) => Array.isArray(each))
  return Math.max(1, ...lists.map(({ length }) => length))
}

/** The idempotency key given; a send without one gets one made of API key, tool and arguments, good for ten minutes. */
function repeatKey({ principal }: Caller, { operation, tool }: BoundTool, given: Arguments) {
  if (!operation.idempotent) return null
  if (typeof given.idempotencyKey === 'string') return { key: given.idempotencyKey }
  if (tool.effect !== 'send') return null
  const digest = createHash('sha256')
    .update(canonicalJson([principal.keyId, tool.name, given]))
    .digest('hex')
  return { key: `mcp-${digest}`, keepMs: repeatMs }
}

/**
 * Shows a result as two text blocks, trusted JSON and untrusted text, and as structured content that has both, separated.
 */
function show(result: unknown): CallToolResult {
  const block = untrustedBlock(result)
  return {
    structuredContent: result as JsonBody,
    content: [
      { type: 'text', text: JSON.stringify(trustedOnly(result)) },
      ...(block === null ? [] : [{ type: 'text' as const, text: block }]),
    ],
  }
}
