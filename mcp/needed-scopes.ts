/** The scopes that a request needs, found before it is served: those of the operations that it leads to. */
import type { Scope } from '../schemas/scopes.ts'
import type { Caller } from './caller.ts'
import { scopesOfArgument } from './completion.ts'
import { subscribedMax } from './params.ts'
import { toolsOfPrompt } from './prompts.ts'
import { scopesOfResource } from './resources.ts'

type Catalogue = Caller['catalogue']
type Params = { readonly [name: string]: unknown }

const byMethod: Readonly<Record<string, (catalogue: Catalogue, params: Params) => readonly Scope[]>> = {
  'tools/call': (catalogue, { name }) => catalogue.get(String(name))?.operation.scopes ?? [],
  'resources/read': ofResource,
  'resources/subscribe': ofResource,
  'subscriptions/listen': (catalogue, { notifications }) => {
    const { resourceSubscriptions: uris } = fieldsOf(notifications)
    return Array.isArray(uris) ? uris.slice(0, subscribedMax).flatMap((uri) => ofResource(catalogue, { uri })) : []
  },
  'prompts/get': (catalogue, { name }) =>
    toolsOfPrompt(catalogue, String(name)).flatMap(({ operation }) => operation.scopes),
  'completion/complete': (_, { argument }) => scopesOfArgument(String(fieldsOf(argument).name)),
}

/** The scopes that the requests of a body need, each once; the body may be malformed. */
export function neededScopes(catalogue: Catalogue, body: unknown): readonly Scope[] {
  const needed = (Array.isArray(body) ? body : [body]).flatMap((message) => {
    const { method, params } = fieldsOf(message)
    const scopes = typeof method === 'string' && Object.hasOwn(byMethod, method) ? byMethod[method] : undefined
    return scopes?.(catalogue, fieldsOf(params)) ?? []
  })
  return [...new Set(needed)]
}

function ofResource(catalogue: Catalogue, { uri }: Params): readonly Scope[] {
  return typeof uri === 'string' ? scopesOfResource(catalogue, uri) : []
}

const fieldsOf = (value: unknown): Params => Object(value)
