/** The server of one exchange: the protocol's library with a handler for each method, which calls the offers. */
import {
  type CacheHint,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type Implementation,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { type Caller, countProtocolRequest } from './caller.ts'
import { withSoleMailbox } from './credential.ts'
import type { Exchange, Offer } from './offer.ts'
import { withProgress } from './progress.ts'
import { protocolError } from './refusals.ts'

export type Serving = {
  readonly offers: readonly Offer[]
  readonly identity: Implementation
  readonly validator: AjvJsonSchemaValidator
  readonly instructions: string
  /** How often a call in progress notifies a client that asked for progress. */
  readonly progressMs: number
}

export type ExchangeOptions = {
  readonly caller: Caller
  /** Whether the answer may be a stream, on which notifications and questions reach the client before the result. */
  readonly streams: boolean
  /** The method of the only request to answer; default: any. */
  readonly only?: unknown
  /** Runs the call so that another request can cancel it; default: only the end of its connection does. */
  run?<T>(id: string | number, call: (cancelled: AbortSignal) => Promise<T>): Promise<T>
}

/** The prompts never change. */
const capabilities: ServerCapabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
}

const minuteMs = 60_000
/** How long a client, and nobody else, may cache an answer. Clients that listen are notified of earlier changes. */
const cacheHints = {
  'server/discover': kept(60 * minuteMs),
  'tools/list': kept(5 * minuteMs),
  'prompts/list': kept(60 * minuteMs),
  'resources/list': kept(minuteMs),
  'resources/templates/list': kept(60 * minuteMs),
  'resources/read': kept(0),
} as const

/** How long a person may take to answer a question in an earlier revision; the call waits for the answer. */
const answerMs = 10 * minuteMs
const completionsMax = 100

/** Creates the server that answers one exchange. */
export function serverOf(serving: Serving, { caller, streams, only, run }: ExchangeOptions): Server {
  const { identity, instructions, offers, progressMs, validator } = serving
  const server = new Server(identity, {
    capabilities,
    instructions,
    cacheHints,
    jsonSchemaValidator: validator,
    inputRequired: { roundTimeoutMs: answerMs },
  })
  const exchangeOf = ({ mcpReq: request }: ServerContext, cancelled?: AbortSignal): Exchange => ({
    caller: cancelled === undefined ? caller : { ...caller, hungUp: AbortSignal.any([caller.hungUp, cancelled]) },
    request,
    // In the newest revision the answer itself is the question; before, the question goes out on the stream of the call.
    canAsk: (streams || request.envelope !== undefined) && canShowForms(declaredTo(server, request)),
  })
  const failing = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      throw protocolError(caller.ctx, error)
    }
  }

  // Each handler costs several objects of the library, so a server that answers one request registers only the handler of its method.
  const answers = (method: string) => only === undefined || only === method
  if (answers('tools/list'))
    server.setRequestHandler('tools/list', async () => ({
      tools: await withSoleMailbox(
        caller,
        offers.flatMap((offer) => offer.tools(caller)),
      ),
    }))
  if (answers('tools/call'))
    server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }, context) =>
      failing(() => {
        const { id } = context.mcpReq
        const call = async (cancelled?: AbortSignal) => {
          const exchange = exchangeOf(context, cancelled)
          const answer = firstOf(offers, (offer) => offer.callTool(exchange, name, given))
          if (answer === null) {
            await countProtocolRequest(caller)
            throw invalid(`There is no tool ${name}.`)
          }
          return streams ? await withProgress(exchange, { everyMs: progressMs, given }, answer) : await answer
        }
        return run === undefined ? call() : run(id, call)
      }),
    )
  if (answers('resources/list'))
    server.setRequestHandler('resources/list', ({ params }) =>
      failing(async () => {
        const pages = await Promise.all(offers.map((offer) => offer.resources(caller, params?.cursor)))
        const next = pages.find((page) => page.next !== undefined)?.next
        return { resources: pages.flatMap(({ items }) => items), ...(next !== undefined && { nextCursor: next }) }
      }),
    )
  if (answers('resources/templates/list'))
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: offers.flatMap(({ templates }) => templates),
    }))
  if (answers('resources/read'))
    server.setRequestHandler('resources/read', ({ params: { uri } }, context) =>
      failing(async () => {
        const answer = firstOf(offers, (offer) => offer.readResource(exchangeOf(context), uri))
        if (answer === null) throw invalid('There is no such resource.', { uri })
        return answer
      }),
    )
  if (answers('prompts/list'))
    server.setRequestHandler('prompts/list', () => ({ prompts: offers.flatMap(({ prompts }) => prompts) }))
  if (answers('prompts/get'))
    server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }, context) =>
      failing(async () => {
        const answer = firstOf(offers, (offer) => offer.getPrompt(exchangeOf(context), name, given))
        if (answer === null) throw invalid(`There is no prompt ${name}.`)
        return answer
      }),
    )
  if (answers('completion/complete'))
    server.setRequestHandler('completion/complete', ({ params }) =>
      failing(async () => {
        const found = (await firstOf(offers, (offer) => offer.complete(caller, params))) ?? []
        const values = found.slice(0, completionsMax)
        return { completion: { values, total: found.length, hasMore: found.length > values.length } }
      }),
    )
  return server
}

function kept(ttlMs: number): CacheHint {
  return { ttlMs, cacheScope: 'private' }
}

function firstOf<T>(offers: readonly Offer[], ask: (offer: Offer) => T | null): T | null {
  for (const offer of offers) {
    const answer = ask(offer)
    if (answer !== null) return answer
  }
  return null
}

function invalid(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data)
}

/** The capabilities of the client: since 2026-07-28 each request states them, before that the first one of a session. */
function declaredTo(server: Server, { envelope }: ServerContext['mcpReq']): ClientCapabilities | undefined {
  if (envelope === undefined) return server.getClientCapabilities()
  return (envelope as { readonly [key: string]: ClientCapabilities | undefined })[CLIENT_CAPABILITIES_META_KEY]
}

/** An empty `elicitation` means forms, as in revisions that had nothing else. */
export function canShowForms(declared: ClientCapabilities | undefined): boolean {
  const { elicitation } = declared ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}
