/**
 * The tools, resources and prompts that the protocol's conformance suite expects of a server (modelcontextprotocol/conformance,
 * examples/servers/typescript/everything-server.ts) and that exist only for it. Tests add them to what the endpoint offers; the
 * service itself never does.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  InputRequests,
  InputRequiredResult,
  PromptMessage,
  ReadResourceResult,
  Tool,
} from '@modelcontextprotocol/server'
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { callersChanged } from '../../core/access/known-callers.ts'
import { readToken, signToken } from '../../core/access/signed-tokens.ts'
import { minuteMs } from '../../core/process/clock.ts'
import { requireKnownCaller } from '../../mcp/caller.ts'
import type { Arguments, Exchange, Offer } from '../../mcp/offer.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

type Answer = CallToolResult | InputRequiredResult
type Call = (exchange: Exchange, given: Arguments) => Answer | Promise<Answer>

const text = (words: string): ContentBlock => ({ type: 'text', text: words })
const image: ContentBlock = { type: 'image', data: png, mimeType: 'image/png' }
const said = (...content: ContentBlock[]): CallToolResult => ({ content })

/** A form with one field. */
const ask = (message: string, field: string, schema: object) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: schema }, required: [field] } as never,
  })
const askText = (message: string, field: string) => ask(message, field, { type: 'string' })
const askName = () => askText('What is your name?', 'name')
const sample = (words: string) => ({
  method: 'sampling/createMessage' as const,
  params: { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: words } }], maxTokens: 100 },
})
const listRoots = { method: 'roots/list' as const }

/** The answers of the client's user, by question. */
const answersTo = ({ request }: Exchange) => (request.inputResponses ?? {}) as Readonly<Record<string, Responded>>
type Responded = {
  readonly action?: string
  readonly content?: Readonly<Record<string, unknown>>
  readonly roots?: readonly unknown[]
}
const fieldOf = (answer: Responded | undefined, field: string) => String(answer?.content?.[field] ?? 'unknown')

const purpose = 'conformance'
/** Signs the state that the client returns with its answer. */
const sign = ({ caller: { ctx } }: Exchange, kind: string, ...ids: string[]) =>
  signToken(ctx, purpose, { kind, ids }, new Date(ctx.clock.now().getTime() + minuteMs))
const stateOf = ({ caller: { ctx }, request }: Exchange) => {
  const state = request.requestState<string>()
  if (state === undefined) return null
  const read = readToken(ctx, purpose, state)
  if (read === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState is not ours.')
  return read
}

/** A call that asks the questions once and reports the answers. */
const asking =
  (questions: InputRequests, told: (answers: Readonly<Record<string, Responded>>) => string): Call =>
  (exchange) => {
    const answers = answersTo(exchange)
    const state = stateOf(exchange)
    if (Object.keys(questions).every((name) => name in answers) && state?.kind === 'asked')
      return said(text(told(answers)))
    return inputRequired({ inputRequests: questions, requestState: sign(exchange, 'asked') })
  }

/** Like `asking`, but without state. */
const askingPlainly =
  (questions: InputRequests, told: (answers: Readonly<Record<string, Responded>>) => string): Call =>
  (exchange) => {
    const answers = answersTo(exchange)
    if (Object.keys(questions).every((name) => name in answers)) return said(text(told(answers)))
    return inputRequired({ inputRequests: questions })
  }

const elicited = ({ it }: Readonly<Record<string, Responded>>) =>
  `Elicitation completed: action=${it?.action}, content=${JSON.stringify(it?.content ?? {})}`

const defaults = {
  name: { type: 'string', description: 'User name', default: 'John Doe' },
  age: { type: 'integer', description: 'User age', default: 30 },
  score: { type: 'number', description: 'User score', default: 95.5 },
  status: { type: 'string', description: 'User status', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', description: 'Verification status', default: true },
}
const titled = (...titles: string[]) => titles.map((title, n) => ({ const: `value${n + 1}`, title }))
const options = ['option1', 'option2', 'option3']
const enums = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: options } },
  titledMulti: {
    type: 'array',
    minItems: 1,
    maxItems: 3,
    items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') },
  },
}
const form = (message: string, properties: object) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: [] } as never })

