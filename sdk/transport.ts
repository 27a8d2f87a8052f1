/**
 * How requests are made, with what Node 18, Bun, Deno, browsers and edge runtimes all have. A request is made again only where
 * that cannot do a thing twice: it was refused (429), it reads or replaces, or it carries an idempotency key, which every
 * send and creation gets by itself.
 */
import { ApiError, ConnectionError, isRecord } from './errors.ts'
import { readEvents } from './event-stream.ts'
import type { MailroomEvent } from './generated/types.ts'
import { pause } from './pause.ts'

export type MailroomOptions = {
  /** The API key, or an OAuth access token. Default: the environment variable MAILROOM_API_KEY. */
  readonly apiKey?: string
  /**
   * In a page of the service itself, in place of a key: what `session.get()` tells. The browser sends the cookie of the session, and
   * this goes with all that changes something (X-CSRF-Token).
   */
  readonly csrfToken?: string
  /** Where the service is, such as `https://mail.example.com`. Default: MAILROOM_BASE_URL, else http://127.0.0.1:8080. */
  readonly baseUrl?: string
  /** How often a request is made again. Default: 2. */
  readonly retries?: number
  /**
   * How long an answer may take, and each piece of a file after the one before; a request that waits for mail has as much more.
   * Default: 60,000.
   */
  readonly timeoutMs?: number
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Makes requests in place of the runtime's own `fetch`. */
  readonly fetch?: typeof fetch
  /** Hears of every answer, as for logs. */
  readonly onAnswer?: (answer: AnswerInfo) => void
}

export type AnswerInfo = {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly requestId: string | null
  /** Whether an earlier request with the same idempotency key had done it. */
  readonly isReplayed: boolean
  /** How often the request was made before. */
  readonly retries: number
}

export type RequestOptions = {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly retries?: number
  /** A repeat with the same key gets the first answer. Default: one of its own for each call that sends or creates. */
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type DownloadOptions = RequestOptions & {
  /** The `etag` of a file that is there already: as long as it is still the same, nothing of it is sent, and `isUnchanged` says so. */
  readonly ifNoneMatch?: string
}

export type ApiRequest = {
  readonly method: string
  readonly path: string
  readonly query?: object
  readonly body?: object
  /** Whether the service respects an idempotency key here. */
  readonly isIdempotent?: boolean
  /** Whether it answers when something happens: `timeout` or `wait` seconds later at most. */
  readonly waits?: boolean
}

/** What an answer holds: JSON, a file of any type, or events without end. Those who take the latter two read them. */
type AnswerBody = 'json' | 'file' | 'events'

const defaultBaseUrl = 'http://127.0.0.1:8080'
const defaultTimeoutMs = 60_000
/** The longest time of a timer, some 24 days; a longer one would be over at once. */
const timerMaxMs = 2 ** 31 - 1
const defaultRetries = 2
const firstPauseMs = 250
/** A longer wait than this is for the caller to decide on. */
const pauseMaxMs = 30_000

/** A file as it arrives. */
export class Download {
  readonly contentType: string
  /** The name to save it under, where it has one. */
  readonly name: string | null
  /** Bytes, where the service tells them before. */
  readonly size: number | null
  readonly etag: string | null
  /** Whether it is still the one that `ifNoneMatch` names; its body is empty then. */
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

  /** The bytes as they come; they can be read once. */
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

/** The first page, when it is awaited; all items, page by page, when it is iterated. */
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

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages())
      yield* (page as Readonly<Record<string, readonly Item[]>>)[this.#itemsName] ?? []
  }

  /** Page by page. */
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

  /** Throws a TypeError where `baseUrl` is no address. */
  constructor(options: MailroomOptions) {
    this.#options = options
    const baseUrl = options.baseUrl ?? (environment('MAILROOM_BASE_URL') || defaultBaseUrl)
    if (!/^https?:\/\/[^/]/i.test(baseUrl))
      throw new TypeError(`"${baseUrl}" is no address of a service: write "baseUrl" like https://mail.example.com.`)
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

  /** Makes a request until it is answered with a success. */
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
      if (value !== undefined && value !== null) url.searchParams.append(name, String(value))
    return url.href
  }

  #init({ method, body, isIdempotent = false }: ApiRequest, { headers, idempotencyKey }: RequestOptions): RequestInit {
    const apiKey = (this.#options.apiKey ?? environment('MAILROOM_API_KEY'))?.trim()
    // Who makes the request would tell the key with what is wrong with it.
    if (apiKey !== undefined && /[^\x21-\x7e]/.test(apiKey))
      throw new TypeError('The API key has characters that no key has: pass it as it was shown.')
    const { csrfToken } = this.#options
    const key = idempotencyKey ?? (isIdempotent ? newIdempotencyKey() : undefined)
    return {
      method,
      // Edge runtimes have no `error`.
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
      ...(body !== undefined && { body: JSON.stringify(body) }),
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
    /** What the network fails at. Errors of the caller, as of `onAnswer`, are no such thing: nothing is asked again for them. */
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
          `${new URL(url).origin} leads elsewhere, where the key is not sent: set "baseUrl" to that address.`,
        )
      if (body === 'file' && response.status === notModified) return response
      if (!response.ok) throw new ApiError(response.status, await jsonOf(response), response.headers)
      // JSON is short, and part of its answer: a cut in its middle is found here, where the request may be made again.
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

/** What `next` of a page is passed as: events are read forward too. */
const placeName = ({ after, wait }: { readonly after?: string | null; readonly wait?: number | null } = {}) =>
  (after ?? null) === null && (wait ?? 0) === 0 ? 'before' : 'after'

/** The last of each name counts: `fetch` would join `Idempotency-Key` and `idempotency-key` to a third value. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** No secret, so it needs no cryptography, which Node 18 and pages without TLS do not have. */
const newIdempotencyKey = () => `sdk-${Date.now().toString(36)}-${randomPart()}${randomPart()}`
const randomPart = () => Math.random().toString(36).slice(2)

/** A part of a path: one percent-encoded segment. */
export function segment(text: string): string {
  if (text === '' || text === '.' || text === '..') throw new TypeError(`"${text}" is no id, name or address.`)
  return encodeURIComponent(text)
}

/** How long to wait before a request is made again; null when it may not be. */
function pauseBefore(error: unknown, { method, isIdempotent = false }: ApiRequest, tried: number): number | null {
  const isSafe = method === 'GET' || method === 'PUT' || isIdempotent
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

/** Browsers do not tell the status of such an answer. */
const isElsewhere = ({ type, status, headers }: Response) =>
  type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('location'))

type Reading = {
  /** Ends the request. */
  readonly ending: AbortController
  /** How long a piece may take. */
  readonly limitMs: number
  /** Called when nothing more is read. */
  release(): void
}

/** The body of a file. Reading it rejects with ConnectionError where it is cut or stands still, or the reason of the signal. */
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
        const late = new ConnectionError(`Nothing more of the file came within ${limitMs} ms.`)
        const timer = setTimeout(() => ending.abort(late), limitMs)
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          release()
          controller.close()
        } catch (error) {
          release()
          throw signal.aborted ? signal.reason : new ConnectionError('The file was cut.', { cause: error })
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

/** RFC 6266: the extended form goes before the plain one. */
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

/** A variable of the environment, where the runtime has one. */
function environment(name: string): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  }
  return process?.env?.[name]
}
