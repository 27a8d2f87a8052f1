/**
 * Calls of every operation, derived from the registry: inputs come from the schemas, and the names in them from records that a tenant
 * really has. Throws for an operation for which no call can be derived, and says what is missing.
 */
import { argumentName } from '../../mcp/tools.ts'
import { fieldsOf, type Operation, pathOf, type Tool } from '../../operations/registry.ts'
import { newId } from '../../schemas/ids.ts'
import { type JsonSchema, propertiesOf, requiredOf } from '../../schemas/infer.ts'
import { isValid } from '../../schemas/validate.ts'
import { eventually } from '../eventually.ts'
import { type Answer, type Call, client, type Json, mailboxPath } from '../peers/rest.ts'
import type { Tenant } from '../start/door.ts'

/** The records of a tenant, by their place in a path, such as `templates alias` for /api/v1/templates/{alias}. */
export type Names = ReadonlyMap<string, string>

/** A tenant called `name` at `<name>.example`. */
export type Resident = Tenant & { readonly name: string; readonly call: Call; readonly names: Names }

/** The input of a call: the path fields, and the rest. */
export type Asked = { readonly path: { readonly [field: string]: string }; readonly rest: Json }

/** Fields outside paths that name a record, with the place of such a record in a path. */
const references: { readonly [field: string]: string } = {
  attachmentId: 'attachments attachment_id',
  domains: 'domain',
  event: 'events id',
  from: 'mailboxes address',
  id: 'emails id',
  inReplyTo: 'messages message_id',
  key_id: 'key',
  mailbox: 'mailboxes address',
  mailboxes: 'mailboxes address',
  parentId: 'drive fileId',
  messageId: 'messages message_id',
  message_id: 'messages message_id',
  targets: 'mailboxes address',
  template: 'templates alias',
  thread_id: 'threads thread_id',
  user_id: 'person',
  webhookId: 'webhooks id',
}

/** Values for fields whose schema alone does not determine a valid one; the first that fits the schema is used. */
function wordsOf({ name, address }: Pick<Resident, 'name' | 'address'>): {
  readonly [field: string]: readonly unknown[]
} {
  return {
    address: [`second@${name}.example`],
    alias: [`alias@${name}.example`, `template-of-${name}`],
    displayName: [`Mailbox of ${name}`],
    email: [`${name}@recipient.example`],
    events: [['message.received']],
    folder: ['INBOX'],
    from: [address],
    idempotencyKey: [`batch of ${name}`],
    name: [`Folder of ${name}`],
    q: [name],
    recipients: [[{ email: 'delivered@simulator.invalid' }]],
    sendAt: [new Date(Date.now() + 86_400_000).toISOString()],
    subject: [`Subject of ${name}`],
    targets: [[address]],
    text: [`Text of ${name}`],
    timeout: [1],
    to: ['delivered@simulator.invalid'],
    url: [`https://hooks.example/${name}`],
  }
}

/** The place of a parameter: `templates alias` in /api/v1/templates/{alias}/preview. */
export function placeOf({ path }: Operation, field: string): string {
  return `${prefixOf(path, field).split('/').at(-1)} ${field}`
}

const prefixOf = (path: string, field: string) => path.slice(0, path.indexOf(`/{${field}}`))

/** The call of an operation by a tenant on its own records, with or without optional fields. */
export function askedOf(operation: Operation, resident: Resident, { isFull = true } = {}): Asked {
  const path = Object.fromEntries(
    operation.pathFields.map((field) => {
      const place = placeOf(operation, field)
      const name = resident.names.get(place)
      if (name === undefined) throw new Error(`${operation.name}: nothing is known that stands at "${place}".`)
      return [field, name]
    }),
  )
  const rest = fieldsOf(operation)
    .filter(({ from }) => from !== 'path')
    .filter(({ required }) => required || isFull)
    .map(({ name, schema, required }) => [name, sampleOf(schema, name, resident, required)])
  return { path, rest: Object.fromEntries(rest.filter(([, value]) => value !== undefined)) }
}