async function progress({ request }: Exchange): Promise<CallToolResult> {
  const progressToken = request._meta?.progressToken
  for (const done of progressToken === undefined ? [] : [0, 50, 100]) {
    await request.notify({
      method: 'notifications/progress',
      params: { progressToken: progressToken!, progress: done, total: 100, message: `Completed step ${done} of 100` },
    })
    await sleep(50)
  }
  return said(text('done'))
}

function rounds(exchange: Exchange): Answer {
  const state = stateOf(exchange)
  const { step1, step2 } = answersTo(exchange)
  if (state?.kind === 'round2' && step2 !== undefined)
    return said(text(`Multi-round complete for ${state.ids[0]} who likes ${fieldOf(step2, 'color')}`))
  if (state?.kind === 'round1' && step1 !== undefined)
    return inputRequired({
      inputRequests: { step2: askText('Step 2: What is your favorite color?', 'color') },
      requestState: sign(exchange, 'round2', encodeURIComponent(fieldOf(step1, 'name')), randomUUID()),
    })
  return inputRequired({
    inputRequests: { step1: askText('Step 1: What is your name?', 'name') },
    requestState: sign(exchange, 'round1', randomUUID()),
  })
}

function byCapabilities(exchange: Exchange): Answer {
  const answers = Object.keys(answersTo(exchange))
  if (answers.length > 0) return said(text(`capabilities-ok: received ${answers.join(',')}`))
  const { envelope } = exchange.request as { readonly envelope?: Readonly<Record<string, object>> }
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
  const inputRequests = {
    ...('elicitation' in declared && { elicit_input: askText('Elicitation input', 'value') }),
    ...('sampling' in declared && { sample_input: sample('Sample request') }),
  }
  if (Object.keys(inputRequests).length === 0) return said(text('No supported capabilities declared'))
  return inputRequired({ inputRequests, requestState: sign(exchange, 'capabilities') })
}

/** Whether the list of tools contains one more tool; toggled to make the list change. */
let hasMore = false

