/** The TypeScript package's types and methods (sdk/generated), generated from the operations. */
import { createNameFinder, type NamedSchemas } from '../../operations/components.ts'
import { isForPeople, type Operation } from '../../operations/registry.ts'
import { type EventType, eventKinds } from '../../schemas/events.ts'
import { type JsonSchema, mayBeTime, propertiesOf, requiredOf } from '../../schemas/infer.ts'
import { camelCase, pascalCase, type SdkGroup, type SdkMethod, type SdkParameter, sdkGroups } from './model.ts'

const pathPrefix = /^\/api\/v1(?=\/)/
const head = '/** Written by `npm run generate` from operations/ and schemas/: change those. */\n'

/** The files of `sdk/generated`, by their names. */
export function typescriptFiles(operations: readonly Operation[], named: NamedSchemas): ReadonlyMap<string, string> {
  const groups = sdkGroups(operations)
  return new Map([
    ['types.ts', typesFile(groups, named)],
    ['groups.ts', groupsFile(groups)],
  ])
}

// Types

function typesFile(groups: readonly SdkGroup[], named: NamedSchemas): string {
  const nameOf = createNameFinder(named)
  const write = typeWriter(nameOf, 'string')
  const takes = typeWriter(nameOf, 'string | Date')
  const types = [
    ...Object.entries(named).map(([name, schema]) => declared(name, schema, write.body(schema, 0))),
    ...eventTypes(write),
    ...allMethods(groups).flatMap((method) => methodTypes(method, { takes, returns: write })),
  ]
  return `${head}\n${types.join('\n\n')}\n`
}

function declared(name: string, { description }: JsonSchema, body: string): string {
  return `${comment(description, 0)}export type ${name} = ${body}`
}

/** The data of each event type, and the envelope of any event. */
function eventTypes(write: TypeWriter): string[] {
  const kinds = (Object.keys(eventKinds) as EventType[]).map((type) => {
    const { when, data } = eventKinds[type]
    return `${comment(when, 1)}  readonly '${type}': ${write.type(data, 1)}`
  })
  return [
    `/** The type of \`data\` for each event type. */\nexport type EventData = {\n${kinds.join('\n')}\n}`,
    'export type EventType = keyof EventData',
    "/** An event of one type; without a type, of any. */\nexport type MailroomEvent<T extends EventType = EventType> = {\n  [K in T]: Omit<EventEnvelope, 'type' | 'data'> & { readonly type: K; readonly data: EventData[K] }\n}[T]",
  ]
}

function methodTypes(
  method: SdkMethod,
  { takes, returns }: { readonly takes: TypeWriter; readonly returns: TypeWriter },
): string[] {
  const name = typeName(method.operation)
  const types: string[] = []
  if (method.parameters.length > 0) {
    const fields = method.parameters.map((parameter) => takes.field(parameter.name, parameter, 0))
    types.push(`export type ${name}Params = {\n${fields.join('\n')}\n}`)
  }
  if (method.kind === 'answer' || method.kind === 'page')
    types.push(`export type ${name}Result = ${returns.type(method.operation.output, 0)}`)
  return types
}

type TypeWriter = {
  /** A type, by its name if it has one. */
  type(schema: JsonSchema, depth: number): string
  /** A type written out. */
  body(schema: JsonSchema, depth: number): string
  field(name: string, field: Pick<SdkParameter, 'schema' | 'required'>, depth: number): string
}

/** `time` is the type of a time: callers may give more than they get. */
function typeWriter(nameOf: ReturnType<typeof createNameFinder>, time: string): TypeWriter {
  function type(schema: JsonSchema, depth: number): string {
    return nameOf(schema) ?? body(schema, depth)
  }

  function body(schema: JsonSchema, depth: number): string {
    if ('const' in schema) return literal(schema.const)
    if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ')
    if (Array.isArray(schema.anyOf)) {
      const all = schema.anyOf.map((each: JsonSchema) => type(each, depth))
      return [...new Set(all)].join(' | ')
    }
    if (schema.type === 'array') return arrayOf(type(schema.items as JsonSchema, depth))
    if (schema.type === 'object') return objectOf(schema, depth)
    return mayBeTime(schema) ? time : (scalars[String(schema.type)] ?? 'unknown')
  }

  function objectOf(schema: JsonSchema, depth: number): string {
    const required = new Set(requiredOf(schema))
    const properties = Object.entries(propertiesOf(schema))
    const rest = schema.additionalProperties
    if (properties.length === 0) return `{ readonly [name: string]: ${isSchema(rest) ? type(rest, depth) : 'unknown'} }`
    const fields = properties.map(([name, each]) => field(name, { schema: each, required: required.has(name) }, depth))
    return `{\n${fields.join('\n')}\n${indent(depth)}}`
  }

  function field(name: string, { schema, required }: Pick<SdkParameter, 'schema' | 'required'>, depth: number): string {
    const key = /^[a-z_]\w*$/i.test(name) ? name : literal(name)
    const about = comment(schema.description, depth + 1)
    return `${about}${indent(depth + 1)}readonly ${key}${required ? '' : '?'}: ${type(schema, depth + 1)}`
  }

  return { type, body, field }
}

const scalars: { readonly [type: string]: string } = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}
const indent = (depth: number) => '  '.repeat(depth)
const literal = (value: unknown) =>
  typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : JSON.stringify(value)
const arrayOf = (item: string) => `readonly ${/^[\w'.]+$|^\{[^|]*\}$/s.test(item) ? item : `(${item})`}[]`
const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

