/** What an endpoint offers: tools, resources, prompts, and completion of their arguments. */
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
  /** What the protocol's library knows of it: its id, `_meta`, what its client answered to questions. */
  readonly request: ServerContext['mcpReq']
  /** Whether the client can show its user a form: then the answer may be a question (`input_required`). */
  readonly canAsk: boolean
}

export type Arguments = { readonly [name: string]: unknown }
export type Page<T> = { readonly items: readonly T[]; readonly next?: string }
type Asking<T> = Promise<T | InputRequiredResult>

/** Methods of an offer answer null for what is not theirs, so that offers stand beside each other. */
export type Offer = {
  tools(caller: Caller): readonly Tool[]
  callTool(exchange: Exchange, name: string, given: Arguments): Asking<CallToolResult> | null
  /** Fails with `validation_error` for a cursor that no page had. */
  resources(caller: Caller, cursor?: string): Promise<Page<Resource>>
  readonly templates: readonly ResourceTemplateType[]
  readResource(exchange: Exchange, uri: string): Asking<ReadResourceResult> | null
  /** Whether the caller may be told when a resource changes. */
  canWatch(caller: Caller, uri: string): Promise<boolean>
  readonly prompts: readonly Prompt[]
  getPrompt(exchange: Exchange, name: string, given: Arguments): Asking<GetPromptResult> | null
  /** The values of an argument that begin with what is there, the best first. */
  complete(caller: Caller, params: CompleteRequestParams): Promise<readonly string[]> | null
}
