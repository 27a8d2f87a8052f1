/**
 * The transport of requests, using only what Node 18, Bun, Deno, browsers and edge runtimes have in common. A request is retried only if
 * that cannot do anything twice: it was refused (429), it reads, waits or replaces, or it has an idempotency key, which every call that
 * sends or creates gets automatically. A wait that claims may claim one message more; a claim that nobody knows of ends by itself.
 */
import { ApiError, ConnectionError, isRecord } from './errors.ts'
import { readEvents } from './event-stream.ts'
import type { MailroomEvent } from './generated/types.ts'
import { pause } from './pause.ts'

export type MailroomOptions = {
  /** The API key, or an OAuth access token. Default: the environment variable MAILROOM_API_KEY. */
  readonly apiKey?: string
  /**
   * For a page of the service itself, instead of a key: the token that `session.get()` returns. The browser sends the session cookie, and
   * every request that changes something carries this token (X-CSRF-Token).
   */
  readonly csrfToken?: string
  /** The address of the service, such as `https://mail.example.com`. Default: MAILROOM_BASE_URL, else http://127.0.0.1:8080. */
  readonly baseUrl?: string
  /** How often a request is retried. Default: 2. */
  readonly retries?: number
  /**
   * How long an answer may take, and each further piece of a file; a request that waits for mail may take that much longer. Default:
   * 60,000.
   */
  readonly timeoutMs?: number
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Makes requests instead of the runtime's own `fetch`. */
  readonly fetch?: typeof fetch
  /** Called for every answer, for example to log it. */
  readonly onAnswer?: (answer: AnswerInfo) => void
}

export type AnswerInfo = {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly requestId: string | null
  /** Whether the answer is that of an earlier request with the same idempotency key. */
  readonly isReplayed: boolean
  /** How often the request was retried. */
  readonly retries: number
}

