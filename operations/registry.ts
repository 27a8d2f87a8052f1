/**
 * The registry of operations. Each operation is declared once; its REST route, MCP tools and OpenAPI entry are derived from the
 * declaration, and the type of its handler from its schemas.
 */

import type { AuditChange } from '../core/access/audit.ts'
import type { Principal } from '../core/access/principal.ts'
import type { Session } from '../core/access/sessions.ts'
import type { Context } from '../core/process/context.ts'
import type { TextPiece, TextRange } from '../core/read/bodies.ts'
import { Failure, type FailureCode } from '../schemas/failures.ts'
import { type JsonSchema, propertiesOf, requiredOf, type Schema } from '../schemas/infer.ts'
import type { Scope } from '../schemas/scopes.ts'
import { validate } from '../schemas/validate.ts'

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof methods)[number]
export type Route = `${Method} /${string}`

/**
 * The kind of change that a tool makes; its MCP annotations follow from it. Repeating a `delete` has no further effect, repeating a
 * `discard` may have one.
 */
export type Effect = 'read' | 'create' | 'write' | 'send' | 'delete' | 'discard'

/** How an operation shows as an MCP tool; one operation may have several. */
export type Tool = {
  readonly name: string
  /** When to use it, and when not. Default: the operation's summary. */
  readonly description?: string
  /** Default: the resource of the operation. */
  readonly toolset?: string
  readonly effect: Effect
  /** Input fields that are arguments of the tool; the others keep their defaults. */
  readonly expose: readonly string[]
  /** Descriptions of arguments for a model, in place of those of the reference. */
  readonly describe?: { readonly [field: string]: string }
  /** Arguments that the tool requires although they are optional in the operation. */
  readonly require?: readonly string[]
  /** Values of fields that the caller leaves out. */
  readonly preset?: { readonly [field: string]: unknown }
  /** The output schema; default: the operation's. One alternative of it, where the arguments of the tool rule out the others. */
  readonly output?: JsonSchema
  /** The output fields that the tool returns; default: all. A caller who changed something knows the others. */
  readonly shows?: readonly string[]
  /** The numeric field, such as `limit`, that is lowered when a result is too large. */
  readonly sizedBy?: string
}

/** Headers of the answer, filled in while a request is served; they go out with errors too. */
export type AnswerHeaders = { [name: string]: string }

/** What a handler adds to the audit entry of its request. */
export type Trail = {
  /** What was changed: its state before and after. */
  change?: AuditChange
}

/** What a handler knows of its caller; it may add to `headers`. */
export type Call<P extends Principal | null = Principal> = {
  readonly ctx: Context
  readonly principal: P
  /** The session of a person who is signed in; null for a key. */
  readonly session: Session | null
  /** Network address of the peer. */
  readonly peerAddress: string
  /** The User-Agent of the caller, bounded; empty without one. */
  readonly userAgent: string
  readonly headers: AnswerHeaders
  readonly trail: Trail
  /** Aborted when the caller has hung up and nobody reads the answer. */
  readonly hungUp: AbortSignal
  /** Finds the caller again during a long-running request. Fails if the key, session or account has ended meanwhile. */
  again(): Promise<Principal>
}

/** The call of a person who is signed in, perhaps without an account. */
export type PersonCall = Omit<Call<Principal | null>, 'session'> & { readonly session: Session }

/** The answer of an operation whose output is not JSON. */
export type Bytes = {
  readonly content: Buffer
  readonly contentType: string
  /** File name to save it under; null: it is displayed, not saved. */
  readonly name: string | null
  /** Identifies the exact bytes: different bytes have different versions. Becomes the ETag. */
  readonly version: string
  /**
   * The content security policy under which a page of ours may show it in a frame. Absent: under a policy that allows nothing.
   */
  readonly policy?: string
  /** Decodes a piece of it as text in its declared charset; null if the text ends before it. Absent: no charset is declared. */
  text?(piece: TextRange): Promise<TextPiece | null>
  /** Makes a link to it that needs no key, for MCP clients when it is too large for a result. */
  link?(): Promise<{ readonly url: string; readonly expiresAt: Date }>
}

/** A file that is read while it is sent, by ranges from the first byte to the last, so that memory does not grow with its size. */
export type StoredFile = Omit<Bytes, 'content' | 'text' | 'link'> & {
  readonly content: {
    readonly sizeBytes: number
    read(range: { readonly first: number; readonly last: number }): AsyncIterable<Buffer>
  }
}

/** The answer of an operation that continues until either side ends it: server-sent events, each piece as it is ready. */
export type EventStream = {
  readonly pieces: AsyncIterable<string>
  /** Frees what it holds; called when the peer is gone, even if no piece was ever read. */
  close(): void
}

/** Which limit the body of a request has: sends carry attachments (decisions.md 1, Sizes). */
export type BodyKind = 'ordinary' | 'send'

