/** Schemas of messages, and of the parameters of each method, so that a malformed request is refused with our own error text. */
import {
  anyOf,
  array,
  boolean,
  integer,
  type JsonSchema,
  number,
  object,
  oneOf,
  opened,
  optional,
  record,
  string,
} from '../schemas/infer.ts'
import { notACursor } from '../schemas/refusals.ts'
import { validate } from '../schemas/validate.ts'

/** Longest name, cursor or address of a resource: longer than any of ours. */
const wordMax = 2_000
/** Most characters of an argument that a client wants completed. */
const valueMax = 1_000
/** Most resources in one subscription. */
export const subscribedMax = 100

const word = string({ minLength: 1, maxLength: wordMax })
const cursor = optional(word)
/** Fields that a client adds when it repeats a request with the answers of its user. */
const answers = { inputResponses: optional(record<unknown>({})), requestState: optional(string()) }
const texts = optional(record<string>(string({ maxLength: valueMax })))

const anything = optional(record<unknown>({}))
const capabilities = object({
  experimental: optional(record(record<unknown>({}))),
  roots: optional(object({ listChanged: optional(boolean()) })),
  sampling: optional(object({ context: anything, tools: anything })),
  elicitation: optional(object({ form: optional(object({ applyDefaults: optional(boolean()) })), url: anything })),
  tasks: optional(
    object({
      list: anything,
      cancel: anything,
      requests: optional(
        object({
          sampling: optional(object({ createMessage: anything })),
          elicitation: optional(object({ create: anything })),
        }),
      ),
    }),
  ),
})
const icon = object({
  src: string(),
  mimeType: optional(string()),
  sizes: optional(array(string())),
  theme: optional(oneOf(['light', 'dark'])),
})
const clientInfo = object({
  name: string(),
  version: string(),
  title: optional(string()),
  description: optional(string()),
  websiteUrl: optional(string()),
  icons: optional(array(icon)),
})

const strict: { readonly [method: string]: JsonSchema } = {
  initialize: object({
    protocolVersion: word,
    capabilities,
    clientInfo,
  }),
  'tools/call': object({
    name: word,
    arguments: optional(record<unknown>({})),
    task: optional(object({ ttl: optional(number()) })),
    ...answers,
  }),
  'tools/list': object({ cursor }),
  'resources/list': object({ cursor }),
  'resources/templates/list': object({ cursor }),
  'resources/read': object({ uri: word, ...answers }),
  'resources/subscribe': object({ uri: word }),
  'resources/unsubscribe': object({ uri: word }),
  'prompts/list': object({ cursor }),
  'prompts/get': object({ name: word, arguments: texts, ...answers }),
  'completion/complete': object({
    ref: object({ type: oneOf(['ref/prompt', 'ref/resource']) }),
    argument: object({ name: word, value: string({ maxLength: valueMax }) }),
    context: optional(object({ arguments: texts })),
  }),
  'subscriptions/listen': object({
    notifications: object({ resourceSubscriptions: optional(array(word, { maxItems: subscribedMax })) }),
  }),
}

/** The schema of a reference, by its type. */
const references: { readonly [type: string]: JsonSchema } = {
  'ref/prompt': opened(object({ name: word })),
  'ref/resource': opened(object({ uri: word })),
}

/** Opened, because a later revision may add fields. */
const schemas = new Map(Object.entries(strict).map(([method, schema]) => [method, opened(schema)]))

/** Methods that revision 2026-07-28 does not have: they are unknown there, whatever their parameters. */
const ofEarlier = ['initialize', 'resources/subscribe', 'resources/unsubscribe']

/** Lists that are returned whole: none of their answers has a cursor. */
const whole = ['tools/list', 'resources/templates/list', 'prompts/list']

/**
 * Fails with `validation_error` if a message is a request of a method that its revision knows, and its parameters are malformed.
 */
export function requireParams(message: unknown, { isEarlier }: { isEarlier: boolean }): void {
  if (typeof message !== 'object' || message === null) return
  const { method, params = {} } = message as { readonly method?: unknown; readonly params?: unknown }
  if (typeof method !== 'string' || (!isEarlier && ofEarlier.includes(method))) return
  const schema = schemas.get(method)
  if (schema !== undefined) validate(schema, params, 'params')
  if (method === 'completion/complete') requireReference(params as { readonly ref: Reference })
  if (whole.includes(method) && (params as { readonly cursor?: unknown }).cursor !== undefined)
    throw notACursor('params.cursor')
}

/** The id of a request, or the token of its progress. */
const named = anyOf([string(), integer()])
const anyMessage = opened(
  object({
    jsonrpc: oneOf(['2.0']),
    id: optional(named),
    method: string(),
    params: anything,
  }),
)

/** Fails with `validation_error` if a message is neither a request nor a notification (JSON-RPC 2.0, 4) nor an answer. */
export function requireMessage(message: unknown): void {
  const { method, result, error, params } = Object(message) as { readonly [field: string]: unknown }
  if (method === undefined && (result !== undefined || error !== undefined)) return
  validate(anyMessage, message, 'message')
  const { progressToken } = Object(Object(params)._meta) as { readonly progressToken?: unknown }
  if (progressToken !== undefined) validate(named, progressToken, 'message.params._meta.progressToken')
}

type Reference = { readonly type: string }

function requireReference({ ref }: { readonly ref: Reference }): void {
  const schema = references[ref.type]
  if (schema !== undefined) validate(schema, ref, 'params.ref')
}
