/** The Python package's types and methods (sdk/python/mailroom_sdk/generated), generated from the operations. */
import { createNameFinder, type NamedSchemas, requestComponents } from '../../operations/components.ts'
import { isForPeople, type Operation } from '../../operations/registry.ts'
import { type EventType, eventKinds } from '../../schemas/events.ts'
import { type JsonSchema, mayBeTime, propertiesOf, requiredOf } from '../../schemas/infer.ts'
import { pascalCase, type SdkGroup, type SdkMethod, type SdkParameter, sdkGroups, snakeCase } from './model.ts'

const head = '# Written by `npm run generate` from operations/ and schemas/: change those.\n'
const pathPrefix = /^\/api\/v1(?=\/)/
/** The reserved words of Python (keyword.kwlist). */
const keywords = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for ' +
    'from global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

/** The files of the package's folder `generated`, by their names. */
export function pythonFiles(operations: readonly Operation[], named: NamedSchemas): ReadonlyMap<string, string> {
  const groups = sdkGroups(operations)
  const nameOf = createNameFinder(named)
  return new Map([
    ['__init__.py', head],
    ['types.py', typesFile(groups, named, nameOf)],
    ['groups.py', groupsFile(groups, { nameOf, isAsync: false })],
    ['async_groups.py', groupsFile(groups, { nameOf, isAsync: true })],
  ])
}

type NameOf = ReturnType<typeof createNameFinder>

// Types

type TypeWriter = {
  /** The annotation of a type; objects in it are declared under names that begin with `name`. */
  annotation(schema: JsonSchema, name: string): string
  /** The same, written out even if the schema has a name. */
  body(schema: JsonSchema, name: string): string
  declare(schema: JsonSchema, name: string): string
  readonly declared: string[]
}

function typesFile(groups: readonly SdkGroup[], named: NamedSchemas, nameOf: NameOf): string {
  const write = typeWriter(nameOf, returned)
  const takes = typeWriter(nameOf, taken, write.declared)
  for (const [name, schema] of Object.entries(named)) {
    const own = Object.hasOwn(requestComponents, name) ? takes : write
    if (hasFields(schema)) own.declare(schema, name)
    else own.declared.push(alias(name, own.body(schema, `${name}Form`)))
  }
  for (const method of allMethods(groups)) {
    const { kind, operation, parameters } = method
    for (const { name, schema } of parameters) takes.annotation(schema, `${typeName(operation)}${pascalCase(name)}`)
    if (kind === 'answer' || kind === 'page') resultOf(operation, write)
  }
  const kinds = (Object.keys(eventKinds) as EventType[]).map((type) => literal(type)).join(', ')
  return `${head}from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

${write.declared.join('\n\n')}

${alias('EventType', `Literal[${kinds}]`)}
`
}

const hasFields = (schema: JsonSchema) => schema.type === 'object' && Object.keys(propertiesOf(schema)).length > 0

/** Declares the type of the answer of an operation. */
function resultOf(operation: Operation, write: TypeWriter): void {
  const name = `${typeName(operation)}Result`
  const { output } = operation
  if (hasFields(output)) write.declare(output, name)
  else write.declared.push(alias(name, write.annotation(output, name)))
}

/** A name for a type. It is no text, so that it means the same in other modules. */
const alias = (name: string, type: string) => `${name}: TypeAlias = ${unquoted(type)}`

/** The types of times and lists. */
type Direction = { readonly time: string; readonly list: string }
const returned: Direction = { time: 'str', list: 'list' }
/** Callers may give more than they get. A list is not called that, because many groups have a method of that name. */
const taken: Direction = { time: 'str | datetime', list: 'Sequence' }