type Description = {
  /** `<resource>.<verb>`: also the operationId and the action in the audit. */
  readonly name: string
  readonly summary: string
  readonly http: Route
  /** 200 unless it creates (201) or accepts for sending (202). */
  readonly status?: 200 | 201 | 202
  readonly tools?: readonly Tool[]
  /** Its own failures, besides those that every operation may have. */
  readonly errors: readonly FailureCode[]
  readonly body?: BodyKind
  /** Whether Idempotency-Key is honoured (decisions.md 1, Idempotency). */
  readonly idempotent?: boolean
  /**
   * Whether an agent key or a person may get the stored answer to the same request of another caller of the account. Default: only
   * where the path names the mailbox.
   */
  readonly sharesAnswer?: boolean
  /** Whether it is written to the account's audit; default: unless it is a GET. */
  readonly audit?: boolean
}

type Declaration<I, O, C> = Description & {
  readonly input: Schema<I>
  readonly output: Schema<O>
  /** The status of outputs for which `is` returns true. */
  readonly otherwise?: { readonly status: 200; is(output: O): boolean }
  /**
   * Fails if the key may not make this request for a reason other than its scopes or the mailbox in the path. Called before anything
   * about an earlier request with the same Idempotency-Key is revealed; the handler makes this check itself.
   */
  reach?(call: C, input: I): Promise<void> | void
  /**
   * For a partner's operation that honours Idempotency-Key: the customer that a request is about; the stored answer is erased with
   * that customer. A customer that the request creates gets its id from `onceId`.
   */
  customer?(input: I, onceId: string): string
  handle(call: C, input: I): Promise<O>
}

/** An input that passed its schema, and the handler waiting for the call. */
export type Prepared = {
  readonly input: unknown
  run(call: Call<Principal | null>): Promise<unknown>
  /** Fails when the key may not make this request. */
  reach(call: Call): Promise<void>
  /** The customer that a partner's request is about; absent if it is about none. */
  customerOf?(onceId: string): string
}

/** An operation as the doors use it. */
export type Operation = {
  readonly name: string
  readonly summary: string
  readonly method: Method
  /** With its parameters in braces. */
  readonly path: string
  readonly pathFields: readonly string[]
  readonly status: 200 | 201 | 202
  /** Every status a success may have. */
  readonly statuses: readonly (200 | 201 | 202)[]
  statusOf(output: unknown): 200 | 201 | 202
  readonly access: Access
  /** Scopes the key or the role must have, all of them. */
  readonly scopes: readonly Scope[]
  readonly tools: readonly Tool[]
  readonly input: JsonSchema
  readonly output: JsonSchema
  readonly errors: readonly FailureCode[]
  readonly body: BodyKind
  readonly idempotent: boolean
  readonly sharesAnswer: boolean
  readonly audit: boolean
  /** Validates the input. Fails with `validation_error`. */
  prepare(input: unknown): Prepared
}

/**
 * Who may call an operation. Except for `public`, a key of another kind is answered `forbidden`, or `partner_key_not_allowed` if it is a
 * partner's.
 * - public: everybody, without authentication
 * - person: a person who is signed in, including one without an account
 * - administrator: a person who is signed in, whom the setting `administrators` names, whatever account the session acts on
 * - session: a person who is signed in, in an account
 * - owner: the same, with the role of an owner
 * - account: an account key, or a person who is signed in, in an account
 * - partner: a partner's key
 * - key: any key, or such a person
 */
export type Access = 'public' | 'person' | 'administrator' | 'session' | 'owner' | 'account' | 'partner' | 'key'

/** Whether an access is for people only: no key, and so no MCP client, may call such an operation. */
export const isForPeople = (access: Access): boolean =>
  access === 'person' || access === 'administrator' || access === 'session' || access === 'owner'

/** Whether it does not matter which account the caller is in, and in what state that account is. */
export const isAccountless = (access: Access): boolean => access === 'person' || access === 'administrator'

/**
 * Declares an operation on an account. It needs one scope, several, or none if `scope` is null. `by` says who may call it; default:
 * any key or person with the scopes.
 */
export function operation<I, O>(
  declaration: Declaration<I, O, Call> & {
    readonly scope: Scope | readonly Scope[] | null
    readonly by?: Exclude<Access, 'public' | 'person' | 'administrator'>
  },
): Operation {
  const { scope, by = 'key', customer } = declaration
  const scopes = scope === null ? [] : typeof scope === 'string' ? [scope] : scope
  return declare(declaration, { access: by, scopes }, (input) => ({
    async run(call) {
      if (call.principal === null) throw new Failure('missing_api_key')
      return declaration.handle({ ...call, principal: call.principal }, input)
    },
    reach: async (call) => declaration.reach?.(call, input),
    ...(customer !== undefined && { customerOf: (onceId) => customer(input, onceId) }),
  }))
}