/** A value that the schema accepts; undefined for an optional field without a value in `wordsOf`. */
function sampleOf(schema: JsonSchema, field: string, resident: Resident, required = true): unknown {
  const word = wordsOf(resident)[field]?.find((each) => isValid(schema, each))
  if (word !== undefined || !required) return word
  const { anyOf, const: only, enum: values, examples, format, items, minimum, type } = schema
  if (only !== undefined) return only
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(examples)) return examples[0]
  if (Array.isArray(anyOf)) return sampleOf(anyOf[0] as JsonSchema, field, resident)
  if (type === 'integer' || type === 'number') return minimum ?? 1
  if (type === 'boolean') return true
  if (type === 'array') return [sampleOf(items as JsonSchema, field, resident)]
  if (type === 'string') return format === 'date-time' ? new Date().toISOString() : 'word'
  return Object.fromEntries(
    requiredOf(schema).map((name) => [name, sampleOf(propertiesOf(schema)[name] ?? {}, name, resident)]),
  )
}

/** Variants of the call, one for each field that may name a record, with the value that `names` has for it. */
export function referringTo(
  operation: Operation,
  resident: Resident,
  names: Names,
): readonly (readonly [string, Asked])[] {
  const asked = askedOf(operation, resident)
  return fieldsOf(operation)
    .filter(({ from }) => from !== 'path')
    .flatMap(({ name, schema }) => {
      const value = referenceIn(schema, name, resident, names)
      return value === undefined ? [] : [[name, { ...asked, rest: { ...asked.rest, [name]: value } }] as const]
    })
}

function referenceIn(schema: JsonSchema, field: string, resident: Resident, names: Names): unknown {
  const { anyOf, items, type } = schema
  if (Array.isArray(anyOf))
    return (anyOf as JsonSchema[]).map((each) => referenceIn(each, field, resident, names)).find(Boolean)
  if (type === 'array') {
    const item = referenceIn(items as JsonSchema, field, resident, names)
    return item === undefined ? undefined : [item]
  }
  if (type !== 'object') return type === 'string' ? names.get(references[field] ?? '') : undefined
  const inside = Object.entries(propertiesOf(schema)).flatMap(([name, each]) => {
    const reference = referenceIn(each, name, resident, names)
    return reference === undefined ? [] : [[name, reference] as const]
  })
  if (inside.length === 0) return undefined
  const needed = requiredOf(schema).map((name) => [name, sampleOf(propertiesOf(schema)[name] ?? {}, name, resident)])
  return Object.fromEntries([...needed, ...inside])
}

/** Input fields of the operations that are described as naming a record but are missing from the table here. */
export function unknownReferences(operations: readonly Operation[]): readonly string[] {
  const look = (schema: JsonSchema, field: string): string[] => {
    const { anyOf = [], description = '', items } = schema
    const names = /\(\w+_\.\.\.\)|^Address of (?:the|a) mailbox/.test(String(description))
    return [
      ...(names && !(field in references) ? [field] : []),
      ...(anyOf as JsonSchema[]).flatMap((each) => look(each, field)),
      ...(items === undefined ? [] : look(items as JsonSchema, field)),
      ...Object.entries(propertiesOf(schema)).flatMap(([name, each]) => look(each, name)),
    ]
  }
  return operations.flatMap((operation) =>
    fieldsOf(operation)
      .filter(({ from }) => from !== 'path')
      .flatMap(({ name, schema }) => look(schema, name).map((field) => `${operation.name}: ${field}`)),
  )
}

/** Makes a call over HTTP. */
export function ask(call: Call, operation: Operation, { path, rest }: Asked): Promise<Answer> {
  const where = pathOf(operation, path)
  if (operation.method !== 'GET' && operation.method !== 'DELETE') return call(operation.method, where, rest)
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return call(operation.method, query.size === 0 ? where : `${where}?${query}`)
}

