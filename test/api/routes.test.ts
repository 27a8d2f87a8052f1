import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { contentDisposition } from '../../api/bytes.ts'
import { inputOf } from '../../api/input.ts'
import { allowedMethods, createRouting, type RequestState, routeOf } from '../../api/routes.ts'
import { operations } from '../../operations/all.ts'
import { Failure } from '../../schemas/failures.ts'
import { client } from '../peers/rest.ts'

describe('api/routes', () => {
  let server: Server
  let http: string

  before(async () => {
    const table = [
      ['GET', '/m/{address}'],
      ['PATCH', '/m/{address}'],
      ['POST', '/m/{address}/x/{id}'],
      ['POST', '/m/{address}/x/all'],
    ] as const
    const app = new Koa<RequestState>()
    app.use(
      createRouting(
        table.map(([method, path]) => ({
          method,
          path,
          serve(exchange) {
            exchange.body = { route: routeOf(exchange), parameters: exchange.params }
            exchange.set('X-Route', path)
          },
        })),
      ),
    )
    app.use((koa) => {
      koa.status = 404
      koa.body = { route: routeOf(koa) }
      koa.set('X-Allowed', allowedMethods(koa).join(' '))
    })
    server = createServer(app.callback())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => server.close())

  const served: readonly (readonly [string, string, string, object])[] = [
    ['GET', '/m/a%40b', '/m/{address}', { address: 'a@b' }],
    ['GET', '/m/a%2540b', '/m/{address}', { address: 'a%40b' }],
    ['GET', '/m/a%2Fb', '/m/{address}', { address: 'a/b' }],
    ['GET', '/m/a?address=b', '/m/{address}', { address: 'a' }],
    ['PATCH', '/m/a', '/m/{address}', { address: 'a' }],
    ['POST', '/m/a/x/all', '/m/{address}/x/all', { address: 'a' }],
    ['POST', '/m/a/x/other', '/m/{address}/x/{id}', { address: 'a', id: 'other' }],
  ]
  for (const [method, path, route, parameters] of served) {
    it(`${method} ${path} is ${route}`, async () => {
      const { status, body } = await client(http)(method, path)
      expect([status, body]).to.deep.equal([200, { route, parameters }])
    })
  }

  it('HEAD is served like GET', async () => {
    const { status, headers } = await client(http)('HEAD', '/m/a')
    expect([status, headers.get('x-route')]).to.deep.equal([200, '/m/{address}'])
  })

  const unserved: readonly (readonly [string, string, readonly string[]])[] = [
    ['DELETE', '/m/a', ['GET', 'HEAD', 'OPTIONS', 'PATCH']],
    ['OPTIONS', '/m/a', ['GET', 'HEAD', 'OPTIONS', 'PATCH']],
    ['GET', '/m/a/x/all', ['OPTIONS', 'POST']],
    ['HEAD', '/m/a/x/all', ['OPTIONS', 'POST']],
    ['GET', '/m', []],
    ['GET', '/m/', []],
    ['GET', '/m/a/', []],
    ['POST', '/m//x/all', []],
    ['GET', '//m/a', []],
    ['GET', '/M/a', []],
    ['GET', '/m/a/x', []],
    ['GET', '/', []],
    ['GET', '/m/%ff', []],
    ['PUT', '/m/%ff', []],
    ['GET', '/m/%2', []],
  ]
  for (const [method, path, allowed] of unserved) {
    it(`${method} ${path} is not served`, async () => {
      const { status, headers, body } = await client(http)(method, path)
      expect([status, headers.get('x-allowed')]).to.deep.equal([404, allowed.join(' ')])
      if (method !== 'HEAD') expect(body).to.deep.equal({ route: null })
    })
  }
})

describe('api/input', () => {
  const list = operations.find(({ name }) => name === 'messages.list')!
  const send = operations.find(({ name }) => name === 'messages.send')!
  const path = { address: 'a@x' }

  it('gives query texts the type their schemas ask for', () => {
    const query = new URLSearchParams('limit=20&unread=true&flagged=false&subject=12')
    expect(inputOf(list, { path, query, body: {} })).to.deep.equal({
      address: 'a@x',
      limit: 20,
      unread: true,
      flagged: false,
      subject: '12',
    })
  })

  it('leaves values that cannot be converted to the schema', () => {
    const query = new URLSearchParams('limit=many&unread=1')
    expect(inputOf(list, { path, query, body: {} })).to.deep.include({ limit: 'many', unread: '1' })
  })

  const refused: readonly (readonly [string, typeof list, string, { readonly [field: string]: unknown }, string])[] = [
    ['an unknown query parameter', list, 'color=red', {}, 'color'],
    ['a query parameter twice', list, 'limit=1&limit=2', {}, 'limit'],
    ['a path parameter in the query', list, 'address=b@x', {}, 'address'],
    ['a path parameter in the body', send, '', { address: 'b@x' }, 'address'],
    ['a body field in the query', send, 'subject=a', {}, 'subject'],
    ['a field that every object has', send, '', JSON.parse('{"__proto__": {"to": "b@x"}}'), '__proto__'],
    ['a field named like a method', send, '', { toString: 'x' }, 'toString'],
  ]
  for (const [name, operation, query, body, param] of refused) {
    it(`refuses ${name}`, () => {
      expect(() => inputOf(operation, { path, query: new URLSearchParams(query), body }))
        .to.throw(Failure)
        .with.nested.property('detail.param', param)
    })
  }
})

describe('api/bytes: Content-Disposition', () => {
  const names: readonly (readonly [string, string, string])[] = [
    ['a plain name', 'report.pdf', 'attachment; filename="report.pdf"'],
    ['a path', '../../etc/passwd', 'attachment; filename="passwd"'],
    ['a path of Windows', 'C:\\temp\\a.txt', 'attachment; filename="a.txt"'],
    ['a hidden file', '.profile', 'attachment; filename="profile"'],
    ['a line break', 'a\r\nSet-Cookie: x.txt', 'attachment; filename="aSet-Cookie_ x.txt"'],
    ['a quote', 'a"b.txt', 'attachment; filename="a_b.txt"'],
    ['letters beyond ASCII', 'Übung.txt', 'attachment; filename="_bung.txt"; filename*=UTF-8\'\'%C3%9Cbung.txt'],
    ['a turned extension', 'gepj\u202eexe.txt', 'attachment; filename="gepjexe.txt"'],
    ['nothing', '', 'attachment; filename="attachment"'],
    ['dots', '..', 'attachment; filename="attachment"'],
    ['half a character', '\ud800.txt', 'attachment; filename="_.txt"; filename*=UTF-8\'\'%EF%BF%BD.txt'],
  ]
  for (const [what, name, expected] of names) it(what, () => expect(contentDisposition(name)).to.equal(expected))

  it('a long name keeps its extension', () => {
    expect(contentDisposition(`${'é'.repeat(300)}.pdf`)).to.match(/\.pdf"; filename\*=UTF-8''(%C3%A9){98}\.pdf$/)
  })
})