const calls: Readonly<Record<string, Call>> = {
  test_simple_text: () => said(text('This is a simple text response for testing.')),
  test_image_content: () => said(image),
  test_audio_content: () => said({ type: 'audio', data: wav, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    said({
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    }),
  test_multiple_content_types: () =>
    said(text('Multiple content types test:'), image, {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: '{"test":"data","value":123}',
      },
    }),
  test_tool_with_progress: progress,
  test_streaming_elicitation: progress,
  test_trigger_tool_change: async ({ caller }) => {
    hasMore = !hasMore
    await callersChanged(caller.ctx, { keyIds: [requireKnownCaller(caller).principal.keyId] })
    return said(text('changed'))
  },
  test_logging_tool: () => said(text('done')),
  test_error_handling: () => ({ isError: true, ...said(text('This tool intentionally returns an error for testing')) }),
  test_elicitation: (exchange, { message }) =>
    askingPlainly(
      { it: askText(String(message), 'response') },
      ({ it }) => `User response: action=${it?.action}, content=${JSON.stringify(it?.content ?? {})}`,
    )(exchange, {}),
  test_elicitation_sep1034_defaults: askingPlainly({ it: form('Please review the form', defaults) }, elicited),
  test_elicitation_sep1330_enums: askingPlainly({ it: form('Please select options', enums) }, elicited),
  test_missing_capability: askingPlainly({ it: sample('Are you there?') }, () => 'Success'),
  test_input_required_result_elicitation: askingPlainly(
    { user_name: askName() },
    ({ user_name }) => `Hello, ${fieldOf(user_name, 'name')}!`,
  ),
  test_input_required_result_sampling: askingPlainly(
    { sample_request: sample('What is the capital of France?') },
    ({ sample_request }) => `Sampling result: ${fieldOf(sample_request, 'text')}`,
  ),
  test_input_required_result_list_roots: askingPlainly(
    { roots_request: listRoots },
    ({ roots_request }) => `Found ${roots_request?.roots?.length ?? 0} root(s)`,
  ),
  test_input_required_result_request_state: asking(
    { confirm: ask('Please confirm', 'ok', { type: 'boolean' }) },
    () => 'state-ok: requestState validated',
  ),
  test_input_required_result_multiple_inputs: asking(
    { user_name: askName(), greeting: sample('Generate a greeting'), client_roots: listRoots },
    ({ user_name, client_roots }) => `Name: ${fieldOf(user_name, 'name')}; Roots: ${client_roots?.roots?.length ?? 0}`,
  ),
  test_input_required_result_multi_round: rounds,
  test_input_required_result_tampered_state: asking(
    { confirm: ask('Please confirm', 'ok', { type: 'boolean' }) },
    () => 'integrity-ok: state verified',
  ),
  test_input_required_result_capabilities: byCapabilities,
}

/** Keywords of JSON Schema 2020-12 that must reach the client unchanged (SEP-1613, SEP-2106). */
const schema2020: Tool = {
  name: 'json_schema_2020_12_tool',
  description: 'Has a schema with many keywords.',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
}

const tools: readonly Tool[] = [
  ...Object.keys(calls).map((name): Tool => ({ name, description: 'Of the suite.', inputSchema: { type: 'object' } })),
  schema2020,
]

const files: Readonly<Record<string, ReadResourceResult['contents'][number]>> = {
  'test://static-text': {
    uri: 'test://static-text',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { uri: 'test://static-binary', mimeType: 'image/png', blob: png },
  'test://watched-resource': { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watched' },
}

const message = (content: ContentBlock): PromptMessage => ({ role: 'user', content })
const prompts: Readonly<
  Record<string, (exchange: Exchange, given: Arguments) => GetPromptResult | InputRequiredResult>
> = {
  test_simple_prompt: () => ({ messages: [message(text('This is a simple prompt for testing.'))] }),
  test_prompt_with_arguments: (_, { arg1, arg2 }) => ({
    messages: [message(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  }),
  test_prompt_with_embedded_resource: (_, { resourceUri }) => ({
    messages: [
      message({ type: 'resource', resource: { uri: String(resourceUri), mimeType: 'text/plain', text: 'Embedded.' } }),
      message(text('Please process the embedded resource above.')),
    ],
  }),
  test_prompt_with_image: () => ({ messages: [message(image), message(text('Please analyze the image above.'))] }),
  test_input_required_result_prompt: (exchange) => {
    const { user_context } = answersTo(exchange)
    if (user_context === undefined)
      return inputRequired({ inputRequests: { user_context: askText('What context?', 'context') } })
    return { messages: [message(text(`Prompt with context: ${fieldOf(user_context, 'context')}`))] }
  },
}
const promptArguments: Readonly<Record<string, readonly string[]>> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
}

export const conformanceOffer: Offer = {
  tools: () => (hasMore ? [...tools, { ...schema2020, name: 'one_more' }] : tools),
  callTool(exchange, name, given) {
    const call = Object.hasOwn(calls, name) ? calls[name] : undefined
    return call === undefined ? null : Promise.resolve(call(exchange, given))
  },
  resources: async () => ({ items: Object.values(files).map(({ uri, mimeType }) => ({ uri, mimeType, name: uri })) }),
  canSubscribe: async (_, uri) => uri in files,
  templates: [{ name: 'template', uriTemplate: 'test://template/{id}/data', mimeType: 'application/json' }],
  readResource(_, uri) {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
    const filled =
      id === undefined
        ? undefined
        : { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }
    const found = filled ?? files[uri]
    return found === undefined ? null : Promise.resolve({ contents: [found] })
  },
  prompts: Object.keys(prompts).map((name) => ({
    name,
    description: 'Of the suite.',
    ...(promptArguments[name] !== undefined && {
      arguments: promptArguments[name].map((argument) => ({ name: argument, required: true })),
    }),
  })),
  getPrompt(exchange, name, given) {
    const prompt = Object.hasOwn(prompts, name) ? prompts[name] : undefined
    return prompt === undefined ? null : Promise.resolve(prompt(exchange, given))
  },
  complete(_, { ref }) {
    return ref.type === 'ref/prompt' && Object.hasOwn(prompts, ref.name) ? Promise.resolve([]) : null
  },
}
