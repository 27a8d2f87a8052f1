import { expect } from 'chai'
import { contentDisposition } from '../../api/bytes.ts'
import { inputOf } from '../../api/input.ts'
import { createRoutes } from '../../api/routes.ts'
import { operations } from '../../operations/all.ts'
import { Failure } from '../../schemas/failures.ts'

function table() {
  const routes = createRoutes<string>()
  routes.add('GET', '/m/{address}', 'mailbox')
  routes.add('PATCH', '/m/{address}', 'change')
  routes.add('POST', '/m/{address}/x/{id}', 'one')
  routes.add('POST', '/m/{address}/x/all', 'all')
  return routes
}

describe('api/routes', () => {
  const found: readonly (readonly [string, string, string, object])[] = [
    ['GET', '/m/a%40b', 'mailbox', { address: 'a@b' }],
    ['HEAD', '/m/a', 'mailbox', { address: 'a' }],
    ['POST', '/m/a/x/all', 'all', { address: 'a' }],
    ['POST', '/m/a/x/other', 'one', { address: 'a', id: 'other' }],
    ['GET', '/m/a%2Fb', 'mailbox', { address: 'a/b' }],
  ]
  for (const [method, path, handler, parameters] of found) {
    it(`${method} ${path} is ${handler}`, () =>
      expect(table().find(method, path)).to.deep.equal({ handler, parameters }))
  }

  const unserved: readonly (readonly [string, string, readonly string[]])[] = [
    ['DELETE', '/m/a', ['GET', 'HEAD', 'OPTIONS', 'PATCH']],
    ['GET', '/m/a/x/all', ['OPTIONS', 'POST']],
    ['GET', '/m', []],
    ['GET', '/m/', []],
    ['GET', '/m/a/', []],
    ['GET', '//m/a', []],
    ['GET', '/', []],
  ]
  for (const [method, path, allow] of unserved) {
    it(`${method} ${path} is not served`, () =>
      expect(table().find(method, path)).to.deep.equal({ handler: null, allow }))
  }

  it('a path that cannot be decoded is not served', () => expect(table().find('GET', '/m/%ff').handler).to.equal(null))
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

  it('leaves to the schema what has no such value', () => {
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