function typeWriter(nameOf: NameOf, { time, list }: Direction, declared: string[] = []): TypeWriter {
  const known = new Set<string>()

  function annotation(schema: JsonSchema, name: string): string {
    const own = nameOf(schema)
    return own === undefined ? body(schema, name) : quoted(own)
  }

  function body(schema: JsonSchema, name: string): string {
    if ('const' in schema) return `Literal[${literal(schema.const)}]`
    if (Array.isArray(schema.enum)) return `Literal[${schema.enum.map(literal).join(', ')}]`
    if (Array.isArray(schema.anyOf)) {
      const several = schema.anyOf.filter(({ type }: JsonSchema) => type === 'object').length > 1
      const all = schema.anyOf.map((each: JsonSchema, n) => annotation(each, several ? `${name}${n + 1}` : name))
      return quoted([...new Set(all.map(unquoted))].join(' | '))
    }
    if (schema.type === 'array') return `${list}[${annotation(schema.items as JsonSchema, `${name}Item`)}]`
    if (schema.type === 'object') {
      if (hasFields(schema)) return quoted(declare(schema, name))
      const rest = schema.additionalProperties
      return `dict[str, ${typeof rest === 'object' && rest !== null ? annotation(rest as JsonSchema, name) : 'Any'}]`
    }
    return mayBeTime(schema) ? time : (scalars[String(schema.type)] ?? 'Any')
  }

  function declare(schema: JsonSchema, name: string): string {
    if (known.has(name)) return name
    known.add(name)
    const required = new Set(requiredOf(schema))
    const fields = Object.entries(propertiesOf(schema)).map(([field, each]) => {
      const type = annotation(each, `${name}${pascalCase(snakeCase(field))}`)
      return `    ${literal(field)}: ${required.has(field) ? type : `NotRequired[${type}]`},`
    })
    declared.push(`${name} = TypedDict('${name}', {\n${fields.join('\n')}\n})`)
    return name
  }

  return { annotation, body, declare, declared }
}