/** Declares an operation of a person who is signed in, whether the session acts on an account or not. */
export function personOperation<I, O>(declaration: Declaration<I, O, PersonCall>): Operation {
  return declare(declaration, { access: 'person', scopes: [] }, servingPeople(declaration))
}

/** Declares an operation for administrators. A handler that changes an account also writes to the audit of that account. */
export function administratorOperation<I, O>(declaration: Declaration<I, O, PersonCall>): Operation {
  return declare(declaration, { access: 'administrator', scopes: [] }, servingPeople(declaration))
}

const servingPeople =
  <I, O>({ handle }: Pick<Declaration<I, O, PersonCall>, 'handle'>) =>
  (input: I) => ({
    async run({ session, ...call }: Call<Principal | null>) {
      if (session === null) throw new Failure('unauthorized')
      return handle({ ...call, session }, input)
    },
    reach: async () => undefined,
  })

/** Declares an operation that needs no key. */
export function publicOperation<I, O>(declaration: Declaration<I, O, Call<null>>): Operation {
  return declare(declaration, { access: 'public', scopes: [] }, (input) => ({
    run: (call) => declaration.handle({ ...call, principal: null }, input),
    reach: async () => undefined,
  }))
}

function declare<I, O, C>(
  declaration: Declaration<I, O, C>,
  { access, scopes }: Pick<Operation, 'access' | 'scopes'>,
  serving: (input: I) => Omit<Prepared, 'input'>,
): Operation {
  const { name, summary, http, input, output, errors, status = 200, otherwise } = declaration
  const space = http.indexOf(' ')
  const method = http.slice(0, space) as Method
  const path = http.slice(space + 1)
  return {
    name,
    summary,
    method,
    path,
    pathFields: [...path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1])),
    status,
    statuses: otherwise === undefined ? [status] : [status, otherwise.status],
    statusOf: (answer) => (otherwise?.is(answer as O) === true ? otherwise.status : status),
    access,
    scopes,
    tools: declaration.tools ?? [],
    input,
    output,
    errors,
    body: declaration.body ?? 'ordinary',
    idempotent: declaration.idempotent ?? false,
    sharesAnswer: declaration.sharesAnswer ?? isMailboxOperation({ path }),
    audit: access !== 'public' && (declaration.audit ?? method !== 'GET'),
    prepare(raw) {
      const valid = validate(input, raw)
      return { input: valid, ...serving(valid) }
    },
  }
}

/** The output schema of bytes of a media type. */
export const bytes = (contentMediaType: string, description: string): Schema<Bytes> => ({
  type: 'string',
  contentMediaType,
  description,
})

/** The output schema of bytes, or of a file that is read while it is sent. */
export const file = (contentMediaType: string, description: string): Schema<Bytes | StoredFile> =>
  bytes(contentMediaType, description)

/** The output schema of an event stream (HTML 9.2, server-sent events). */
export const eventStream = (description: string): Schema<EventStream> => ({
  type: 'string',
  contentMediaType: eventStreamType,
  description,
})

const eventStreamType = 'text/event-stream'

/** Whether an operation answers with an event stream. */
export const isStreamed = (operation: Operation): boolean => mediaTypeOf(operation) === eventStreamType

/** The media type of an output that is bytes or an event stream; null for JSON. */
export function mediaTypeOf(operation: Operation): string | null {
  const { contentMediaType } = operation.output
  return typeof contentMediaType === 'string' ? contentMediaType : null
}

export function isBytes(value: unknown): value is Bytes {
  return typeof value === 'object' && value !== null && Buffer.isBuffer((value as Bytes).content)
}

export function isStoredFile(value: unknown): value is StoredFile {
  return typeof value === 'object' && value !== null && typeof (value as StoredFile).content?.read === 'function'
}

export function isEventStream(value: unknown): value is EventStream {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in ((value as EventStream).pieces ?? {})
}

export type Field = {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
  readonly from: 'path' | 'query' | 'body'
}

/** The input's fields and where each comes from: the path by name, else the query of GET and DELETE, else the body. */
export function fieldsOf({ input, method, pathFields }: Operation): readonly Field[] {
  const required = new Set(requiredOf(input))
  const elsewhere = method === 'GET' || method === 'DELETE' ? 'query' : 'body'
  return Object.entries(propertiesOf(input)).map(([name, schema]) => ({
    name,
    schema,
    required: required.has(name),
    from: pathFields.includes(name) ? 'path' : elsewhere,
  }))
}

/** The operation's path with its parameters filled in. */
export function pathOf(operation: Operation, parameters: { readonly [name: string]: string }): string {
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
}

/** The prefix of the paths of the partner API (interface.md, Versioning). */
export const partnerPath = '/api/partner/'

/** Whether the operation is about one mailbox, named by `{address}` in its path. */
export function isMailboxOperation({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/api/v1/mailboxes/{address}')
}
