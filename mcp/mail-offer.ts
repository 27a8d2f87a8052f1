/** What the service itself offers: its operations as tools, and what they show as resources. */
import { operations } from '../operations/all.ts'
import { callTool } from './call.ts'
import { complete } from './completion.ts'
import type { Offer } from './offer.ts'
import { getPrompt, prompts } from './prompts.ts'
import { canWatch, listResources, readResource, templates } from './resources.ts'
import { toolsOf } from './tools.ts'

export function mailOffer(): Offer {
  const tools = toolsOf(operations)
  const listed = [...tools.values()].map((tool) => tool.listed)
  return {
    tools: () => listed,
    callTool(exchange, name, given) {
      const bound = tools.get(name)
      return bound === undefined ? null : callTool(exchange, bound, given)
    },
    resources: listResources,
    templates,
    canWatch,
    readResource: ({ caller }, uri) => readResource(caller, tools, uri),
    prompts,
    getPrompt: ({ caller }, name, given) => getPrompt(caller, name, given),
    complete(caller, params) {
      const { ref } = params
      const isOurs =
        ref.type === 'ref/prompt'
          ? prompts.some(({ name }) => name === ref.name)
          : templates.some(({ uriTemplate }) => uriTemplate === ref.uri)
      return isOurs ? complete(caller, params) : null
    },
  }
}
