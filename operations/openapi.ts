import { Account, ClaimLink, SignupResult, Usage } from '../schemas/accounts.ts'
import { type EventType, eventKinds } from '../schemas/events.ts'
import { type FailureCode, failures } from '../schemas/failures.ts'
import { ErrorObject, idempotencyKeyMax, identifierMax } from '../schemas/fields.ts'
import { type JsonSchema, propertiesOf, requiredOf } from '../schemas/infer.ts'
import { Mailbox } from '../schemas/mailboxes.ts'
import { Address, AttachmentSummary, FullMessage, MessageSummary } from '../schemas/messages.ts'
import { Customer } from '../schemas/partners.ts'
import { scopes } from '../schemas/scopes.ts'
import { SendResult } from '../schemas/sending.ts'
import { EventEnvelope, NewWebhook, Webhook } from '../schemas/webhooks.ts'
import { errorsOf } from './errors.ts'
import { type Access, type Field, fieldsOf, isForPeople, isStreamed, mediaTypeOf, type Operation } from './registry.ts'

/** Schemas that the document, and what is generated like it, refers to by name. */
export const components: { readonly [name: string]: JsonSchema } = {
  Error: ErrorObject,
  Address,
  AttachmentSummary,
  MessageSummary,
  FullMessage,
  SendResult,
  Mailbox,
  SignupResult,
  ClaimLink,
  Account,
  Usage,
  Webhook,
  NewWebhook,
  EventEnvelope,
  Customer,
}
const nameOf = new Map(Object.entries(components).map(([name, schema]) => [schema, name]))

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
      schemas: Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, inside(schema)])),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The API key.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        partner: { type: 'http', scheme: 'bearer', description: 'The key of a partner (svc_partner_...).' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'mailroom_session',
          description:
            'Of a person who signed in (POST /api/v1/session). What changes something also needs X-CSRF-Token, from GET /api/v1/session.',
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
      ...(idempotent ? [idempotencyKey] : []),
      ...(isStreamed(operation) ? [lastEventId] : []),
    ],
    ...(body.length > 0 && { requestBody: bodyOf(body) }),
    responses: {
      ...Object.fromEntries(statuses.map((status) => [status, successOf(operation)])),
      ...errorResponses(operation),
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

function accessText({ access, scopes: needed }: Operation): string {
  const texts = needed.map((scope) => `Scope \`${scope}\`: ${scopes[scope]}`)
  return [...(access === 'key' && needed.length > 0 ? [] : [accessTexts[access]]), ...texts].join('\n\n')
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyMax },
  description: 'A repeat with the same key gets the first answer, for 7 days.',
}

const lastEventId: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  schema: { type: 'string', maxLength: identifierMax },
  description: 'The id of the last event that was received: the cursor to go on behind.',
}

function parameterOf({ name, schema, required, from }: Field): Json {
  const { description, ...rest } = schema
  return {
    name,
    in: from,
    required: required || from === 'path',
    schema: rest,
    ...(description !== undefined && { description }),
  }
}

function bodyOf(fields: readonly Field[]): Json {
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
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
export function withSuccess(schema: JsonSchema): JsonSchema {
  const success = { type: 'boolean', const: true }
  if (nameOf.has(schema)) {
    return {
      allOf: [outside(schema), { type: 'object', properties: { success }, required: ['success'] }],
    } as JsonSchema
  }
  const rendered = inside(schema)
  return {
    ...rendered,
    properties: { success, ...propertiesOf(rendered) },
    required: ['success', ...requiredOf(rendered)],
  }
}

function errorResponses(operation: Operation): Json {
  const byStatus = new Map<number, FailureCode[]>()
  for (const code of errorsOf(operation)) {
    const { http } = failures[code]
    byStatus.set(http, [...(byStatus.get(http) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${failures[code].when}`).join('\n\n'),
        content: { 'application/json': { schema: outside(ErrorObject) } },
      },
    ]),
  )
}

function webhookOf(type: EventType): Json {
  const { when, data } = eventKinds[type]
  const envelope = inside(EventEnvelope)
  const schema = {
    ...envelope,
    properties: { ...propertiesOf(envelope), type: { type: 'string', const: type }, data: outside(data) },
  }
  return {
    post: {
      operationId: `event.${type}`,
      summary: when,
      requestBody: { content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'Received: any 2xx within 10 seconds.' } },
    },
  }
}

/** A schema of an answer, with named resources as references and unknown fields allowed. */
function outside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(outside)
  if (typeof value !== 'object' || value === null) return value
  const name = nameOf.get(value as JsonSchema)
  return name === undefined ? inside(value as JsonSchema) : { $ref: `#/components/schemas/${name}` }
}

function inside(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword, part]) => keyword !== 'additionalProperties' || part !== false)
  return Object.fromEntries(kept.map(([keyword, part]) => [keyword, outside(part)]))
}

/** The resource that an operation is about: the group in which the API reference shows it. */
export function tagOf({ name }: Operation): string {
  return name.slice(0, name.indexOf('.'))
}