function comment(text: unknown, depth: number): string {
  return typeof text === 'string'
    ? `${indent(depth)}/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`
    : ''
}

// Methods

function groupsFile(groups: readonly SdkGroup[]): string {
  const classes = groups.flatMap((group) => groupClasses(group, ''))
  const fields = groups.map(({ name }) => `  readonly ${camelCase(name)}: ${pascalCase(name)}`)
  const made = groups.map(({ name }) => `    this.${camelCase(name)} = new ${pascalCase(name)}(transport)`)
  return `${head}import { type Download, type DownloadOptions, Group, type PageList, type RequestOptions, segment, type Transport } from '../transport.ts'
import type * as t from './types.ts'

${classes.join('\n\n')}

/** Every group of the API. */
export class Groups {
${fields.join('\n')}

  constructor(transport: Transport) {
${made.join('\n')}
  }
}
`
}

/** The class of a group, after those of the groups in it. */
function groupClasses({ name, methods, groups }: SdkGroup, outer: string): readonly string[] {
  const own = `${outer}${pascalCase(name)}`
  const classOf = (inner: SdkGroup) => `${own}${pascalCase(inner.name)}`
  const fields = groups.map((inner) => `  readonly ${camelCase(inner.name)}: ${classOf(inner)}`)
  const made = groups.map((inner) => `    this.${camelCase(inner.name)} = new ${classOf(inner)}(transport)`)
  const beginning =
    groups.length === 0
      ? []
      : [`${fields.join('\n')}\n\n  constructor(transport: Transport) {\n    super(transport)\n${made.join('\n')}\n  }`]
  const body = [...beginning, ...methods.map(methodText)].join('\n\n')
  return [...groups.flatMap((inner) => groupClasses(inner, own)), `export class ${own} extends Group {\n${body}\n}`]
}

function methodText(method: SdkMethod): string {
  const { operation, pathParameters, parameters, from, kind } = method
  const name = typeName(operation)
  const given = pathParameters.map(({ name: field }) => `${camelCase(field)}: string`)
  const isRequired = parameters.some(({ required }) => required)
  if (parameters.length > 0) given.push(`params: t.${name}Params${isRequired ? '' : ' = {}'}`)
  given.push(`options?: ${kind === 'file' ? 'DownloadOptions' : 'RequestOptions'}`)
  const path = operation.path
    .replace(pathPrefix, '')
    .replace(/\{(\w+)\}/g, (_, field: string) => `\${segment(${camelCase(field)})}`)
  const request = [
    `method: '${operation.method}'`,
    `path: ${path.includes('${') ? `\`${path}\`` : `'${path}'`}`,
    ...(parameters.length > 0 ? [`${from}: params`] : []),
    ...(operation.idempotent ? ['isIdempotent: true'] : []),
    ...(parameters.some(({ name: field }) => field === 'timeout' || field === 'wait') ? ['waits: true'] : []),
  ].join(', ')
  const [returns, call] = calls[kind](name, method)
  const text = camelCase(method.name)
  const body = `${text}(${given.join(', ')}): ${returns} {
    return this.${call}{ ${request} }, options)
  }`
  return `${methodComment(operation)}${overloads(method, text, given, returns)}  ${body}`
}

/** A dry run has another answer than the call itself: the parameter decides which. */
function overloads({ parameters }: SdkMethod, text: string, given: readonly string[], returns: string): string {
  if (!parameters.some(({ name }) => name === 'dryRun')) return ''
  const forms: readonly (readonly [string, string])[] = [
    ['true', 'Extract'],
    ['?false', 'Exclude'],
  ]
  const lines = forms.map(([value, pick]) => {
    const isOptional = value.startsWith('?')
    const trial = `{ readonly dryRun${isOptional ? '?' : ''}: ${value.replace('?', '')} }`
    const args = given.map((each) => each.replace(/^params: (t\.\w+)( = \{\})?$/, `params: $1 & ${trial}`))
    const result = returns.replace(/^Promise<(.*)>$/, `Promise<${pick}<$1, { readonly dryRun: true }>>`)
    return `  ${text}(${args.join(', ')}): ${result}\n`
  })
  const either = given.map((each) => each.replace(/^params: (.*) = \{\}$/, 'params?: $1'))
  return `${lines.join('')}  ${text}(${either.join(', ')}): ${returns}\n`
}

/** The return type of a method, and the beginning of the call that it makes. */
const calls: { readonly [K in SdkMethod['kind']]: (name: string, method: SdkMethod) => readonly [string, string] } = {
  answer: (name) => [`Promise<t.${name}Result>`, 'call('],
  page(name, { items }) {
    const types = `<t.${name}Result, t.${name}Result['${items}'][number]>`
    return [`PageList${types}`, `pages${types}('${items}', `]
  },
  file: () => ['Promise<Download>', 'download('],
  events: () => ['AsyncIterable<t.MailroomEvent>', 'eventStream('],
}

function methodComment(operation: Operation): string {
  const who = isForPeople(operation.access) ? ' For people who are signed in, not for keys.' : ''
  const scopes = operation.scopes.length === 0 ? '' : ` Scope: ${operation.scopes.join(', ')}.`
  return comment(`${operation.summary}${who}${scopes}`, 1)
}

const typeName = ({ name, path }: Operation) =>
  `${path.startsWith('/api/partner') ? 'Partner' : ''}${pascalCase(name.replace(/^partner_/, '').replaceAll('.', '_'))}`

function allMethods(groups: readonly SdkGroup[]): readonly SdkMethod[] {
  return groups.flatMap(({ methods, groups: inner }) => [...methods, ...allMethods(inner)])
}
