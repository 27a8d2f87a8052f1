import { request } from 'node:http'
import { expect } from 'chai'
import { createAccount } from '../../core/account/accounts.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { eventually } from '../eventually.ts'
import { client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { makeTenant, type Tenant } from '../start/door.ts'
import { contextOf, type Service } from '../start/service.ts'
import { type Shared, useSharedService } from '../start/shared-service.ts'

type Call = ReturnType<typeof client>
const MiB = 1024 * 1024

describe('requests', () => {
  let service: Service
  let mails: () => ReturnType<Shared['mailsBy']>
  let ctx: Context
  let tenant: Tenant
  let call: Call
  let send: (body: object, headers?: Record<string, string>) => ReturnType<typeof call<ErrorBody & Json>>
  const to = 'carol@remote.test'

  useSharedService((shared) => {
    service = shared.service
    mails = () => shared.mailsBy('@tenant.example')
  })
  before(async () => {
    ctx = await contextOf(service)
    tenant = await makeTenant({ ctx, http: service.http }, { name: 'tenant' })
    call = client(service.http, tenant.key)
    send = (body, headers) => call('POST', `${mailboxPath(tenant.address)}/send`, body, headers)
    await call('POST', '/api/v1/mailboxes', { address: 'other@tenant.example' })
    const stranger = await createAccount(ctx, { name: 'stranger', owner: null })
    await createDomain(ctx, { domain: 'stranger.example', accountId: stranger.id, verified: true })
  })
  after(async () => {
    if (ctx !== undefined) await closeContext(ctx)
  })

  const file = (size: number, name = 'a.bin') => ({
    name,
    contentType: 'application/octet-stream',
    content: Buffer.alloc(size, 7).toString('base64'),
  })
  const wrong: readonly (readonly [name: string, body: object, status: number, code: string, param?: string])[] = [
    ['no recipient', { text: 'x' }, 400, 'validation_error', 'to'],
    ['an empty list of recipients', { to: [], text: 'x' }, 400, 'validation_error', 'to'],
    ['an invalid recipient', { to: 'nonsense', text: 'x' }, 400, 'validation_error', 'to'],
    ['one bad among good ones', { to: [to, 'nonsense'], text: 'x' }, 400, 'validation_error', 'to[1]'],
    [
      'a bad address in an object',
      { cc: [{ address: 'n@' }], to, text: 'x' },
      400,
      'validation_error',
      'cc[0].address',
    ],
    ['a line break in a recipient', { to: 'a@remote.test\r\nRCPT TO:<b@x>', text: 'x' }, 400, 'validation_error', 'to'],
    ['an unknown field', { to, text: 'x', txt: 'y' }, 400, 'validation_error', 'txt'],
    ['an unknown field inside', { to: [{ address: to, mail: 'x' }], text: 'x' }, 400, 'validation_error', 'to[0].mail'],
    ['a number as a text', { to, text: 5 }, 400, 'validation_error', 'text'],
    ['no body', { to, subject: 'x' }, 400, 'validation_error', 'text'],
    ['a header of ours', { to, text: 'x', headers: { Received: 'x' } }, 400, 'validation_error'],
    ['Bcc among the headers', { to, text: 'x', headers: { Bcc: 'b@remote.test' } }, 400, 'validation_error'],
    ['a line break in a header name', { to, text: 'x', headers: { 'X-A\r\nBcc': 'b' } }, 400, 'validation_error'],
    ['an invalid id', { to, text: 'x', inReplyTo: '../x' }, 400, 'validation_error', 'inReplyTo'],
    [
      'bytes that are not base64',
      { to, text: 'x', attachments: [{ ...file(3), content: '%%' }] },
      400,
      'validation_error',
      'attachments[0].content',
    ],
    [
      '51 recipients',
      { to: Array.from({ length: 51 }, (_, n) => `r${n}@remote.test`), text: 'x' },
      400,
      'validation_error',
      'to',
    ],
    [
      '11 files',
      { to, text: 'x', attachments: Array.from({ length: 11 }, () => file(3)) },
      413,
      'attachments_too_large',
    ],
    [
      '10 MB and a byte',
      { to, text: 'x', attachments: [file(5 * MiB), file(5 * MiB + 1)] },
      413,
      'attachments_too_large',
    ],
    ['a body of more than 16 MiB', { to, text: 'x'.repeat(16 * MiB) }, 413, 'payload_too_large'],
    ['a sender that is another mailbox', { to, text: 'x', from: 'other@tenant.example' }, 403, 'forbidden'],
    ['an unknown sender', { to, text: 'x', from: 'nobody@tenant.example' }, 403, 'forbidden'],
    ['a sender of a foreign domain', { to, text: 'x', from: 'a@stranger.example' }, 403, 'domain_not_on_account'],
    ['a sender of an unknown domain', { to, text: 'x', from: 'a@remote.test' }, 403, 'domain_not_on_account'],
    ['an invalid sender', { to, text: 'x', from: 'nonsense' }, 400, 'invalid_sender'],
    ['two senders', { to, text: 'x', from: 'agent@tenant.example, other@tenant.example' }, 400, 'invalid_sender'],
  ]
  for (const [name, body, status, code, param] of wrong) {
    it(`a send is refused with ${name}`, async () => {
      const answer = await send(body)
      expect([answer.status, answer.body.code], JSON.stringify(answer.body)).to.deep.equal([status, code])
      expect(answer.body).to.include({ success: false, statusCode: status })
      expect(answer.body.docs).to.equal(`${service.http}/docs/errors#${code}`)
      for (const text of [answer.body.error, answer.body.fix]) expect(text).to.be.a('string').and.not.equal('')
      if (param !== undefined) expect(answer.body.param).to.equal(param)
      if (code !== 'validation_error') expect(answer.body).to.not.have.property('param')
    })
  }

  it('10 files of 10 MB in total can be sent', async () => {
    const attachments = Array.from({ length: 10 }, (_, n) => file(MiB, `f${n}.bin`))
    const answer = await send({ to: 'delivered@simulator.invalid', text: 'x', attachments })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202)
  })

  it('no line break in a field starts a new header, and no header names a bcc recipient', async () => {
    const answer = await send({
      to,
      bcc: 'blind@remote.test',
      subject: 'Hello\r\nX-Injected: subject',
      fromName: 'Agent\r\nX-Injected: name',
      replyTo: { name: 'R\r\nX-Injected: reply', address: 'r@remote.test' },
      headers: { 'X-Kept': 'kept\r\nX-Injected: header' },
      attachments: [{ ...file(3), name: 'a\r\nX-Injected: file.bin', contentType: 'text/plain' }],
      text: 'body',
    })
    // Refusing the text and removing the line break are both correct.
    if (answer.status === 400) expect(answer.body.code).to.equal('validation_error')
    else {
      expect(answer.status).to.equal(202)
      const mail = await eventually('the mail', async () => mails().find(({ to: [one] }) => one === to))
      expect(mail.raw.toString())
        .to.not.match(/^X-Injected:/m)
        .and.not.match(/blind@/)
    }
    for (const body of [{ subject: 'Hello\r\nX-Injected: subject' }, { fromName: 'Agent\nX-Injected: name' }]) {
      const before = mails().length
      const one = await send({ to, text: 'body', bcc: 'blind@remote.test', ...body })
      if (one.status === 400) continue
      await eventually('both copies', async () => mails().length >= before + 2)
      for (const mail of mails())
        expect(mail.raw.toString())
          .to.not.match(/^X-Injected:/m)
          .and.not.match(/blind@/)
    }
  })

  const bodies: readonly (readonly [name: string, body: string, type: string, status: number, code: string])[] = [
    ['bad JSON', '{"to": ', 'application/json', 400, 'invalid_request'],
    ['a list', '[]', 'application/json', 400, 'invalid_request'],
    ['null', 'null', 'application/json', 400, 'invalid_request'],
    ['another media type', '{}', 'text/plain', 400, 'invalid_request'],
    ['a form', 'to=a', 'application/x-www-form-urlencoded', 400, 'invalid_request'],
    ['bytes that are not UTF-8', '{"subject": "\xff"}', 'application/json', 400, 'invalid_request'],
    ['a field called __proto__', '{"__proto__": {"to": "a@b.test"}}', 'application/json', 400, 'validation_error'],
  ]
  for (const [name, body, type, status, code] of bodies) {
    it(`a body is refused: ${name}`, async () => {
      const response = await fetch(`${service.http}${mailboxPath(tenant.address)}/send`, {
        method: 'POST',
        headers: { 'x-api-key': tenant.key, 'content-type': type },
        body: Buffer.from(body, 'latin1'),
      })
      const answer = (await response.json()) as ErrorBody
      expect([response.status, answer.code]).to.deep.equal([status, code])
    })
  }

  it('a body of over 1 MiB is refused for requests that send no mail', async () => {
    const answer = await call<ErrorBody>('PATCH', mailboxPath(tenant.address), { signature: 'x'.repeat(MiB) })
    expect([answer.status, answer.body.code]).to.deep.equal([413, 'payload_too_large'])
  })

  const m = '/api/v1/mailboxes/agent@tenant.example'
  const paths: readonly (readonly [name: string, method: string, path: string, code: string, allow: string | null])[] =
    [
      ['an unknown path', 'GET', '/api/v1/nothing', 'not_found', null],
      ['a slash at the end', 'GET', '/api/v1/mailboxes/', 'not_found', null],
      ['a path that is not UTF-8', 'GET', `${m}/messages/%ff`, 'not_found', null],
      ['a wrong method', 'PUT', m, 'not_found', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
      ['a wrong method of a list', 'DELETE', '/api/v1/mailboxes', 'not_found', 'GET, HEAD, OPTIONS, POST'],
      ['an id of another kind', 'GET', `${m}/messages/thr_${'0'.repeat(26)}`, 'not_found', null],
      ['an id with a NUL', 'GET', `${m}/messages/msg_%00`, 'not_found', null],
      ['an id that climbs', 'GET', `${m}/messages/..%2f..%2fkeys`, 'not_found', null],
      ['an id that is an operator', 'GET', `${m}/messages/%7B%22%24ne%22:null%7D`, 'not_found', null],
      ['an id of 10,000 characters', 'GET', `${m}/messages/${'x'.repeat(10_000)}`, '', null],
      ['an address that is none', 'GET', '/api/v1/mailboxes/nonsense', 'mailbox_not_found', null],
      ['a webhook that is none', 'GET', '/api/v1/webhooks/nonsense', 'not_found', null],
    ]
  for (const [name, method, path, code, allow] of paths) {
    it(`nothing is found at ${name}`, async () => {
      const answer = await call<ErrorBody>(method, path)
      expect(answer.status).to.be.oneOf([400, 404])
      if (code !== '') expect([answer.status, answer.body.code]).to.deep.equal([404, code])
      expect(answer.headers.get('allow')).to.equal(allow)
      expect(answer.headers.get('x-request-id')).to.be.a('string')
    })
  }

  const cursor = Buffer.from(`msg_${'0'.repeat(26)}`).toString('base64url')
  const queries: readonly (readonly [path: string, param: string])[] = [
    ['/api/v1/mailboxes?limit=0', 'limit'],
    ['/api/v1/mailboxes?limit=201', 'limit'],
    ['/api/v1/mailboxes?limit=ten', 'limit'],
    ['/api/v1/mailboxes?limit=1.5', 'limit'],
    ['/api/v1/mailboxes?before=nonsense', 'before'],
    [`/api/v1/mailboxes?before=${cursor}`, 'before'],
    ['/api/v1/mailboxes?before=', 'before'],
    [`${m}/messages?before=%00`, 'before'],
    [`${m}/messages?unread=maybe`, 'unread'],
    [`${m}/messages?since=yesterday`, 'since'],
    [`${m}/messages?nothing=1`, 'nothing'],
    [`${m}/messages?limit=1&limit=2`, 'limit'],
    ['/api/v1/events?before=nonsense', 'before'],
    ['/api/v1/events?after=nonsense', 'after'],
    ['/api/v1/events?type=nothing.happened', 'type'],
    ['/api/v1/webhooks?before=nonsense', 'before'],
  ]
  for (const [path, param] of queries) {
    it(`a query is refused: ${path.replace(m, 'M')}`, async () => {
      const answer = await call<ErrorBody>('GET', path)
      expect([answer.status, answer.body.code, answer.body.param]).to.deep.equal([400, 'validation_error', param])
    })
  }

  describe('an Idempotency-Key', () => {
    const letter = { to: 'once@remote.test', subject: 'Once', text: 'Only once' }
    const with_ = (key: string, body: object = letter) => send(body, { 'idempotency-key': key })
    const arrived = (address: string) => mails().filter((mail) => mail.to.includes(address)).length

    it('lets a send happen once and gives its answer again', async () => {
      const first = await with_('again')
      const second = await with_('again')
      expect([first.status, second.status]).to.deep.equal([202, 202])
      expect(second.body).to.deep.equal(first.body)
      expect(first.headers.get('idempotent-replayed')).to.equal(null)
      expect(second.headers.get('idempotent-replayed')).to.equal('true')
      const upper = await call<Json>('POST', `/api/v1/mailboxes/${tenant.address.toUpperCase()}/send`, letter, {
        'idempotency-key': 'again',
      })
      expect(upper.body).to.deep.equal(first.body)
    })

    it('is refused with another body, even when it differs in one field', async () => {
      const answer = await with_('again', { ...letter, text: 'Twice' })
      expect([answer.status, answer.body.code]).to.deep.equal([422, 'idempotency_key_reused'])
    })

    it('holds for twenty parallel requests: one send, and each gets its answer or is asked to retry', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => with_('parallel', { ...letter, to: 'parallel@remote.test' })),
      )
      const sent = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.id))
      expect(sent.size).to.equal(1)
      for (const { status, body } of answers)
        if (status !== 202) expect([status, body.code]).to.deep.equal([409, 'idempotency_in_progress'])
      await eventually('it arrives', async () => arrived('parallel@remote.test') > 0)
    })

    it('is free again after a refusal', async () => {
      expect((await with_('refused', { ...letter, to: 'nonsense' })).status).to.equal(400)
      expect((await with_('refused')).status).to.equal(202)
      expect((await with_('forbidden', { ...letter, from: 'other@tenant.example' })).status).to.equal(403)
      expect((await with_('forbidden')).status).to.equal(202)
    })

    it('is independent on another path', async () => {
      const answer = await call<Json>('POST', '/api/v1/mailboxes/other@tenant.example/send', letter, {
        'idempotency-key': 'again',
      })
      expect(answer.status).to.equal(202)
      expect(answer.headers.get('idempotent-replayed')).to.equal(null)
    })

    it('has 1 to 256 characters', async () => {
      expect((await with_('k'.repeat(256))).status).to.equal(202)
      for (const key of ['k'.repeat(257), '']) {
        const answer = await with_(key)
        expect([answer.status, answer.body.code], `${key.length}`).to.deep.equal([400, 'idempotency_key_invalid'])
      }
    })

    it('keeps webhook secrets and mailboxes from being made twice', async () => {
      const hook = { url: 'https://hooks.example/x', events: ['message.received'] }
      const made = await Promise.all(
        [1, 2].map(() => call<Json>('POST', '/api/v1/webhooks', hook, { 'idempotency-key': 'hook' })),
      )
      const again = await call<Json>('POST', '/api/v1/webhooks', hook, { 'idempotency-key': 'hook' })
      expect(again.body).to.deep.equal(made.find(({ status }) => status === 201)?.body)
      expect((await call<{ webhooks: Json[] }>('GET', '/api/v1/webhooks')).body.webhooks).to.have.length(1)
    })

    it('led to exactly one message for each send above', async () => {
      await eventually('all have arrived', async () => arrived('once@remote.test') >= 5)
      expect(arrived('once@remote.test')).to.equal(5)
      expect(arrived('parallel@remote.test')).to.equal(1)
    })
  })

  it('a client that disconnects in the middle of its body does no harm to the service', async () => {
    const { hostname, port } = new URL(service.http)
    await new Promise<void>((resolve) => {
      const asked = request({
        hostname,
        port,
        method: 'POST',
        path: `${mailboxPath(tenant.address)}/send`,
        headers: {
          'x-api-key': tenant.key,
          'content-type': 'application/json',
          'content-length': 1_000,
          expect: '100-continue',
        },
      })
      asked.on('error', () => resolve())
      asked.on('continue', () => asked.write('{"to": "a@', () => asked.destroy()))
      asked.flushHeaders()
    })
    expect((await call('GET', '/api/v1/account')).status).to.equal(200)
  })
})
