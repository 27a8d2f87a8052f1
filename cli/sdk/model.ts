/**
 * The operations as methods for programs in any language: groups of methods with named parameters and types. A group is the resource of
 * its operations; operations on one mailbox are below `mailboxes`, and the partner API is below `partner`.
 */
import { isMailboxOperation, isStreamed, mediaTypeOf, type Operation, partnerPath } from '../../operations/registry.ts'
import { type JsonSchema, nullable, propertiesOf, requiredOf } from '../../schemas/infer.ts'

export type SdkParameter = { readonly name: string; readonly schema: JsonSchema; readonly required: boolean }

/** The result of a method: a JSON answer, one of its pages, the bytes of a file, or events as they occur. */
export type SdkKind = 'answer' | 'page' | 'file' | 'events'

export type SdkMethod = {
  /** In snake case: `wait_and_claim`. */
  readonly name: string
  readonly operation: Operation
  readonly kind: SdkKind
  /** The parameters in the path, in its order. */
  readonly pathParameters: readonly SdkParameter[]
  /** The parameters in the query or body. */
  readonly parameters: readonly SdkParameter[]
  readonly from: 'query' | 'body'
  /** The field of a page that holds its items. */
  readonly items: string | null
}

export type SdkGroup = {
  /** In snake case. */
  readonly name: string
  readonly methods: readonly SdkMethod[]
  readonly groups: readonly SdkGroup[]
}

/** The groups of the API: a tree, in the order of the operations. */
export function sdkGroups(operations: readonly Operation[]): readonly SdkGroup[] {
  const root = newGroup('')
  for (const operation of operations) {
    const words = operation.name.replace(/^partner_/, '').split('.')
    const verb = words.pop() ?? ''
    const parent = parentOf(operation)
    const names = parent === null || parent === words[0] ? words : [parent, ...words]
    const group = names.reduce((above, name) => groupIn(above, name), root)
    group.methods.push(methodOf(operation, snakeCase(verb)))
  }
  return root.groups
}

type GrowingGroup = { readonly name: string; readonly methods: SdkMethod[]; readonly groups: GrowingGroup[] }

const newGroup = (name: string): GrowingGroup => ({ name, methods: [], groups: [] })

function groupIn(above: GrowingGroup, name: string): GrowingGroup {
  const known = above.groups.find((each) => each.name === name)
  if (known !== undefined) return known
  const group = newGroup(name)
  above.groups.push(group)
  return group
}

/** The group above the resource of an operation; null if there is none. */
function parentOf(operation: Operation): string | null {
  if (operation.path.startsWith(partnerPath)) return 'partner'
  return isMailboxOperation(operation) ? 'mailboxes' : null
}

function methodOf(operation: Operation, name: string): SdkMethod {
  const { input, method, pathFields } = operation
  const properties = propertiesOf(input)
  const required = new Set(requiredOf(input))
  const parameter = (field: string) => ({ name: field, schema: properties[field]!, required: required.has(field) })
  const others = Object.keys(properties).filter((field) => !pathFields.includes(field))
  const items = itemsOf(operation)
  const from = method === 'GET' || method === 'DELETE' ? 'query' : 'body'
  return {
    name,
    operation,
    kind: kindOf(operation, items),
    pathParameters: pathFields.map(parameter),
    parameters: others.map((field) => (from === 'query' ? perhapsNull(parameter(field)) : parameter(field))),
    from,
    items,
  }
}

/** A parameter of a query, in which null is left out: a filter that is not set, or the place of the first page. */
function perhapsNull({ name, schema, required }: SdkParameter): SdkParameter {
  const { description } = schema
  return { name, required, schema: required ? schema : { ...nullable(schema), description } }
}

function kindOf(operation: Operation, items: string | null): SdkKind {
  if (isStreamed(operation)) return 'events'
  if (mediaTypeOf(operation) !== null) return 'file'
  return items === null ? 'answer' : 'page'
}

/** The list of an answer that is paged with `next` and `before` (decisions.md 1, Paging): the last one before `next`. */
function itemsOf({ input, method, output }: Operation): string | null {
  const properties = propertiesOf(output)
  if (method !== 'GET' || !('next' in properties) || !('before' in propertiesOf(input))) return null
  const names = Object.keys(properties)
  return names.slice(0, names.indexOf('next')).findLast((name) => properties[name]!.type === 'array') ?? null
}

/** Turns `readAll` and `read-all` into `read_all`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_')
}

/** Turns `read_all` into `readAll`. */
export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Turns `read_all` into `ReadAll`. */
export function pascalCase(name: string): string {
  const camel = camelCase(name)
  return camel.slice(0, 1).toUpperCase() + camel.slice(1)
}
