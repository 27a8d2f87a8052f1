/** The offers of an endpoint: tools, resources, prompts, and completion of their arguments. */
import type {
  CallToolResult,
  CompleteRequestParams,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server'
import type { Caller } from './caller.ts'

/** One request of a client that is being answered. */
export type Exchange = {
  readonly caller: Caller
  /** The request as the protocol's library sees it: its id, `_meta`, and the client's answers to questions. */
  readonly request: ServerContext['mcpReq']
  /** Whether the client can show its user a form: if so, the answer may be a question (`input_required`). */
  readonly canAsk: boolean
}

export type Arguments = { readonly [name: string]: unknown }
export type Page<T> = { readonly items: readonly T[]; readonly next?: string }
type OrInputRequired<T> = Promise<T | InputRequiredResult>

/** Methods of an offer return null for names that are not theirs, so that several offers can be combined. */
export type Offer = {
  tools(caller: Caller): readonly Tool[]
  callTool(exchange: Exchange, name: string, given: Arguments): OrInputRequired<CallToolResult> | null
  /** Fails with `validation_error` for a cursor that no page returned. */
  resources(caller: Caller, cursor?: string): Promise<Page<Resource>>
  readonly templates: readonly ResourceTemplateType[]
  readResource(exchange: Exchange, uri: string): OrInputRequired<ReadResourceResult> | null
  /** Whether the caller may be notified when a resource changes. */
  canSubscribe(caller: Caller, uri: string): Promise<boolean>
  readonly prompts: readonly Prompt[]
  getPrompt(exchange: Exchange, name: string, given: Arguments): OrInputRequired<GetPromptResult> | null
  /** The values of an argument that begin with the text typed so far, the best first. */
  complete(caller: Caller, params: CompleteRequestParams): Promise<readonly string[]> | null
}
