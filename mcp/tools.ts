/** Derives the tools that a model sees, with their schemas and annotations, from the registry of operations. */
import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import { type Effect, fieldsOf, mediaTypeOf, type Operation, type Tool } from '../operations/registry.ts'
import { ErrorObject, idempotencyKeyMax } from '../schemas/fields.ts'
import { boolean, type JsonSchema, object, opened, propertiesOf, requiredOf, string } from '../schemas/infer.ts'
import { bytesResult, cursorField } from './attachment.ts'
import { separatedSchema } from './trust.ts'

export type BoundTool = {
  readonly operation: Operation
  readonly tool: Tool
  /** What the arguments must be. */
  readonly arguments: JsonSchema
  /** As tools/list shows it. */
  readonly listed: ListedTool
}

/** Every tool of the operations by name. */
export function toolsOf(operations: readonly Operation[]): ReadonlyMap<string, BoundTool> {
  return new Map(
    operations.flatMap((operation) => operation.tools.map((tool) => [tool.name, bind(operation, tool)] as const)),
  )
}

/** The name of an input field as an argument: the address in the path is `mailbox` (decisions.md 4, MCP results). */
export function argumentName({ pathFields }: Operation, field: string): string {
  return field === 'address' && pathFields.includes(field) ? 'mailbox' : field
}

export function bind(operation: Operation, tool: Tool): BoundTool {
  const argumentsSchema = argumentsOf(operation, tool)
  return {
    operation,
    tool,
    arguments: argumentsSchema,
    listed: {
      name: tool.name,
      description: tool.description ?? operation.summary,
      inputSchema: argumentsSchema as ListedTool['inputSchema'],
      outputSchema: resultOf(operation) as ListedTool['outputSchema'],
      annotations: annotations[tool.effect],
    },
  }
}

const annotations: { readonly [E in Effect]: NonNullable<ListedTool['annotations']> } = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  write: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  send: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  discard: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
}

/** Without maxLength: a key that is too long has a failure of its own, `idempotency_key_invalid`. */
const IdempotencyKey = string({
  description: `A repeat with the same key (at most ${idempotencyKeyMax} characters) returns the first result with replayed: true.`,
})

function argumentsOf(operation: Operation, { expose, preset = {}, require = [] }: Tool): JsonSchema {
  const fields = fieldsOf(operation).filter(({ name }) => expose.includes(name))
  const required = fields.filter((field) => field.required || require.includes(field.name))
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        fields.map(({ name, schema }) => [
          argumentName(operation, name),
          Object.hasOwn(preset, name) ? { ...schema, default: preset[name] } : schema,
        ]),
      ),
      ...(operation.idempotent && { idempotencyKey: IdempotencyKey }),
      ...(mediaTypeOf(operation) !== null && { cursor: cursorField }),
    },
    ...(required.length > 0 && { required: required.map(({ name }) => argumentName(operation, name)) }),
    additionalProperties: false,
  }
}

/** Either the result or the error object, because clients check refusals against this schema too. */
function resultOf(operation: Operation): JsonSchema {
  return { type: 'object', anyOf: [opened(separatedSchema(successOf(operation))), opened(ErrorObject)] }
}

function successOf(operation: Operation): JsonSchema {
  if (mediaTypeOf(operation) !== null) return bytesResult
  const added = object({
    success: boolean({ const: true }),
    ...(operation.idempotent && {
      replayed: boolean({ description: 'Whether this is the result of an earlier call.' }),
    }),
  })
  return {
    ...operation.output,
    properties: { ...propertiesOf(added), ...propertiesOf(operation.output) },
    required: [...requiredOf(added), ...requiredOf(operation.output)],
  }
}
