import { expect } from 'chai'
import { MongoNetworkError, MongoServerError } from 'mongodb'
import { pino } from 'pino'
import { errorAnswer } from '../../operations/errors.ts'
import { Failure, type FailureCode, failures } from '../../schemas/failures.ts'
import { ErrorObject } from '../../schemas/fields.ts'
import { validate } from '../../schemas/validate.ts'

const written: string[] = []
const ctx = {
  baseUrl: 'https://mail.example',
  log: pino({ level: 'info' }, { write: (line: string) => void written.push(line) }),
}

/** As whoever throws it may; what has many causes needs more. */
const failureOf = (code: FailureCode) => new Failure(code as 'conflict', failures[code].when, { fix: 'Change it.' })

describe('operations/errors', () => {
  for (const code of Object.keys(failures) as (keyof typeof failures)[]) {
    it(`${code} is a complete error object`, () => {
      const { status, body } = errorAnswer(ctx, failureOf(code))
      expect(status).to.equal(failures[code].http)
      expect(validate(ErrorObject, body)).to.include({
        success: false,
        code,
        statusCode: status,
        docs: `https://mail.example/docs/errors#${code}`,
      })
    })
  }

  const ofDatabase: readonly (readonly [string, Error, number])[] = [
    ['no room left', new MongoServerError({ code: 14031, errmsg: 'full' }), 503],
    ['it stops', new MongoServerError({ code: 11600, errmsg: 'stopping' }), 503],
    ['the connection is lost', new MongoNetworkError('closed'), 503],
    ['it refuses a document', new MongoServerError({ code: 10334, errmsg: 'too large' }), 500],
  ]
  for (const [name, error, expected] of ofDatabase) {
    it(`an error of the database, ${name}: ${expected}`, () => {
      const { status, headers, body } = errorAnswer(ctx, error)
      expect([status, body.statusCode]).to.deep.equal([expected, expected])
      expect(body.error).to.not.include(error.message)
      expect(headers['Retry-After'] !== undefined).to.equal(expected === 503)
    })
  }

  const cases: readonly (readonly [string, Failure, object, object])[] = [
    [
      'a wait is told in body and header, in whole seconds',
      new Failure('rate_limited', undefined, { retryAfter: 2.2 }),
      { retryAfter: 3 },
      { 'Retry-After': '3' },
    ],
    [
      '429 without a wait still has Retry-After',
      new Failure('send_rate_limited'),
      { retryAfter: 30 },
      { 'Retry-After': '30' },
    ],
    [
      '503 has Retry-After',
      new Failure('unavailable', undefined, { retryAfter: 0 }),
      { retryAfter: 1 },
      { 'Retry-After': '1' },
    ],
    [
      'a 429 for which waiting does not help has the header alone, with a day',
      new Failure('send_rate_limited', 'Too much.', { retryAfter: null, fix: 'Send less.' }),
      { error: 'Too much.', fix: 'Send less.' },
      { 'Retry-After': '86400' },
    ],
    [
      'the cause has its own fix',
      new Failure('plan_required', 'No webhooks.', { fix: 'Read the events.' }),
      { fix: 'Read the events.' },
      {},
    ],
    ['else the one of the table', new Failure('plan_required'), { fix: failures.plan_required.fix }, {}],
    ['401 says how to authenticate', new Failure('missing_api_key'), {}, { 'WWW-Authenticate': 'Bearer' }],
    [
      'the missing scope is named',
      new Failure('insufficient_scope', undefined, { requiredScope: 'mail:read' }),
      { requiredScope: 'mail:read' },
      {},
    ],
    [
      'the field to blame is named',
      new Failure('validation_error', 'No.', { param: 'to[0].address', fix: 'Say yes.' }),
      { param: 'to[0].address', error: 'No.' },
      {},
    ],
  ]
  for (const [name, failure, body, headers] of cases) {
    it(name, () => {
      const answer = errorAnswer(ctx, failure)
      expect(answer.body).to.deep.include(body)
      expect(answer.headers).to.deep.equal(headers)
    })
  }

  it('param is of validation_error alone', () => {
    expect(errorAnswer(ctx, new Failure('invalid_sender', undefined, { param: 'from' })).body).not.to.have.property(
      'param',
    )
  })

  it('a fault of ours goes to the log and not to the peer', () => {
    const { status, body } = errorAnswer(ctx, new Error('secret detail'))
    expect(status).to.equal(500)
    expect(JSON.stringify(body)).not.to.include('secret detail')
    expect(written.at(-1)).to.include('secret detail')
  })
})
