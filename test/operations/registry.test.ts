import { expect } from 'chai'
import { operations } from '../../operations/all.ts'
import { checkOperations } from '../../operations/check.ts'
import { errorsOf } from '../../operations/errors.ts'
import { fieldsOf, type Operation, operation, pathOf, type Route, type Tool } from '../../operations/registry.ts'
import { failures } from '../../schemas/failures.ts'
import { integer, type JsonSchema, object, optional, type Schema, string } from '../../schemas/infer.ts'
import type { Scope } from '../../schemas/scopes.ts'

const Nothing = object({})
const sample = ({
  name = 'a.get',
  http = 'GET /a',
  tools = [],
  scope = null,
  input = Nothing,
}: {
  name?: string
  http?: Route
  tools?: readonly Tool[]
  scope?: Scope | null
  input?: Schema<unknown>
} = {}) =>
  operation({ name, summary: 'A.', scope, http, tools, input, output: Nothing, errors: [], handle: async () => ({}) })
const tool = (change: Partial<Tool> = {}): Tool => ({ name: 'a_tool', effect: 'read', expose: [], ...change })

describe('operations/registry', () => {
  it('the operations of the service are sound', () => {
    expect(() => checkOperations(operations)).not.to.throw()
  })

  const faults: readonly (readonly [string, readonly Operation[], RegExp])[] = [
    ['two of a name', [sample(), sample({ http: 'GET /b' })], /two operations have the name a\.get/],
    [
      'two of a route, whatever its parameters are called',
      [
        sample({ name: 'a.one', http: 'GET /a/{x}', input: object({ x: string() }) }),
        sample({ name: 'a.two', http: 'GET /a/{y}', input: object({ y: string() }) }),
      ],
      /two operations have the route GET \/a\/\{\}/,
    ],
    [
      'two of a tool',
      [sample({ tools: [tool()] }), sample({ name: 'b.get', http: 'GET /b', tools: [tool()] })],
      /two operations have the tool a_tool/,
    ],
    ['an unknown scope', [sample({ scope: 'mail:burn' as Scope })], /unknown scope mail:burn/],
    ['a path parameter that is no field', [sample({ http: 'GET /a/{id}' })], /path parameter id is no input field/],
    [
      'a tool that exposes what is no field',
      [sample({ tools: [tool({ expose: ['nothing'] })] })],
      /nothing is no input field/,
    ],
    [
      'a tool that hides a path parameter',
      [sample({ http: 'GET /a/{id}', input: object({ id: string() }), tools: [tool()] })],
      /path parameter id is not exposed/,
    ],
    ['a schema that does not compile', [sample({ input: { type: 'nonsense' } })], /does not compile/],
  ]
  for (const [name, list, expected] of faults)
    it(`refuses ${name}`, () => expect(() => checkOperations(list)).to.throw(expected))

  const Input = object({ id: string(), size: optional(integer()) })
  const sources: readonly (readonly [Route, readonly string[]])[] = [
    ['GET /a/{id}', ['id path required', 'size query']],
    ['DELETE /a/{id}', ['id path required', 'size query']],
    ['PATCH /a/{id}', ['id path required', 'size body']],
    ['POST /a', ['id body required', 'size body']],
  ]
  for (const [http, expected] of sources) {
    it(`fields of ${http}`, () => {
      const found = fieldsOf(sample({ http, input: Input }))
      expect(found.map(({ name, from, required }) => `${name} ${from}${required ? ' required' : ''}`)).to.deep.equal(
        expected,
      )
    })
  }

  it('fills a path with encoded parameters', () => {
    expect(pathOf(sample({ http: 'GET /a/{id}/b', input: object({ id: string() }) }), { id: 'x/y@z ü' })).to.equal(
      '/a/x%2Fy%40z%20%C3%BC/b',
    )
  })

  it('everything but GET is audited, and nothing that is public', () => {
    const audited = operations.filter(({ audit }) => audit).map(({ name }) => name)
    const expected = operations
      .filter(({ access, method }) => method !== 'GET' && access !== 'public')
      .map(({ name }) => name)
    expect(audited).to.deep.equal(expected)
  })

  it('every failure an operation may answer with is in the table, once', () => {
    for (const each of operations) {
      const codes = errorsOf(each)
      expect(codes, each.name).to.include.members([
        'validation_error',
        'rate_limited',
        'internal_error',
        ...each.errors,
      ])
      expect(new Set(codes).size, each.name).to.equal(codes.length)
      for (const code of codes) expect(failures).to.have.property(code)
    }
  })

  const contract: readonly (readonly [string, string, string, number])[] = [
    ['signup.create', 'POST /api/v1/signup', 'public', 201],
    ['account.claim', 'POST /api/v1/account/claim', 'key', 201],
    ['account.get', 'GET /api/v1/account', 'key', 200],
    ['usage.get', 'GET /api/v1/usage', 'key', 200],
    ['mailboxes.list', 'GET /api/v1/mailboxes', 'mailboxes:read', 200],
    ['mailboxes.create', 'POST /api/v1/mailboxes', 'mailboxes:write', 201],
    ['mailboxes.update', 'PATCH /api/v1/mailboxes/{address}', 'mailboxes:write', 200],
    ['mailboxes.delete', 'DELETE /api/v1/mailboxes/{address}', 'mailboxes:write', 200],
    ['messages.list', 'GET /api/v1/mailboxes/{address}/messages', 'mail:read', 200],
    ['messages.wait', 'GET /api/v1/mailboxes/{address}/wait', 'mail:read', 200],
    ['messages.wait_and_claim', 'POST /api/v1/mailboxes/{address}/wait', 'mail:read mail:write', 200],
    ['messages.get', 'GET /api/v1/mailboxes/{address}/messages/{message_id}', 'mail:read', 200],
    ['messages.update', 'PATCH /api/v1/mailboxes/{address}/messages/{message_id}', 'mail:write', 200],
    ['messages.delete', 'DELETE /api/v1/mailboxes/{address}/messages/{message_id}', 'mail:write', 200],
    ['messages.send', 'POST /api/v1/mailboxes/{address}/send', 'mail:send', 202],
    ['messages.reply', 'POST /api/v1/mailboxes/{address}/messages/{message_id}/reply', 'mail:send', 202],
    ['webhooks.create', 'POST /api/v1/webhooks', 'key', 201],
    ['events.list', 'GET /api/v1/events', 'key', 200],
  ]
  for (const [name, route, access, status] of contract) {
    it(`${name} is ${route}`, () => {
      const found = operations.find((each) => each.name === name)
      const needed = found?.scopes.join(' ') || found?.access
      expect(found && [`${found.method} ${found.path}`, needed, found.status]).to.deep.equal([route, access, status])
    })
  }

  it('input schemas refuse unknown fields', () => {
    for (const { input, name } of operations) expect((input as JsonSchema).additionalProperties, name).to.equal(false)
  })
})
