/** Derives the tools that a model sees, with their schemas and annotations, from the registry of operations. */
import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import {
  type Effect,
  fieldsOf,
  isMailboxOperation,
  mediaTypeOf,
  type Operation,
  type Tool,
} from '../operations/registry.ts'
import { boolean, type JsonSchema, object, propertiesOf, requiredOf, string } from '../schemas/infer.ts'
import { bytesResult, cursorField } from './attachment.ts'
import { argumentSchema, resultSchema } from './slim.ts'
import { separatedSchema, untrustedNote } from './trust.ts'

export type BoundTool = {
  readonly operation: Operation
  readonly tool: Tool
  /** The schema of the arguments. */
  readonly arguments: JsonSchema
  /** The tool as tools/list shows it. */
  readonly listed: ListedTool
}

/** Every tool of the operations by name. */
export function toolsOf(operations: readonly Operation[]): ReadonlyMap<string, BoundTool> {
  return new Map(
    operations.flatMap((operation) => operation.tools.map((tool) => [tool.name, bind(operation, tool)] as const)),
  )
}

/** The toolset of a tool: the declared one, or the resource of its operation. */
export function toolsetOf({ operation, tool }: BoundTool): string {
  return tool.toolset ?? operation.name.slice(0, operation.name.indexOf('.'))
}

/** Whether a tool is about one mailbox, named by its argument `mailbox`. */
export const takesMailbox = ({ operation }: BoundTool): boolean => isMailboxOperation(operation)

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
      title: titleOf(tool.name),
      inputSchema: argumentSchema(argumentsSchema) as ListedTool['inputSchema'],
      outputSchema: resultOf(operation, tool) as ListedTool['outputSchema'],
      annotations: annotations[tool.effect],
    },
  }
}

/** Hints about changes are left out for tools that change nothing, and so is an idempotentHint of false, which is the default. */
const annotations: { readonly [E in Effect]: NonNullable<ListedTool['annotations']> } = {
  read: { readOnlyHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  write: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  send: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  discard: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
}

/** Without maxLength: a key that is too long has its own failure, `idempotency_key_invalid`. */
const IdempotencyKey = string({
  description: 'Same key, same result.',
})

/** The title of a tool: Read message for `read_message`. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Short descriptions of path parameters, since they are repeated in many tools. */
const shortWords = { address: 'Address.', message_id: 'Its id, msg_...' }

function argumentsOf(operation: Operation, { describe = {}, expose, preset = {}, require = [] }: Tool): JsonSchema {
  const words: Tool['describe'] & {} = { ...(isMailboxOperation(operation) && shortWords), ...describe }
  const fields = fieldsOf(operation).filter(({ name }) => expose.includes(name))
  const required = fields.filter((field) => field.required || require.includes(field.name))
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        fields.map(({ name, schema }) => [
          argumentName(operation, name),
          {
            ...schema,
            ...(Object.hasOwn(preset, name) && { default: preset[name] }),
            ...(Object.hasOwn(words, name) && { description: words[name] }),
          },
        ]),
      ),
      ...(operation.idempotent && { idempotencyKey: IdempotencyKey }),
      ...(mediaTypeOf(operation) !== null && { cursor: cursorField }),
    },
    ...(required.length > 0 && { required: required.map(({ name }) => argumentName(operation, name)) }),
    additionalProperties: false,
  }
}

/**
 * The schema of a result. Clients also validate refusals against it, so it requires either the fields of a result or `error`; the other
 * fields of refusals are not repeated in each tool.
 */
function resultOf(operation: Operation, tool: Tool): JsonSchema {
  const schema = separatedSchema(shownOf(successOf(operation, tool), tool))
  const { anyOf: forms = [schema] } = schema as { readonly anyOf?: readonly JsonSchema[] }
  const properties = Object.assign({}, propertiesOf(schema), ...forms.map(propertiesOf), { success: boolean() })
  const needed = forms.map((form) => [...new Set([...requiredOf(schema), ...requiredOf(form)])])
  return {
    ...resultSchema({ type: 'object', properties }, untrustedNote),
    anyOf: [...needed, ['error']].map((required) => ({ required })),
  }
}

/** The schema of the part of an output that a tool shows. */
function shownOf(schema: JsonSchema, { shows }: Tool): JsonSchema {
  if (shows === undefined) return schema
  const isShown = (name: string) => name === 'success' || name === 'replayed' || shows.includes(name)
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(propertiesOf(schema)).filter(([name]) => isShown(name))),
    required: requiredOf(schema).filter(isShown),
  }
}

function successOf(operation: Operation, { output = operation.output }: Tool): JsonSchema {
  if (mediaTypeOf(operation) !== null) return bytesResult
  const added = object({
    success: boolean(),
    ...(operation.idempotent && { replayed: boolean() }),
  })
  return {
    ...output,
    properties: { ...propertiesOf(added), ...propertiesOf(output) },
    required: [...requiredOf(added), ...requiredOf(output)],
  }
}
