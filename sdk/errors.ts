/** Errors of requests. */

/** The service answered with an error: branch on `code`; `fix` says what to change. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly statusCode: number
  /** The stable code, as the error reference lists it. */
  readonly code: string
  /** What to change before repeating the request. */
  readonly fix: string | null
  /** Where the code is explained. */
  readonly docs: string | null
  /** The field at fault, if there is one. */
  readonly param: string | null
  /** The scope that the key lacks. */
  readonly requiredScope: string | null
  /** The id of this request in the logs of the service. */
  readonly requestId: string | null
  /** The seconds to wait before trying again. */
  readonly retryAfter: number | null
  /** The whole body of the answer. */
  readonly body: unknown

  constructor(statusCode: number, body: unknown, headers: { get(name: string): string | null }) {
    const told = isRecord(body) ? body : {}
    const text = (name: string) => (typeof told[name] === 'string' ? told[name] : null)
    super(text('error') ?? `The service answered with status ${statusCode}.`)
    this.statusCode = statusCode
    this.body = body
    this.code = text('code') ?? 'unknown'
    this.fix = text('fix')
    this.docs = text('docs')
    this.param = text('param')
    this.requiredScope = text('requiredScope')
    this.requestId = headers.get('x-request-id')
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    this.retryAfter = Number.isFinite(seconds) ? seconds : null
  }
}

/** There was no answer: the service could not be reached, the connection was cut, or it took too long. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
