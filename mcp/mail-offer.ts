/** The offers of the service itself: its operations as tools, and their data as resources. */
import { callTool } from './call.ts'
import { known } from './caller.ts'
import { complete } from './completion.ts'
import { listTools } from './credential.ts'
import type { Offer } from './offer.ts'
import { getPrompt, prompts } from './prompts.ts'
import { canWatch, listResources, readResource, templates } from './resources.ts'

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
  resources: (caller, cursor) => listResources(known(caller), cursor),
  templates,
  canWatch: (caller, uri) => canWatch(known(caller), uri),
  readResource: ({ caller }, uri) => readResource(known(caller), uri),
  prompts,
  getPrompt: ({ caller }, name, given) => getPrompt(known(caller), name, given),
  complete(caller, params) {
    const { ref } = params
    const isOurs =
      ref.type === 'ref/prompt'
        ? prompts.some(({ name }) => name === ref.name)
        : templates.some(({ uriTemplate }) => uriTemplate === ref.uri)
    return isOurs ? complete(known(caller), params) : null
  },
}

/** The offer for callers without a key: the one tool with which they get one. */
export const signupOffer: Offer = {
  ...tools,
  resources: async () => ({ items: [] }),
  templates: [],
  canWatch: async () => false,
  readResource: () => null,
  prompts: [],
  getPrompt: () => null,
  complete: () => null,
}
