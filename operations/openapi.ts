import { type EventType, eventKinds } from '../schemas/events.ts'
import { type FailureCode, failures } from '../schemas/failures.ts'
import { ErrorObject, idempotencyKeyMax, identifierMax } from '../schemas/fields.ts'
import { type JsonSchema, propertiesOf, requiredOf } from '../schemas/infer.ts'
import { scopes } from '../schemas/scopes.ts'
import { EventEnvelope } from '../schemas/webhooks.ts'
import { answerComponents, components, createNameFinder, requestComponents, useKeywordsOf } from './components.ts'
import { errorsOf } from './errors.ts'
import { type Access, type Field, fieldsOf, isForPeople, isStreamed, mediaTypeOf, type Operation } from './registry.ts'

type Json = { readonly [field: string]: unknown }

/** The OpenAPI 3.1 description of the operations: every route, schema, failure and webhook. */
export function openApi(
  operations: readonly Operation[],
  { baseUrl, version }: { baseUrl: string; version: string },
): Json {
  const paths: { [path: string]: { [method: string]: Json } } = {}
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: entryOf(operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mailroom',
      version,
      description: 'Real mailboxes for software agents. Answers may gain fields: ignore those you do not know.',
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map(tagOf))].map((name) => ({ name })),
    paths,
    webhooks: Object.fromEntries((Object.keys(eventKinds) as EventType[]).map((type) => [type, webhookOf(type)])),
    components: {
      schemas: {
        ...Object.fromEntries(Object.entries(answerComponents).map(([name, schema]) => [name, answer.inside(schema)])),
        ...Object.fromEntries(
          Object.entries(requestComponents).map(([name, schema]) => [name, request.inside(schema)]),
        ),
      },
      parameters: { [idempotencyKey.name]: idempotencyKey },
      responses: Object.fromEntries(
        operations.flatMap(refusalsOf).map((refusal) => [nameOfRefusal(refusal), refusalResponse(refusal)]),
      ),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The API key.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        partner: { type: 'http', scheme: 'bearer', description: 'The key of a partner (svc_partner_...).' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'mailroom_session',
          description:
            'The session of a signed-in person (POST /api/v1/session). Requests that change something also need X-CSRF-Token, from GET /api/v1/session.',
        },
      },
    },
  }
}

function entryOf(operation: Operation): Json {
  const { access, idempotent, name, statuses, summary } = operation
  const fields = fieldsOf(operation)
  const body = fields.filter(({ from }) => from === 'body')
  return {
    operationId: name,
    summary,
    tags: [tagOf(operation)],
    description: accessText(operation),
    security: securityOf(access),
    parameters: [
      ...fields.filter(({ from }) => from !== 'body').map(parameterOf),
      ...(idempotent ? [{ $ref: `#/components/parameters/${idempotencyKey.name}` }] : []),
      ...(isStreamed(operation) ? [lastEventId] : []),
      ...(isDownload(operation) ? [range, ifNoneMatch] : []),
    ],
    ...(body.length > 0 && { requestBody: bodyOf(body) }),
    responses: {
      ...Object.fromEntries(statuses.map((status) => [status, successOf(operation)])),
      ...(isDownload(operation) && downloadResponses(operation)),
      ...Object.fromEntries(
        refusalsOf(operation).map((refusal) => [
          refusal.status,
          { $ref: `#/components/responses/${nameOfRefusal(refusal)}` },
        ]),
      ),
    },
  }
}

function securityOf(access: Access): readonly Json[] {
  if (access === 'public') return []
  if (access === 'partner') return [{ partner: [] }]
  const session = { session: [] }
  return isForPeople(access) ? [session] : [{ bearer: [] }, { apiKey: [] }, session]
}

const accessTexts: { readonly [A in Access]: string } = {
  public: 'No key is needed.',
  person: 'A person who is signed in; not for keys.',
  administrator: 'A person who is signed in and whom the setting `administrators` names; not for keys.',
  session: 'A person who is signed in, in an account; not for keys.',
  owner: 'An owner of the account who is signed in; not for keys.',
  account: 'An account key, or a person who is signed in.',
  partner: 'A key of a partner, and no other.',
  key: 'Any key, or a person who is signed in.',
}

/** Who may call an operation; null where its scopes already say it. */
export function callersOf({ access, scopes: needed }: Operation): string | null {
  return access === 'key' && needed.length > 0 ? null : accessTexts[access]
}

function accessText(operation: Operation): string {
  const texts = operation.scopes.map((scope) => `Scope \`${scope}\`: ${scopes[scope]}`)
  return [callersOf(operation) ?? [], ...texts].flat().join('\n\n')
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyMax },
  description: 'A repeat with the same key within 7 days gets the first answer.',
}

const lastEventId: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  schema: { type: 'string', maxLength: identifierMax },
  description: 'Id of the last event that was received: the stream continues after it.',
}

