import { expect } from 'chai'
import { settleDue } from '../../core/send/settle.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'

const hourMs = 3_600_000

describe('api: transactional mail and templates', () => {
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  type Answer = Json & ErrorBody & { id: string; missing?: string[]; recipients: Json[] }
  const send = (body: Json, from = 'Shop <orders@tenant.example>') =>
    call<Answer>('POST', '/api/v1/emails', { from, to: 'ada@remote.example', ...body })
  const template = (body: Json) => call<Answer>('POST', '/api/v1/templates', body)

  it('is sent from an address without a mailbox, keeps no copy, and can be looked up', async () => {
    const { status, body } = await send({ subject: 'Order 7', text: 'Thanks.', tags: ['orders'] })
    expect([status, body.message_id, body.thread_id]).to.deep.equal([202, null, null])
    const found = await call<Answer>('GET', `/api/v1/emails/${body.id}`)
    expect(found.body).to.deep.include({
      id: body.id,
      from: 'orders@tenant.example',
      to: ['ada@remote.example'],
      subject: 'Order 7',
      mailbox: null,
      tags: ['orders'],
    })
    expect(found.body.recipients[0]).to.include({ email: 'ada@remote.example', status: 'queued', attempts: 0 })
    const list = await call<{ emails: Json[] }>('GET', '/api/v1/emails?limit=1')
    expect(list.body.emails.map(({ id }) => id)).to.deep.equal([body.id])
  })

  it('fills a template, escaping values only in HTML', async () => {
    const made = await template({
      alias: 'welcome',
      subject: 'Hi {{name}}',
      text: 'Hi {{name}}, your code is {{ code }}.',
      html: '<p>Hi <b>{{name}}</b>: {{code}}</p>',
    })
    expect([made.status, made.body.variables]).to.deep.equal([201, ['name', 'code']])
    const preview = await call('POST', '/api/v1/templates/welcome/preview', { variables: { name: '<Ada>\r\nX: y' } })
    expect(preview.body).to.deep.equal({
      success: true,
      subject: 'Hi <Ada> X: y',
      text: 'Hi <Ada>\r\nX: y, your code is .',
      html: '<p>Hi <b>&lt;Ada&gt;\r\nX: y</b>: </p>',
      missing: ['code'],
    })
    const { status, body } = await send({ template: 'welcome', variables: { name: 'Ada', code: '123' } })
    expect(status).to.equal(202)
    expect((await call('GET', `/api/v1/emails/${body.id}`)).body.subject).to.equal('Hi Ada')
  })

  it('refuses to fill a template beyond the size limit of a send, and says how large it would be', async () => {
    await template({ alias: 'rows', subject: '{{row}}', text: '{{row}}'.repeat(20_000) })
    const variables = { row: 'ä'.repeat(1_000) }
    const path = '/api/v1/templates/rows'
    const answers = [
      await send({ template: 'rows', variables }),
      await call<ErrorBody>('POST', `${path}/preview`, { variables }),
      await call<ErrorBody>('GET', `${path}/html?variables=${encodeURIComponent(JSON.stringify(variables))}`),
    ]
    for (const { status, body } of answers)
      expect({ status, ...body }).to.include({
        status: 413,
        code: 'payload_too_large',
        error: 'With these values the template has 40002000 bytes; a send may have 16777216.',
        fix: 'Shorten the values, or use them less often in the template.',
      })
  })

  it('refuses to fill a subject beyond the length limit', async () => {
    await template({ alias: 'titled', subject: 'For {{name}}', text: 'x' })
    const titled = (chars: number) => send({ template: 'titled', variables: { name: '\u{1f600}'.repeat(chars) } })
    expect((await titled(994)).status).to.equal(202)
    const { status, body } = await titled(995)
    expect({ status, ...(body as unknown as ErrorBody) }).to.include({
      status: 400,
      code: 'validation_error',
      param: 'variables',
      error: 'With these values the subject of the template has 999 characters; it may have 998.',
    })
  })

  it('says what to do when a template has neither of its two bodies', async () => {
    const made = await template({ alias: 'empty', subject: 'x' })
    const emptied = await call<ErrorBody>('PATCH', '/api/v1/templates/welcome', { text: null, html: null })
    for (const { status, body } of [made, emptied])
      expect({ status, ...body }).to.include({
        status: 400,
        code: 'validation_error',
        param: 'text',
        error: 'The template has no body: neither "text" nor "html".',
        fix: 'Give "text", "html" or both.',
      })
  })

  it('names the variables that are missing', async () => {
    const { status, body } = await send({ template: 'welcome', variables: { name: 'Ada' } })
    expect([status, body.code, body.missing]).to.deep.equal([422, 'missing_template_variables', ['code']])
  })

  it('refuses variables without a template instead of sending the tokens unfilled', async () => {
    const { status, body } = await send({ subject: 'Hi {{name}}', text: 'Hi {{name}}', variables: { name: 'Ada' } })
    expect([status, body.code, body.param]).to.deep.equal([400, 'validation_error', 'variables'])
    expect((await send({ subject: 'Hi', text: 'Hi', variables: {} })).status).to.equal(202)
  })

  it('a paused template is refused until it is active again', async () => {
    await call('PATCH', '/api/v1/templates/welcome', { status: 'paused' })
    const refused = await send({ template: 'welcome', variables: { name: 'Ada', code: '1' } })
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'template_paused'])
    await call('PATCH', '/api/v1/templates/welcome', { status: 'active' })
    expect((await send({ template: 'welcome', variables: { name: 'Ada', code: '1' } })).status).to.equal(202)
  })

  const refused: readonly (readonly [string, () => Promise<{ status: number; body: ErrorBody }>, number, string])[] = [
    ['a foreign sender', () => send({ text: 'x' }, 'a@elsewhere.example'), 403, 'domain_not_on_account'],
    ['an unreadable sender', () => send({ text: 'x' }, 'nobody'), 400, 'invalid_sender'],
    ['an unknown template', () => send({ template: 'Welcome' }), 404, 'template_not_found'],
    ['nothing to say', () => send({ subject: 'x' }), 400, 'validation_error'],
    ['a second template of one alias', () => template({ alias: 'welcome', subject: 'x', text: 'y' }), 409, 'conflict'],
    ['an unknown id', () => call('GET', '/api/v1/emails/em_none'), 404, 'email_not_found'],
  ]
  for (const [name, act, status, code] of refused) {
    it(`refuses ${name}`, async () => {
      const answer = await act()
      expect([answer.status, answer.body.code]).to.deep.equal([status, code])
    })
  }

  it('an agent key sends only as a mailbox it reaches, sees only its own sends, and changes no template', async () => {
    const { apiKey } = await makeKey(door.ctx, {
      accountId: tenant.accountId,
      kind: 'agent',
      scopes: ['mail:send'],
      mailboxIds: [tenant.mailboxId],
    })
    const agent = client(door.http, apiKey)
    const mail = { to: 'ada@remote.example', text: 'x' }
    const other = await agent<Answer>('POST', '/api/v1/emails', { from: 'orders@tenant.example', ...mail })
    expect([other.status, other.body.code]).to.deep.equal([403, 'forbidden'])
    const own = await agent<Answer>('POST', '/api/v1/emails', { from: tenant.address, ...mail })
    expect(own.status).to.equal(202)
    const list = await agent<{ emails: Json[] }>('GET', '/api/v1/emails')
    expect(list.body.emails.map(({ id }) => id)).to.deep.equal([own.body.id])
    const change = await agent<ErrorBody>('DELETE', '/api/v1/templates/welcome')
    expect([change.status, change.body.code]).to.deep.equal([403, 'forbidden'])
  })

  describe('for later', () => {
    const inHours = (hours: number) => new Date(door.ctx.clock.now().getTime() + hours * hourMs).toISOString()
    const later = (body: Json = {}) => send({ subject: 'Later', text: 'x', sendAt: inHours(2), ...body })
    const rowsOf = (emailId: string) => door.ctx.store.outbox.countDocuments({ accountId: tenant.accountId, emailId })
    const settleIn = async (hours: number) => {
      door.advance(hours * hourMs + 1_000)
      await settleDue(door.ctx)
    }
    const code = ({ status, body }: { status: number; body: ErrorBody }) => [status, body.code]

    it('is sent without a mailbox at the time to which it was moved', async () => {
      const { body } = await later()
      const sendAt = inHours(5)
      const moved = await call<Answer>('PATCH', `/api/v1/emails/${body.id}`, { sendAt })
      expect(moved.status).to.equal(200)
      expect(moved.body).to.deep.include({ id: body.id, mailbox: null, sendAt })
      await settleIn(2)
      expect(await rowsOf(body.id)).to.equal(0)
      await settleIn(3)
      expect(await rowsOf(body.id)).to.equal(1)
      const late = { sendAt: inHours(1) }
      expect(code(await call<ErrorBody>('PATCH', `/api/v1/emails/${body.id}`, late))).to.deep.equal([409, 'conflict'])
      expect(code(await call<ErrorBody>('POST', `/api/v1/emails/${body.id}/cancel`))).to.deep.equal([409, 'conflict'])
    })

    it('is not sent once it is cancelled, and its quota is returned', async () => {
      const used = async () => (await call<{ sends: { used: number } }>('GET', '/api/v1/usage')).body.sends.used
      const before = await used()
      const { body } = await later()
      expect(await used()).to.equal(before + 1)
      const cancelled = await call<Answer>('POST', `/api/v1/emails/${body.id}/cancel`)
      expect([cancelled.status, cancelled.body.draft_id]).to.deep.equal([200, null])
      expect(cancelled.body.recipients[0]).to.include({ status: 'failed', reason: 'cancelled' })
      expect(await used()).to.equal(before)
      await settleIn(2)
      expect(await rowsOf(body.id)).to.equal(0)
    })

    it('becomes a draft again if it was one', async () => {
      const box = mailboxPath(tenant.address)
      const { body: draft } = await call<Json>('POST', `${box}/drafts`, { to: 'ada@remote.example', text: 'Draft' })
      const sent = await call<Answer>('POST', `${box}/drafts/${draft.message_id}/send`, { sendAt: inHours(2) })
      const cancelled = await call<Answer>('POST', `/api/v1/emails/${sent.body.id}/cancel`)
      expect(cancelled.status).to.equal(200)
      const again = await call<Json>('GET', `${box}/drafts/${cancelled.body.draft_id}`)
      expect([again.status, again.body.text]).to.deep.equal([200, 'Draft'])
    })

    it('cannot be moved or cancelled by an agent key that did not send it, or by another account', async () => {
      const { body } = await later()
      const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, kind: 'agent', scopes: ['mail:send'] })
      const other = await makeTenant(door, { name: 'elsewhere' })
      for (const key of [apiKey, other.key]) {
        const stranger = client(door.http, key)
        const moved = await stranger<ErrorBody>('PATCH', `/api/v1/emails/${body.id}`, { sendAt: inHours(3) })
        const cancelled = await stranger<ErrorBody>('POST', `/api/v1/emails/${body.id}/cancel`)
        expect([code(moved), code(cancelled)]).to.deep.equal(Array(2).fill([404, 'email_not_found']))
      }
      await settleIn(2)
      expect(await rowsOf(body.id)).to.equal(1)
    })

    it('refuses to move or cancel a send that was not scheduled', async () => {
      const { body } = await send({ text: 'x' })
      expect(code(await call<ErrorBody>('POST', `/api/v1/emails/${body.id}/cancel`))).to.deep.equal([409, 'conflict'])
    })
  })

  it('another account sees neither sends nor templates', async () => {
    const other = await makeTenant(door, { name: 'other' })
    const elsewhere = client(door.http, other.key)
    const { body } = await send({ text: 'x' })
    expect((await elsewhere('GET', `/api/v1/emails/${body.id}`)).status).to.equal(404)
    expect((await elsewhere('GET', '/api/v1/templates/welcome')).status).to.equal(404)
  })

  it('is sent once under one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'order-7' }
    const body = { from: 'orders@tenant.example', to: 'ada@remote.example', text: 'Thanks.' }
    const first = await call<Answer>('POST', '/api/v1/emails', body, headers)
    const again = await call<Answer>('POST', '/api/v1/emails', body, headers)
    expect([again.status, again.body.id]).to.deep.equal([202, first.body.id])
    await door.ctx.background.done()
    await settleDue(door.ctx)
    expect(
      await door.ctx.store.outbox.countDocuments({ accountId: tenant.accountId, emailId: first.body.id }),
    ).to.equal(1)
  })
})