const scalars: { readonly [type: string]: string } = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}
const literal = (value: unknown): string => {
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`
  if (value === null) return 'None'
  return value === true ? 'True' : value === false ? 'False' : String(value)
}
/** A type that may be used before it is declared. */
const quoted = (type: string) => `"${type}"`
const unquoted = (type: string) => type.replaceAll('"', '')

// Methods

/** How methods are written: with which type names, and whether they are awaited. */
type Manner = { readonly nameOf: NameOf; readonly isAsync: boolean }

function groupsFile(groups: readonly SdkGroup[], manner: Manner): string {
  const { isAsync } = manner
  const prefix = isAsync ? 'Async' : ''
  const made = groups.map(({ name }) => `        self.${identifier(name)} = ${pascalCase(name)}(transport)`)
  const names = isAsync
    ? 'AsyncDownload, AsyncGroup, AsyncPageList, AsyncTransport'
    : 'Download, Group, PageList, Transport'
  const module = isAsync ? 'async_transport' : 'transport'
  const iterable = isAsync ? 'AsyncIterator' : 'Iterator'
  return `${head}from __future__ import annotations

from collections.abc import ${iterable}, Sequence
from datetime import datetime
from typing import Any, Literal, overload

from ..request import UNSET, RequestOptions, Unset, given, segment
from ..${module} import ${names}
from . import types as t


${groups.flatMap((group) => groupClasses(group, '', manner)).join('\n\n\n')}


class ${prefix}Groups:
    """Every group of the API."""

    def __init__(self, transport: ${prefix}Transport) -> None:
${made.join('\n')}
`
}

function groupClasses({ name, methods, groups }: SdkGroup, outer: string, manner: Manner): readonly string[] {
  const { isAsync } = manner
  const own = `${outer}${pascalCase(name)}`
  const prefix = isAsync ? 'Async' : ''
  const made = groups.map(
    (inner) => `        self.${identifier(inner.name)} = ${own}${pascalCase(inner.name)}(transport)`,
  )
  const beginning =
    groups.length === 0
      ? []
      : [
          `    def __init__(self, transport: ${prefix}Transport) -> None:\n        super().__init__(transport)\n${made.join('\n')}`,
        ]
  const body = [...beginning, ...methods.map((method) => methodText(method, manner))].join('\n\n')
  return [
    ...groups.flatMap((inner) => groupClasses(inner, own, manner)),
    `class ${own}(${prefix}Group):\n${body === '' ? '    pass' : body}`,
  ]
}

function methodText(method: SdkMethod, { nameOf, isAsync }: Manner): string {
  const { operation, pathParameters, parameters, from } = method
  const name = typeName(operation)
  const write = typeWriter(nameOf, taken)
  const typeOf = ({ name: field, schema }: SdkParameter) =>
    annotationIn(write.annotation(schema, `${name}${pascalCase(field)}`))
  const inOrder = [...parameters].sort((a, b) => Number(b.required) - Number(a.required))
  const named = new Map(
    inOrder.map((parameter) => {
      const { name: field, required } = parameter
      const type = typeOf(parameter)
      return [field, required ? type : `${type} | Unset = UNSET`]
    }),
  )
  const mayAwait = isAsync && (method.kind === 'answer' || method.kind === 'file')
  const signature = (returns: string, other: ReadonlyMap<string, string> = new Map()) => {
    const args = [
      'self',
      ...pathParameters.map(({ name: field }) => `${identifier(field)}: str`),
      '*',
      ...[...new Map([...named, ...other])].map(([field, type]) => `${identifier(field)}: ${type}`),
      'options: RequestOptions | None = None',
    ]
    return `    ${mayAwait ? 'async ' : ''}def ${identifier(method.name)}(\n        ${args.join(',\n        ')},\n    ) -> ${returns}:`
  }
  const path = operation.path
    .replace(pathPrefix, '')
    .replace(/\{(\w+)\}/g, (_, field: string) => `{segment(${identifier(field)})}`)
  const values = parameters.map(({ name: field }) => `'${field}': ${identifier(field)}`).join(', ')
  const request = [
    `'${operation.method}'`,
    `${path.includes('{') ? 'f' : ''}'${path}'`,
    ...(parameters.length > 0 ? [`${from}=given({${values}})`] : []),
    ...(operation.idempotent ? ['is_idempotent=True'] : []),
    ...(parameters.some(({ name: field }) => field === 'timeout' || field === 'wait') ? ['waits=True'] : []),
    'options=options',
  ]
  const [returns, call, first] = callOf(method, { nameOf, isAsync })
  const overloads = dryRunForms(method).map(
    ({ schema, dryRun }) =>
      `    @overload\n${signature(annotationIn(write.annotation(schema, name)), new Map([['dryRun', dryRun]]))} ...\n\n`,
  )
  return `${overloads.join('')}${signature(returns)}
        """${docOf(operation)}"""
        return ${mayAwait ? 'await ' : ''}self.${call}(${[...first, ...request].join(', ')})`
}

/** A dry run has another answer than the call itself: the argument decides which. Empty for methods that cannot run dry. */
function dryRunForms({ operation, parameters }: SdkMethod) {
  const { anyOf } = operation.output
  if (!Array.isArray(anyOf) || !parameters.some(({ name }) => name === 'dryRun')) return []
  const forms = anyOf.map((schema: JsonSchema) => {
    const isDry = propertiesOf(schema).dryRun?.const === true
    return { schema, dryRun: isDry ? 'Literal[True]' : 'Literal[False] | Unset = UNSET' }
  })
  return [...forms, { schema: operation.output, dryRun: 'bool' }]
}

/** The return type of a method, the transport method that it calls, and the first arguments that it passes. */
function callOf(
  { kind, operation, items }: SdkMethod,
  { nameOf, isAsync }: Manner,
): readonly [returns: string, call: string, first: readonly string[]] {
  const prefix = isAsync ? 'Async' : ''
  const result = `t.${typeName(operation)}Result`
  if (kind === 'page') {
    const item = itemOf(operation.output, { items: items ?? '', name: `${typeName(operation)}Result` }, nameOf)
    return [`${prefix}PageList[${result}, ${item}]`, '_pages', [`'${items}'`]]
  }
  if (kind === 'file') return [`${prefix}Download`, '_download', []]
  if (kind === 'events') return [`${prefix}Iterator[dict[str, Any]]`, '_events', []]
  return [result, '_call', []]
}

/** The type of the items of a page, which is declared under `name`. */
function itemOf(page: JsonSchema, { items, name }: { items: string; name: string }, nameOf: NameOf): string {
  const list = typeWriter(nameOf, returned).annotation(
    propertiesOf(page)[items]!,
    `${name}${pascalCase(snakeCase(items))}`,
  )
  return annotationIn(list.slice(`${returned.list}[`.length, -1))
}

/** Prefixes types that are declared elsewhere with `t.`. */
const annotationIn = (type: string) =>
  type.replace(/"([^"]+)"/g, (_, names: string) =>
    names.replace(/\b[A-Z]\w+\b(?!')/g, (each) =>
      /^(?:Any|Literal|None|True|False)$/.test(each) ? each : `t.${each}`,
    ),
  )

function docOf(operation: Operation): string {
  const who = isForPeople(operation.access) ? ' For people who are signed in, not for keys.' : ''
  const scopes = operation.scopes.length === 0 ? '' : ` Scope: ${operation.scopes.join(', ')}.`
  return `${operation.summary}${who}${scopes}`.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '" ')
}

/** Turns a name into a Python identifier: `inReplyTo` into `in_reply_to`, `from` into `from_`. */
function identifier(name: string): string {
  const snake = snakeCase(name)
  return keywords.has(snake) ? `${snake}_` : snake
}

const typeName = ({ name, path }: Operation) =>
  `${path.startsWith('/api/partner') ? 'Partner' : ''}${pascalCase(snakeCase(name.replace(/^partner_/, '').replaceAll('.', '_')))}`

function allMethods(groups: readonly SdkGroup[]): readonly SdkMethod[] {
  return groups.flatMap(({ methods, groups: inner }) => [...methods, ...allMethods(inner)])
}