/** Makes a call as an MCP tool. Returns the result's structured content, with the status of a refusal. */
export async function askTool(call: Call, operation: Operation, tool: Tool, { path, rest }: Asked): Promise<Answer> {
  const given = Object.entries({ ...rest, ...path })
    .filter(([field]) => tool.expose.includes(field))
    .map(([field, value]) => [argumentName(operation, field), value])
  const required = (tool.require ?? []).filter((field) => !(field in rest))
  const needed = required.map((field) => [field, propertiesOf(operation.input)[field]?.minimum ?? 'INBOX'])
  const { status, headers, body } = await call<{ result?: { structuredContent: Json & { statusCode?: number } } }>(
    'POST',
    '/api/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool.name, arguments: Object.fromEntries([...given, ...needed]) },
    },
  )
  if (body.result === undefined) return { status, headers, body }
  // The request id differs with each request.
  const { requestId: _, ...content } = body.result.structuredContent
  return { status: content.statusCode ?? status, headers, body: content }
}

/**
 * Creates one of each kind of record that a path can name, by the operations that create it. `deliver` delivers a message with an
 * attachment; `others` names the records that no operation creates.
 */
export async function settle(
  operations: readonly Operation[],
  tenant: Tenant & { readonly name: string },
  http: string,
  deliver: () => Promise<unknown>,
  others: Names,
): Promise<Resident> {
  const names = new Map([
    ['mailboxes address', tenant.address],
    ['domain', `${tenant.name}.example`],
    ['domains domain', `${tenant.name}.example`],
    // No person has signed in here.
    ['person', newId('usr', new Date())],
    ...others,
  ])
  const resident = { ...tenant, call: client(http, tenant.key), names }
  const { body } = await resident.call('GET', mailboxPath(tenant.address))
  names.set('key', String(body.createdBy))
  await resident.call('POST', '/api/v1/intake', { mailbox: tenant.address })
  names.set('intake mailbox', tenant.address)
  await deliver()
  const parsed = await eventually('the record of the mail', async () => {
    const { body } = await resident.call<{ messages: readonly Json[] }>('GET', '/api/v1/intake/messages')
    return body.messages[0]
  })
  names.set('messages id', String(parsed.intake_id))
  const later = { to: 'delivered@simulator.invalid', text: 'x', sendAt: wordsOf(tenant).sendAt?.[0] }
  await resident.call('POST', `${mailboxPath(tenant.address)}/send`, later)
  const hook = await resident.call('POST', '/api/v1/webhooks', {
    url: wordsOf(tenant).url?.[0],
    events: ['message.received'],
  })
  const tried = await resident.call('POST', `/api/v1/webhooks/${hook.body.id}/test`, { type: 'message.received' })
  names.set('deliveries id', String(tried.body.id))
  const parameters = operations.flatMap((operation) => operation.pathFields.map((field) => ({ operation, field })))
  for (const { operation, field } of parameters.toSorted((a, b) => depth(a) - depth(b))) {
    const place = placeOf(operation, field)
    if (!names.has(place)) names.set(place, await nameAt(operations, resident, { operation, field }))
  }
  return resident
}

type Parameter = { readonly operation: Operation; readonly field: string }
const depth = ({ operation: { path }, field }: Parameter) => prefixOf(path, field).length

/** The name of a record at the place of a parameter: from its creation, its list, or the record that contains it. */
async function nameAt(
  operations: readonly Operation[],
  resident: Resident,
  { operation, field }: Parameter,
): Promise<string> {
  const prefix = prefixOf(operation.path, field)
  const at = (method: string, path: string) => operations.find((each) => each.method === method && each.path === path)
  const container = prefix.slice(0, prefix.lastIndexOf('/'))
  const sources = [at('POST', prefix), at('GET', prefix), at('GET', container)].filter((each) => each !== undefined)
  const heard: string[] = []
  for (const source of sources) {
    const { body } = await ask(resident.call, source, askedOf(source, resident, { isFull: source.method !== 'GET' }))
    const name =
      nameIn(body, field) ??
      Object.values(body)
        .flat()
        .map((item) => nameIn(item, field))
        .find(Boolean)
    if (name !== undefined) return name
    heard.push(`${source.name} answered ${JSON.stringify(body)}`)
  }
  throw new Error(`${operation.name}: nothing was made or found for {${field}}. ${heard.join('; ')}`)
}

function nameIn(item: unknown, field: string): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const { [field]: named, id, message_id: message } = item as Json
  return [named, id, message].find((each) => typeof each === 'string') as string | undefined
}
