/** Turns an HTTP request into an operation's input. */
import type { IncomingMessage } from 'node:http'
import { jsonDepthMax } from '../core/parsing/json.ts'
import type { Parsing } from '../core/parsing/parsing.ts'
import type { InFlight, Transfer } from '../core/process/in-flight.ts'
import type { InvokeRequest } from '../operations/invoke.ts'
import { type Field, fieldsOf, type Operation } from '../operations/registry.ts'
import { Failure } from '../schemas/failures.ts'
import { twice, unknown } from '../schemas/refusals.ts'
import { quoted } from '../schemas/words.ts'

/** How much of a body that is too large is still read and discarded, so that the peer can read the answer. */
const discardBytesMax = 64 * 1024 * 1024
const discardMs = 5_000
/** Bodies longer than this are long: the total of their bytes in flight is limited. */
const longBytes = 256 * 1024

/**
 * Merges path, query and body into the operation's input. Fails with `validation_error` for a field in the wrong one of them. Query
 * texts become the numbers and booleans that their schemas require; a text of another form stays a text, which the schema then
 * refuses.
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
  const asked = new Map<string, unknown>()
  for (const [name, text] of query) {
    const field = fields.get(name)
    if (field?.from !== 'query') throw misplaced(fields, name, 'query')
    if (asked.has(name)) throw twice(name)
    asked.set(name, queryValue(field, text))
  }
  for (const name of Object.keys(body)) if (fields.get(name)?.from !== 'body') throw misplaced(fields, name, 'body')
  return { ...body, ...Object.fromEntries(asked), ...path }
}

/** The failure for a name that does not belong in the query or body of this operation. */
function misplaced(fields: ReadonlyMap<string, Field>, name: string, found: 'query' | 'body'): Failure {
  const field = fields.get(name)
  if (field === undefined) {
    const known = [...fields.values()].filter(({ from }) => from === found)
    return unknown(
      found === 'query' ? 'query parameter' : 'field',
      name,
      known.map((each) => each.name),
    )
  }
  return new Failure('validation_error', `"${name}" does not belong in the ${found}.`, {
    param: name,
    fix: `Give "${name}" in the ${field.from} only.`,
  })
}

