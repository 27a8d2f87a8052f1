/** Refusals of the HTTP door: anything thrown becomes the error object of the contract, and requests that HTTP itself forbids are refused. */
import type { IncomingMessage } from 'node:http'
import type { Context } from '../core/process/context.ts'
import { type ErrorAnswer, errorAnswer } from '../operations/errors.ts'
import type { AnswerHeaders } from '../operations/registry.ts'
import { Failure } from '../schemas/failures.ts'

/** A refusal by the protocol, with a status that the table of failures does not have. */
export class HttpRefusal extends Failure {
  readonly status: number

  constructor(status: number, message: string, fix: string) {
    super(status === 413 ? 'payload_too_large' : 'invalid_request', message, { fix })
    this.status = status
  }
}

/** Renders anything thrown as the error object of the API. */
export function refusalAnswer(ctx: Pick<Context, 'baseUrl' | 'log'>, thrown: unknown): ErrorAnswer {
  const answer = errorAnswer(ctx, thrown)
  if (!(thrown instanceof HttpRefusal)) return answer
  const { status } = thrown
  return { ...answer, status, body: { ...answer.body, statusCode: status } }
}

/** The headers that every answer has. */
export function standardHeaders({ baseUrl }: Pick<Context, 'baseUrl'>): AnswerHeaders {
  return { ...securityHeaders, ...(baseUrl.startsWith('https:') && strictTransport) }
}

const securityHeaders: AnswerHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}
const strictTransport: AnswerHeaders = { 'Strict-Transport-Security': 'max-age=31536000' }

/** uri-host with an optional port (RFC 9110 7.2); empty when the target has no authority. */
const hostForm = /^(?:\[[\da-f:.]+\]|[^\s/?#@\\:[\]]*)(?::\d*)?$/i

/** Fails with an `HttpRefusal` for a request that Node's parser accepts although HTTP forbids it. */
export function requireSoundRequest({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throw new HttpRefusal(505, `HTTP/${httpVersion} is not supported.`, 'Use HTTP/1.1.')
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'host').length
  // RFC 9112 3.2
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1') || !hostForm.test(headers.host ?? ''))
    throw new HttpRefusal(400, 'The request does not name one host.', 'Send one Host header with the name of the host.')
  // RFC 9112 6.1
  if (headers['transfer-encoding'] !== undefined && httpVersion === '1.0')
    throw new HttpRefusal(400, 'The length of the body is unclear.', 'Use HTTP/1.1, or send Content-Length.')
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    throw new HttpRefusal(
      417,
      'The expectation in the Expect header cannot be met.',
      'Leave Expect out, or send 100-continue.',
    )
}