export type RequestOptions = {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly retries?: number
  /** A repeat with the same key gets the first answer. Default: a new key for each call that sends or creates. */
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type DownloadOptions = RequestOptions & {
  /** The `etag` of a file that you already have: if the file has not changed, it is not sent, and `isUnchanged` is true. */
  readonly ifNoneMatch?: string
}

export type ApiRequest = {
  readonly method: string
  readonly path: string
  readonly query?: object
  readonly body?: object
  /** Whether the service honours an idempotency key here. */
  readonly isIdempotent?: boolean
  /** Whether it waits for something to happen, for up to `timeout` or `wait` seconds. */
  readonly waits?: boolean
}

/** The body of an answer: JSON, a file of any type, or an endless stream of events. The caller reads the latter two. */
type AnswerBody = 'json' | 'file' | 'events'

const defaultBaseUrl = 'http://127.0.0.1:8080'
const defaultTimeoutMs = 60_000
/** The longest time of a timer, some 24 days; a longer one would fire at once. */
const timerMaxMs = 2 ** 31 - 1
const defaultRetries = 2
const firstPauseMs = 250
/** Longer pauses than this are left to the caller. */
const pauseMaxMs = 30_000

/** A file that is being received. */
export class Download {
  readonly contentType: string
  /** The name to save it under, if it has one. */
  readonly name: string | null
  /** The size in bytes, if the service announces it. */
  readonly size: number | null
  readonly etag: string | null
  /** Whether it is unchanged since `ifNoneMatch`; if so, its body is empty. */
  readonly isUnchanged: boolean
  readonly #response: Response

  constructor(response: Response) {
    const { headers } = response
    this.#response = response
    this.contentType = headers.get('content-type') ?? 'application/octet-stream'
    this.name = fileName(headers.get('content-disposition') ?? '')
    const length = headers.get('content-length')
    this.size = length === null ? null : Number(length)
    this.etag = headers.get('etag')
    this.isUnchanged = response.status === notModified
  }

  /** The bytes as they arrive; they can be read only once. */
  get body(): ReadableStream<Uint8Array> {
    return this.#response.body ?? new ReadableStream({ start: (controller) => controller.close() })
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.#response.arrayBuffer())
  }

  text(): Promise<string> {
    return this.#response.text()
  }
}

/** A list: awaiting it gives the first page, iterating it gives all items, page by page. */
export class PageList<Page, Item> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #load: (place: string | null) => Promise<Page>
  readonly #itemsName: string

  constructor(itemsName: string, load: (place: string | null) => Promise<Page>) {
    this.#itemsName = itemsName
    this.#load = load
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list gives its first page.
  then<R = Page, E = never>(
    resolved?: ((page: Page) => R | PromiseLike<R>) | null,
    rejected?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    return this.#load(null).then(resolved, rejected)
  }

  catch<E = never>(rejected?: ((reason: unknown) => E | PromiseLike<E>) | null): Promise<Page | E> {
    return this.then(null, rejected)
  }

  finally(settled?: (() => void) | null): Promise<Page> {
    return this.then().finally(settled)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages())
      yield* (page as Readonly<Record<string, readonly Item[]>>)[this.#itemsName] ?? []
  }

  /** The pages, one at a time. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let place: string | null = null
    do {
      const page: Page = await this.#load(place)
      yield page
      place = (page as { readonly next?: string | null }).next ?? null
    } while (place !== null)
  }
}

/** Methods on one resource. */
export class Group {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  protected call<Result>(request: ApiRequest, options?: RequestOptions): Promise<Result> {
    return this.#transport.json<Result>(request, options)
  }

  protected pages<Page, Item>(itemsName: string, request: ApiRequest, options?: RequestOptions): PageList<Page, Item> {
    return new PageList(itemsName, (place) => {
      const query = place === null ? request.query : { ...request.query, [placeName(request.query)]: place }
      return this.#transport.json<Page>({ ...request, ...(query !== undefined && { query }) }, options)
    })
  }

  protected async download(request: ApiRequest, { ifNoneMatch, ...options }: DownloadOptions = {}): Promise<Download> {
    const condition: Readonly<Record<string, string>> =
      ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }
    const headers = { ...options.headers, ...condition }
    return new Download(await this.#transport.send(request, { ...options, headers }, 'file'))
  }

  protected eventStream(request: ApiRequest, options?: RequestOptions): AsyncIterable<MailroomEvent> {
    return readEvents(
      (headers, signal) => this.#transport.send(request, { ...options, headers, signal }, 'events'),
      options,
    )
  }
}

export class Transport {
  readonly #options: MailroomOptions
  readonly #baseUrl: string

  /** Throws a TypeError if `baseUrl` is not an http or https URL, or one within the API, such as the `base_url` of a signup. */
  constructor(options: MailroomOptions) {
    this.#options = options
    const baseUrl = options.baseUrl ?? (environment('MAILROOM_BASE_URL') || defaultBaseUrl)
    if (!/^https?:\/\/[^/]/i.test(baseUrl))
      throw new TypeError(
        `"${baseUrl}" is not the address of a service: write "baseUrl" like https://mail.example.com.`,
      )
    const within = /^(.+?)\/+api\/(?:v1|mcp)(?![^/])/.exec(baseUrl)
    if (within !== null)
      throw new TypeError(`"${baseUrl}" is an address within the API: write "baseUrl" as ${within[1]}.`)
    this.#baseUrl = baseUrl.replace(/\/+$/, '')
  }

  /** Makes a request whose answer is JSON. Rejects with ApiError, ConnectionError, or the reason of the signal. */
  async json<Result>(request: ApiRequest, options?: RequestOptions): Promise<Result> {
    const answer = await jsonOf(await this.send(request, options))
    if (!isRecord(answer))
      throw new ConnectionError(
        `What answers at ${this.#baseUrl} is not the API: set "baseUrl" to the address of the service, without a path.`,
      )
    const { success: _, ...result } = answer
    return result as Result
  }

  /** Makes a request, and retries it until it succeeds. */
  async send(request: ApiRequest, options: RequestOptions = {}, body: AnswerBody = 'json'): Promise<Response> {
    const { retries = this.#options.retries ?? defaultRetries } = options
    const url = this.#url(request)
    const init = this.#init(request, options)
    for (let tried = 0; ; tried += 1) {
      try {
        return await this.#attempt(url, init, { ...this.#limits(request, options), body, tried })
      } catch (error) {
        options.signal?.throwIfAborted()
        const pauseMs = tried < retries ? pauseBefore(error, request, tried) : null
        if (pauseMs === null) throw error
        await pause(pauseMs, options.signal)
      }
    }
  }

  #url({ path, query }: ApiRequest): string {
    const url = new URL(`${this.#baseUrl}${path.startsWith('/api/') ? path : `/api/v1${path}`}`)
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined && value !== null) url.searchParams.append(name, textOf(name, value))
    return url.href
  }

  #init({ method, body, isIdempotent = false }: ApiRequest, { headers, idempotencyKey }: RequestOptions): RequestInit {
    const apiKey = (this.#options.apiKey ?? environment('MAILROOM_API_KEY'))?.trim()
    // Checked here, because the error of `fetch` would contain the key.
    if (apiKey !== undefined && /[^\x21-\x7e]/.test(apiKey))
      throw new TypeError('The API key contains characters that no key has: pass it exactly as it was shown.')
    const { csrfToken } = this.#options
    const key = idempotencyKey ?? (isIdempotent ? newIdempotencyKey() : undefined)
    // Checked here, because the error of `fetch` would look like one of the connection.
    if (key !== undefined && /[^\t\x20-\x7e\x80-\xff]/.test(key))
      throw new TypeError(
        'The idempotency key contains a character that a header cannot carry: write it in ASCII, or use a hash of it.',
      )
    return {
      method,
      // Edge runtimes do not support `error`.
      redirect: 'manual',
      headers: lowerCased({
        accept: 'application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(csrfToken !== undefined && method !== 'GET' && { 'x-csrf-token': csrfToken }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...this.#options.headers,
        ...headers,
      }),
      ...(body !== undefined && { body: JSON.stringify(body, checked) }),
    }
  }

  #limits({ query, body, waits = false }: ApiRequest, { signal, timeoutMs }: RequestOptions) {
    const { timeout, wait } = { ...query, ...body } as {
      readonly timeout?: number | null
      readonly wait?: number | null
    }
    const waitedMs = waits ? (timeout ?? wait ?? longestWaitSeconds) * 1_000 : 0
    const limitMs = Math.min((timeoutMs ?? this.#options.timeoutMs ?? defaultTimeoutMs) + waitedMs, timerMaxMs)
    return { signal, limitMs }
  }

  async #attempt(
    url: string,
    init: RequestInit,
    limits: {
      readonly signal: AbortSignal | undefined
      readonly limitMs: number
      readonly body: AnswerBody
      readonly tried: number
    },
  ): Promise<Response> {
    const { signal, limitMs, tried, body } = limits
    const ending = new AbortController()
    const end = () => ending.abort(signal?.reason)
    const release = () => signal?.removeEventListener('abort', end)
    let isOpen = false
    signal?.throwIfAborted()
    signal?.addEventListener('abort', end)
    const timer = setTimeout(() => ending.abort(new ConnectionError(`No answer within ${limitMs} ms.`)), limitMs)
    /** Turns network errors into ConnectionError. Errors of the caller, such as in `onAnswer`, are not among them, so they cause no retry. */
    const reached = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      try {
        return await work()
      } catch (error) {
        signal?.throwIfAborted()
        if (ending.signal.reason instanceof ConnectionError) throw ending.signal.reason
        throw new ConnectionError(`No answer from ${new URL(url).origin}: ${messageOf(error)}`, { cause: error })
      }
    }
    try {
      const fetchIt = this.#options.fetch ?? globalThis.fetch
      const response = await reached(() => fetchIt(url, { ...init, signal: ending.signal }))
      this.#options.onAnswer?.({
        method: init.method ?? 'GET',
        url,
        status: response.status,
        requestId: response.headers.get('x-request-id'),
        isReplayed: response.headers.get('idempotent-replayed') === 'true',
        retries: tried,
      })
      if (isElsewhere(response))
        throw new ConnectionError(
          `${new URL(url).origin} redirects elsewhere, and the key is not sent there: set "baseUrl" to that address.`,
        )
      if (body === 'file' && response.status === notModified) return response
      if (!response.ok) throw new ApiError(response.status, await jsonOf(response), response.headers)
      // JSON is short, so it is read here: if it is cut in the middle, the request can still be retried.
      if (body === 'json') return new Response(await reached(() => response.text()), response)
      isOpen = true
      return body === 'events' ? response : new Response(fileOf(response, { ending, limitMs, release }), response)
    } finally {
      clearTimeout(timer)
      if (!isOpen) release()
    }
  }
}