function queryValue({ schema }: Field, text: string): unknown {
  const { type } = schema
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

type BodyOptions = { readonly limitBytes: number; readonly parsing: Parsing; readonly inFlight: InFlight }

/**
 * Reads a JSON object; a request without a body gives `{}`. Stops reading at `limitBytes`; a long body is parsed in a thread of
 * `parsing`. Fails with `payload_too_large`, `unavailable` (too many long bodies in flight), or `invalid_request` for another media
 * type, bad UTF-8, bad JSON, deeply nested JSON, a name twice in one object or a value other than an object.
 */
export async function readJsonObject(
  request: IncomingMessage,
  options: BodyOptions,
): Promise<{ readonly [field: string]: unknown }> {
  const value = await readJson(request, options)
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure('invalid_request', 'The body is JSON, but not an object.', {
      fix: 'Send one JSON object: {...}.',
    })
  return value as { readonly [field: string]: unknown }
}

/** Reads a JSON body; returns undefined if there is none. Fails as `readJsonObject`. */
export async function readJson(
  request: IncomingMessage,
  { limitBytes, parsing, inFlight }: BodyOptions,
): Promise<unknown> {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return undefined
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    throw new Failure('invalid_request', `Content-Encoding ${encoding} is not supported.`, {
      fix: 'Send the body uncompressed, without Content-Encoding.',
    })
  const mediaType = mediaTypeOf(request)
  if (mediaType !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(mediaType))
    throw new Failure('invalid_request', 'The body does not have the content type application/json.', {
      fix: 'Send JSON with the header "Content-Type: application/json".',
    })
  const { bytes, transfer } = await readBody(request, { limitBytes, inFlight })
  if (bytes.length === 0) return undefined
  const parsed = await parsing.run('json', { raw: bytes }).finally(() => transfer?.done())
  // The parser's reason is left out, because its error text quotes the body.
  if (parsed === 'malformed')
    throw new Failure('invalid_request', 'The body is not well-formed JSON in UTF-8.', {
      fix: 'Write the body with a JSON library: check for unescaped quotes and line breaks, extra commas, and other charsets.',
    })
  if (parsed === 'too deep')
    throw new Failure('invalid_request', `The body has arrays and objects in more than ${jsonDepthMax} levels.`, {
      fix: 'Nest less deeply: no field needs so many levels.',
    })
  if ('repeated' in parsed)
    throw new Failure('invalid_request', `The body has ${quoted(parsed.repeated)} twice in one object.`, {
      fix: `Give ${quoted(parsed.repeated)} once.`,
    })
  return parsed.value
}

/** Largest form; a page with all scopes chosen sends less than 8 KiB. */
const formBytes = 64 * 1024

/**
 * Reads the form of a page (application/x-www-form-urlencoded). Fails with `payload_too_large`, `unavailable`, or
 * `invalid_request` for another media type.
 */
export async function readForm(
  request: IncomingMessage,
  { inFlight }: Pick<BodyOptions, 'inFlight'>,
): Promise<URLSearchParams> {
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded')
    throw new Failure('invalid_request', 'The body is not the form of a page.', {
      fix: 'Send the form with the button of the page; programs use the API instead.',
    })
  const { bytes } = await readBody(request, { limitBytes: formBytes, inFlight })
  return new URLSearchParams(bytes.toString('utf8'))
}

/** Reads a body as text, of any media type. Fails with `payload_too_large` or `unavailable`. */
export async function readText(
  request: IncomingMessage,
  options: Pick<BodyOptions, 'limitBytes' | 'inFlight'>,
): Promise<string> {
  const { bytes, transfer } = await readBody(request, options)
  transfer?.done()
  return bytes.toString('utf8')
}

const mediaTypeOf = ({ headers }: IncomingMessage) =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

async function readBody(
  request: IncomingMessage,
  { limitBytes, inFlight }: Pick<BodyOptions, 'limitBytes' | 'inFlight'>,
): Promise<{ readonly bytes: Buffer; readonly transfer: Transfer | null }> {
  const refused = (failure: unknown) => {
    discard(request)
    return failure
  }
  const tooLarge = () => refused(new Failure('payload_too_large', `The body is larger than ${limitBytes} bytes.`))
  const noted = (bytes: number) => {
    try {
      return inFlight.add(request.socket, bytes)
    } catch (error) {
      throw refused(error)
    }
  }
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limitBytes) throw tooLarge()
  let transfer = announced > longBytes ? noted(announced) : null
  // A long body of known length is collected in shared memory, so that the thread that parses it needs no copy.
  const whole = transfer === null ? null : Buffer.from(new SharedArrayBuffer(announced))
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    const settle = () => request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
    const fail = (failure: unknown) => {
      settle()
      transfer?.done()
      reject(failure)
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > limitBytes) return fail(tooLarge())
      if (whole === null) chunks.push(chunk)
      else chunk.copy(whole, length - chunk.length)
      try {
        // A body without Content-Length may grow to the limit, so it counts as that long.
        if (length > longBytes) transfer ??= noted(limitBytes)
        transfer?.moved()
      } catch (error) {
        fail(error)
      }
    }
    const onEnd = () => {
      settle()
      resolve({ bytes: whole?.subarray(0, length) ?? Buffer.concat(chunks, length), transfer })
    }
    const onClose = () =>
      fail(
        new Failure('invalid_request', 'The body ended early.', {
          fix: 'Send as many bytes as Content-Length announces, and keep the connection open until the answer.',
        }),
      )
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

/** Keeps reading for a while and discards everything: closing a connection with unread data would lose the answer. */
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