/** RFC 9110 14.2 and 13.1.2. */
const range: Json = {
  name: 'Range',
  in: 'header',
  schema: { type: 'string' },
  description: 'The requested range, such as bytes=0-1023.',
}
const ifNoneMatch: Json = {
  name: 'If-None-Match',
  in: 'header',
  schema: { type: 'string' },
  description: 'The ETag of the copy that the caller has.',
}
/** The responses to a range, to a caller who already has the content, and to a range outside the content. */
const downloadResponses = (operation: Operation): Json => ({
  206: { ...successOf(operation), description: 'The requested range.' },
  304: { description: 'The content still has the ETag of If-None-Match.' },
  416: { ...refusalResponse({ codes: ['invalid_request'] }), description: 'The range lies outside the content.' },
})
const isDownload = (operation: Operation) => mediaTypeOf(operation) !== null && !isStreamed(operation)

function parameterOf({ name, schema, required, from }: Field): Json {
  const { description, ...rest } = schema
  return {
    name,
    in: from,
    required: required || from === 'path',
    schema: request.reference(rest),
    ...(description !== undefined && { description }),
  }
}

function bodyOf(fields: readonly Field[]): Json {
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, request.reference(schema)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
  return { required: required.length > 0, content: { 'application/json': { schema } } }
}

function successOf(operation: Operation): Json {
  const mediaType = mediaTypeOf(operation)
  if (mediaType !== null) return { description: String(operation.output.description), content: { [mediaType]: {} } }
  return { description: 'Success.', content: { 'application/json': { schema: withSuccess(operation.output) } } }
}

/** The schema of an answer: the resource's own fields beside `success: true` (decisions.md 1, Success body). */
function withSuccess(schema: JsonSchema): unknown {
  const success = { type: 'boolean', const: true }
  const rendered = answer.reference(schema)
  if ('$ref' in rendered)
    return { allOf: [rendered, { type: 'object', properties: { success }, required: ['success'] }] }
  return {
    ...rendered,
    properties: { success, ...propertiesOf(rendered) },
    required: ['success', ...requiredOf(rendered)],
  }
}

/** The failures of an operation that are answered with the same status. */
type Refusal = { readonly status: number; readonly codes: readonly FailureCode[] }

function refusalsOf(operation: Operation): readonly Refusal[] {
  const byStatus = Map.groupBy(errorsOf(operation), (code) => failures[code].http)
  return [...byStatus].map(([status, codes]) => ({ status, codes }))
}

const nameOfRefusal = ({ status, codes }: Refusal) => [status, ...codes].join('.')

const refusalResponse = ({ codes }: Pick<Refusal, 'codes'>): Json => ({
  description: codes.map((code) => `\`${code}\`: ${failures[code].when}`).join('\n\n'),
  content: { 'application/json': { schema: answer.reference(ErrorObject) } },
})

function webhookOf(type: EventType): Json {
  const { when, data } = eventKinds[type]
  const properties = { type: { type: 'string', const: type }, data: answer.reference(data) }
  const schema = { allOf: [answer.reference(EventEnvelope), { type: 'object', properties }] }
  return {
    post: {
      operationId: `event.${type}`,
      summary: when,
      requestBody: { content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'Received: any 2xx within 10 seconds.' } },
    },
  }
}

type Renderer = {
  /** A schema as part of another one: a reference if it has a name, with the keywords that describe its use. */
  reference(schema: JsonSchema): JsonSchema
  /** A schema written out. */
  inside(schema: JsonSchema): JsonSchema
}

function createRenderer(isKept: (keyword: string, value: unknown) => boolean): Renderer {
  const nameOf = createNameFinder(components)
  function reference(schema: JsonSchema): JsonSchema {
    const name = nameOf(schema)
    if (name === undefined) return inside(schema)
    const said = Object.entries(useKeywordsOf(schema)).filter(([keyword, text]) => components[name]?.[keyword] !== text)
    return { $ref: `#/components/schemas/${name}`, ...Object.fromEntries(said) }
  }
  function inside(schema: JsonSchema): JsonSchema {
    const kept = Object.entries(typed(schema)).filter(
      ([keyword, value]) => isKept(keyword, value) && isRead(keyword, value),
    )
    return Object.fromEntries(kept.map(([keyword, value]) => [keyword, within(value)]))
  }
  function within(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(within)
    return typeof value === 'object' && value !== null ? reference(value as JsonSchema) : value
  }
  return { reference, inside }
}

/** Leaves out patterns with Unicode properties, which few languages support; a refusal says in words what such a pattern requires. */
const isRead = (keyword: string, value: unknown) => keyword !== 'pattern' || !/\\[pP]\{/.test(String(value))

/** Splits an enum with values of several types into one alternative per type, for generators that write a type for each. */
function typed(schema: JsonSchema): JsonSchema {
  const { enum: values, ...rest } = schema
  if (!Array.isArray(values)) return schema
  const numbers = values.filter((value) => typeof value === 'number')
  const others = values.filter((value) => typeof value !== 'number')
  if (numbers.length === 0 || others.length === 0) return schema
  return {
    ...rest,
    anyOf: [
      { type: 'integer', enum: numbers },
      { type: 'string', enum: others },
    ],
  }
}

/** Answers may gain fields; objects of requests allow only the named ones. */
const answer = createRenderer((keyword, value) => keyword !== 'additionalProperties' || value !== false)
const request = createRenderer(() => true)

/** The resource that an operation is about: the group in which the API reference shows it. */
export function tagOf({ name }: Operation): string {
  return name.slice(0, name.indexOf('.'))
}