const longestWaitSeconds = 55
const notModified = 304

/** The parameter for `next` of a page; it depends on the direction, because events can also be read forwards. */
const placeName = ({ after, wait }: { readonly after?: string | null; readonly wait?: number | null } = {}) =>
  (after ?? null) === null && (wait ?? 0) === 0 ? 'before' : 'after'

/** Keeps the last header of each name: `fetch` would join `Idempotency-Key` and `idempotency-key` into a third value. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Not a secret, so it needs no cryptography, which Node 18 and pages without TLS lack. */
const newIdempotencyKey = () => `sdk-${Date.now().toString(36)}-${randomPart()}${randomPart()}`
const randomPart = () => Math.random().toString(36).slice(2)

/** A part of a path: one percent-encoded segment. */
export function segment(text: string): string {
  if (text === '' || text === '.' || text === '..') throw new TypeError(`"${text}" is not an id, name or address.`)
  return encodeURIComponent(text)
}

/** A value as the text of a query. */
const textOf = (name: string, value: unknown) => (isDate(value) ? timeOf(name, value) : String(value))

/** For JSON.stringify, which makes null of a Date that is no time: a key would then never expire. */
function checked(this: { readonly [name: string]: unknown }, name: string, value: unknown): unknown {
  const given = this[name]
  return isDate(given) ? timeOf(name, given) : value
}

