/** What the service itself offers: its operations as tools, and what they show as resources. */
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

/** What is offered to those who have a key. */
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

/** What is offered to those who have none: the one tool by which they get it. */
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
