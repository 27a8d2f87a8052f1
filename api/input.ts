/** From an HTTP request to an operation's input. */
import type { IncomingMessage } from 'node:http'
import type { Parsing } from '../core/parsing/parsing.ts'
import type { InvokeRequest } from '../operations/invoke.ts'
import { type Field, fieldsOf, type Operation } from '../operations/registry.ts'
import { Failure } from '../schemas/failures.ts'
import type { Moving, UnderWay } from './under-way.ts'

/** What is still read and thrown away of a body that is too large, so that the peer gets to read the answer. */
const discardBytesMax = 64 * 1024 * 1024
const discardMs = 5_000
/** Bodies beyond this are not put together in one go. */
const longBytes = 256 * 1024

/**
 * Puts path, query and body together as the operation's input. A name from the wrong place is unknown there: fails with
 * `validation_error`. Query texts become the numbers and booleans their schemas ask for; what is none is left to the schema.
 */
export function inputOf(
  operation: Operation,
  {
    path,
    query,
    body,
  }: { path: InvokeRequest['path']; query: URLSearchParams; body: { readonly [field: string]: unknown } },
): { readonly [field: string]: unknown } {
  const fields = new Map(fieldsOf(operation).map((field) => [field.name, field]))
  const refuse = (name: string, text: string) => {
    throw new Failure('validation_error', `${text} "${name}".`, { param: name })
  }
  const asked = new Map<string, unknown>()
  for (const [name, text] of query) {
    const field = fields.get(name)
    if (field?.from !== 'query') refuse(name, 'Unknown query parameter')
    else if (asked.has(name)) refuse(name, 'Two values for the query parameter')
    else asked.set(name, queryValue(field, text))
  }
  for (const name of Object.keys(body)) if (fields.get(name)?.from !== 'body') refuse(name, 'Unknown field')
  return { ...body, ...Object.fromEntries(asked), ...path }
}

function queryValue({ schema }: Field, text: string): unknown {
  const { type } = schema
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

type BodyOptions = { readonly limitBytes: number; readonly parsing: Parsing; readonly underWay: UnderWay }

/**
 * Reads a JSON object; no body at all is `{}`. Stops at `limitBytes`; what is long is parsed in a thread of `parsing`. Fails
 * with `payload_too_large`, `unavailable` (too many long ones come at once), or `invalid_request` for another media type, bad
 * UTF-8, bad JSON or no object.
 */
export async function readJsonObject(
  request: IncomingMessage,
  options: BodyOptions,
): Promise<{ readonly [field: string]: unknown }> {
  const value = await readJson(request, options)
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure('invalid_request', 'The body must be a JSON object.')
  return value as { readonly [field: string]: unknown }
}

/** Reads a JSON body, undefined without one; fails like `readJsonObject`. */
export async function readJson(
  request: IncomingMessage,
  { limitBytes, parsing, underWay }: BodyOptions,
): Promise<unknown> {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return undefined
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    throw new Failure('invalid_request', `Content-Encoding ${encoding} is not understood.`)
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (mediaType !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(mediaType))
    throw new Failure('invalid_request', 'The body must have the content type application/json.')
  const { bytes, moving } = await readBody(request, { limitBytes, underWay })
  if (bytes.length === 0) return undefined
  const parsed = await parsing.run('json', { raw: bytes }).finally(() => moving?.done())
  // Why is not said: the text of the error would quote the body.
  if (parsed === null) throw new Failure('invalid_request', 'The body is not well-formed JSON in UTF-8.')
  return parsed.value
}

async function readBody(
  request: IncomingMessage,
  { limitBytes, underWay }: Pick<BodyOptions, 'limitBytes' | 'underWay'>,
): Promise<{ readonly bytes: Buffer; readonly moving: Moving | null }> {
  const refused = (failure: unknown) => {
    discard(request)
    return failure
  }
  const tooLarge = () => refused(new Failure('payload_too_large', `The body is larger than ${limitBytes} bytes.`))
  const noted = (bytes: number) => {
    try {
      return underWay.add(request.socket, bytes)
    } catch (error) {
      throw refused(error)
    }
  }
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limitBytes) throw tooLarge()
  let moving = announced > longBytes ? noted(announced) : null
  // A long body whose length is known is put together as it comes, where the thread that parses it can read it.
  const whole = moving === null ? null : Buffer.from(new SharedArrayBuffer(announced))
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    const settle = () => request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
    const fail = (failure: unknown) => {
      settle()
      moving?.done()
      reject(failure)
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > limitBytes) return fail(tooLarge())
      if (whole === null) chunks.push(chunk)
      else chunk.copy(whole, length - chunk.length)
      try {
        // Of one that does not say how long it is nobody knows how long it becomes.
        if (length > longBytes) moving ??= noted(limitBytes)
        moving?.moved()
      } catch (error) {
        fail(error)
      }
    }
    const onEnd = () => {
      settle()
      resolve({ bytes: whole?.subarray(0, length) ?? Buffer.concat(chunks, length), moving })
    }
    const onClose = () => fail(new Failure('invalid_request', 'The body ended early.'))
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

/** Reads on without keeping anything, for a while: a connection that is closed on unread data loses the answer. */
function discard(request: IncomingMessage): void {
  let left = discardBytesMax
  const timer = setTimeout(() => request.destroy(), discardMs).unref()
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.once('close', () => clearTimeout(timer))
  request.once('end', () => clearTimeout(timer))
  request.resume()
}