/** Whether it is a Date, also of another window or context. */
const isDate = (value: unknown): value is Date => Object.prototype.toString.call(value) === '[object Date]'

function timeOf(name: string, date: Date): string {
  if (Number.isNaN(date.getTime()))
    throw new TypeError(`"${name}" is a Date that is no time: check what it is made from.`)
  return date.toISOString()
}

/** How long to wait before a retry; null if the request may not be retried. */
function pauseBefore(
  error: unknown,
  { method, isIdempotent = false, waits = false }: ApiRequest,
  tried: number,
): number | null {
  const isSafe = method === 'GET' || method === 'PUT' || isIdempotent || waits
  const growing = firstPauseMs * 2 ** tried * (0.5 + Math.random() / 2)
  if (error instanceof ConnectionError) return isSafe ? growing : null
  if (!(error instanceof ApiError)) return null
  const { statusCode, code, retryAfter } = error
  const isRefused = statusCode === 429 || code === 'idempotency_in_progress'
  if (!isRefused && !(isSafe && statusCode >= 500)) return null
  const pauseMs = retryAfter === null ? growing : Math.max(retryAfter * 1_000, growing)
  return pauseMs <= pauseMaxMs ? pauseMs : null
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    return null
  }
}

/** Whether the answer is a redirect, whose status browsers hide. */
const isElsewhere = ({ type, status, headers }: Response) =>
  type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('location'))

type Reading = {
  /** Ends the request. */
  readonly ending: AbortController
  /** How long each piece may take. */
  readonly limitMs: number
  /** Called when nothing more is read. */
  release(): void
}

/** The body of a file. Reading it rejects with ConnectionError if it is cut or stalls, or with the reason of the signal. */
function fileOf({ body }: Response, { ending, limitMs, release }: Reading): ReadableStream<Uint8Array> | null {
  if (body === null) {
    release()
    return null
  }
  const reader = body.getReader()
  const { signal } = ending
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const late = new ConnectionError(`No more of the file arrived within ${limitMs} ms.`)
        const timer = setTimeout(() => ending.abort(late), limitMs)
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          release()
          controller.close()
        } catch (error) {
          release()
          throw signal.aborted
            ? signal.reason
            : new ConnectionError('The connection was cut within the file.', { cause: error })
        } finally {
          clearTimeout(timer)
        }
      },
      async cancel(reason) {
        release()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** RFC 6266: the extended form takes precedence over the plain one. */
function fileName(disposition: string): string | null {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1]
  if (extended !== undefined) return decodeURIComponent(extended)
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replace(/\\(.)/g, '$1') ?? null
}

const messageOf = (error: unknown) =>
  error instanceof Error && error.cause instanceof Error
    ? error.cause.message
    : isRecord(error)
      ? String(error.message)
      : String(error)

/** An environment variable, if the runtime has an environment. */
function environment(name: string): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  }
  return process?.env?.[name]
}
