/** The offers of the service itself: its operations as tools, and their data as resources. */
import { callTool } from './call.ts'
import { requireKnownCaller } from './caller.ts'
import { complete } from './completion.ts'
import { listTools } from './credential.ts'
import type { Offer } from './offer.ts'
import { getPrompt, prompts } from './prompts.ts'
import { canSubscribe, listResources, readResource, templates } from './resources.ts'

const tools: Pick<Offer, 'tools' | 'callTool'> = {
  tools: listTools,
  callTool(exchange, name, given) {
    const bound = exchange.caller.catalogue.get(name)
    return bound === undefined ? null : callTool(exchange, bound, given)
  },
}

/** The offer for callers with a key. */
export const mailOffer: Offer = {
  ...tools,
  resources: (caller, cursor) => listResources(requireKnownCaller(caller), cursor),
  templates,
  canSubscribe: (caller, uri) => canSubscribe(requireKnownCaller(caller), uri),
  readResource: ({ caller }, uri) => readResource(requireKnownCaller(caller), uri),
  prompts,
  getPrompt: ({ caller }, name, given) => getPrompt(requireKnownCaller(caller), name, given),
  complete(caller, params) {
    const { ref } = params
    const isOurs =
      ref.type === 'ref/prompt'
        ? prompts.some(({ name }) => name === ref.name)
        : templates.some(({ uriTemplate }) => uriTemplate === ref.uri)
    return isOurs ? complete(requireKnownCaller(caller), params) : null
  },
}

/** The offer for callers without a key: the one tool with which they get one. */
export const signupOffer: Offer = {
  ...tools,
  resources: async () => ({ items: [] }),
  templates: [],
  canSubscribe: async () => false,
  readResource: () => null,
  prompts: [],
  getPrompt: () => null,
  complete: () => null,
}
