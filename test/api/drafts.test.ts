import { expect } from 'chai'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeTenant, openTenant, type Tenant } from '../start/door.ts'

describe('api: drafts', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let box: string

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    box = mailboxPath(tenant.address)
  })
  after(() => door?.close())

  type Draft = ErrorBody & {
    message_id: string
    folder: string
    subject: string
    text: string
    html: string | null
  } & {
    [list in 'to' | 'bcc' | 'attachments']: { address?: string; name: string }[]
  }
  const create = (body: Json) => call<Draft>('POST', `${box}/drafts`, body)
  const drafts = async () => (await call<{ drafts: Json[] }>('GET', `${box}/drafts`)).body.drafts
  const uidOf = async (id: string) =>
    (await door.ctx.store.messages.findOne({ mailboxId: tenant.mailboxId, _id: id }))?.uid ?? 0

  it('is a message in Drafts in which every field is optional', async () => {
    const { status, body } = await create({})
    expect([status, body.folder, body.to, body.text]).to.deep.equal([201, 'Drafts', [], ''])
    expect((await drafts())[0]).to.include({ message_id: body.message_id })
  })

  it('keeps its id when it is changed, and the fields that a change leaves out', async () => {
    const file = { name: 'a.txt', contentType: 'text/plain', content: Buffer.from('file').toString('base64') }
    const { body } = await create({
      to: 'Ada <ada@remote.example>',
      bcc: 'eve@remote.example',
      subject: 'Plan',
      text: 'First',
      attachments: [file],
      headers: { 'X-Ref': '7' },
    })
    const uid = await uidOf(body.message_id)
    const changed = await call<Draft>('PATCH', `${box}/drafts/${body.message_id}`, { text: 'Second' })
    expect(changed.status).to.equal(200)
    expect(changed.body).to.include({ message_id: body.message_id, subject: 'Plan', text: 'Second', html: null })
    expect(changed.body.to).to.deep.equal([{ name: 'Ada', address: 'ada@remote.example' }])
    expect(changed.body.bcc.map(({ address }) => address)).to.deep.equal(['eve@remote.example'])
    expect(changed.body.attachments.map(({ name }) => name)).to.deep.equal(['a.txt'])
    expect(await uidOf(body.message_id)).to.be.above(uid)
    const sent = await call<Json & { recipients: Json[]; message_id: string }>(
      'POST',
      `${box}/drafts/${body.message_id}/send`,
    )
    expect(sent.status).to.equal(202)
    expect(sent.body.recipients.map(({ email }) => email)).to.deep.equal(['ada@remote.example', 'eve@remote.example'])
    expect((await call('GET', `${box}/drafts/${body.message_id}`)).status).to.equal(404)
    const copy = await call<Draft & { headers: [string, string][] }>('GET', `${box}/messages/${sent.body.message_id}`)
    expect(copy.body).to.include({ folder: 'Sent', subject: 'Plan', text: 'Second' })
    const names = copy.body.headers.map(([name]) => name)
    expect(names).to.include.members(['X-Ref', 'DKIM-Signature']).and.not.include('Bcc')
  })

  describe('its bodies never contradict each other:', () => {
    const rich = { text: 'Price: 10', html: '<p>Price: <b>10</b></p>' }
    type Bodies = { readonly text?: string; readonly html?: string; readonly markdown?: string }
    const cases: readonly (readonly [name: string, was: Bodies, change: Bodies, text: string, html: RegExp | null])[] =
      [
        ['new text takes the place of both', rich, { text: 'Price: 20' }, 'Price: 20', null],
        ['also of those made of Markdown', { markdown: 'Price: **10**' }, { text: 'Price: 20' }, 'Price: 20', null],
        ['also of HTML alone', { html: rich.html }, { text: 'Price: 20' }, 'Price: 20', null],
        ['so does new HTML', rich, { html: '<p>Price: 20</p>' }, 'Price: 20', /Price: 20/],
        ['the same text leaves the HTML', rich, { text: rich.text }, 'Price: 10', /<b>10<\/b>/],
        [
          'the text that HTML alone is shown as leaves it',
          { html: rich.html },
          { text: 'Price: 10' },
          'Price: 10',
          /<b>10/,
        ],
        ['what is given together stays together', rich, { ...rich, text: 'It is 10.' }, 'It is 10.', /<b>10<\/b>/],
        ['empty HTML leaves the text', rich, { html: '' }, 'Price: 10', null],
      ]
    for (const [name, was, change, text, html] of cases)
      it(name, async () => {
        const { body } = await create({ to: 'ada@remote.example', subject: 'Price', ...was })
        const subject = { subject: 'The price' }
        const changed = await call<Draft>('PATCH', `${box}/drafts/${body.message_id}`, { ...change, ...subject })
        expect(changed.body.text.trim()).to.equal(text)
        if (html === null) expect(changed.body.html).to.equal(null)
        else expect(changed.body.html).to.match(html)
        const sent = await call<Draft>('POST', `${box}/drafts/${body.message_id}/send`)
        const copy = await call<Draft>('GET', `${box}/messages/${sent.body.message_id}`)
        expect([copy.body.text.trim(), copy.body.html]).to.deep.equal([text, changed.body.html])
      })
  })

  it('is not rewritten by a change that changes nothing', async () => {
    const { body } = await create({
      to: 'Ada <ada@remote.example>',
      subject: 'Plan',
      text: 'First',
      headers: { 'X-A': '1' },
    })
    const uid = await uidOf(body.message_id)
    const same = {
      to: [{ name: 'Ada', address: 'ada@remote.example' }],
      cc: [],
      bcc: [],
      subject: 'Plan',
      text: 'First',
    }
    for (const change of [{}, same, { headers: { 'X-A': '1' } }])
      expect((await call<Draft>('PATCH', `${box}/drafts/${body.message_id}`, change)).body).to.deep.equal(body)
    expect(await uidOf(body.message_id)).to.equal(uid)
  })

  it('keeps the thread in which it replies', async () => {
    const id = await deliver(door.ctx, {
      to: tenant.address,
      raw: 'From: Eve <eve@remote.example>\nSubject: Question\nMessage-ID: <why@remote.example>\n\nWhy?\n',
    })
    const { body } = await create({ to: 'eve@remote.example', text: 'Because.', inReplyTo: id })
    const sent = await call<{ thread_id: string }>('POST', `${box}/drafts/${body.message_id}/send`)
    const answered = await call<{ thread_id: string }>('GET', `${box}/messages/${id}`)
    expect(sent.body.thread_id).to.equal(answered.body.thread_id)
  })

  it('is kept if it cannot be sent', async () => {
    const { body } = await create({ text: 'To nobody' })
    const refused = await call<ErrorBody>('POST', `${box}/drafts/${body.message_id}/send`)
    expect([refused.status, refused.body.code, refused.body.param]).to.deep.equal([400, 'validation_error', 'to'])
    expect((await call('GET', `${box}/drafts/${body.message_id}`)).status).to.equal(200)
  })

  it('is deleted permanently, with its bytes', async () => {
    const { body } = await create({ text: 'Never mind' })
    const doc = await door.ctx.store.messages.findOne({ mailboxId: tenant.mailboxId, _id: body.message_id })
    expect((await call('DELETE', `${box}/drafts/${body.message_id}`)).body).to.include({ deleted: true })
    expect(await door.ctx.store.blobs.findOne({ _id: `${doc?.blob.id}#0` })).to.equal(null)
  })

  it('can be sent at a time', async () => {
    const { body } = await create({ to: 'ada@remote.example', text: 'Later' })
    const sendAt = new Date(door.ctx.clock.now().getTime() + 3_600_000).toISOString()
    const sent = await call('POST', `${box}/drafts/${body.message_id}/send`, { sendAt })
    expect([sent.status, sent.body.status, sent.body.sendAt]).to.deep.equal([202, 'scheduled', sendAt])
  })

  describe('whose send for later is cancelled', () => {
    type Cancelled = ErrorBody & { readonly id: string; readonly draft_id: string }
    const inAnHour = () => new Date(door.ctx.clock.now().getTime() + 3_600_000).toISOString()
    const read = (id: string) => call<Draft & Json>('GET', `${box}/drafts/${id}`)
    async function plan(id: string): Promise<string> {
      const { status, body } = await call<{ id: string }>('POST', `${box}/drafts/${id}/send`, { sendAt: inAnHour() })
      expect(status).to.equal(202)
      return body.id
    }
    const cancel = (id: string) => call<Cancelled>('DELETE', `${box}/scheduled/${id}`)

    it('becomes a draft again with all its content, and can be sent again', async () => {
      await call('PATCH', `/api/v1/mailboxes/${tenant.address}`, { signature: 'Ann of Sales' })
      const raw = 'From: carol@remote.example\nSubject: Ask\nMessage-ID: <ask@remote.example>\n\nHi\n'
      const inReplyTo = await deliver(door.ctx, { to: tenant.address, raw })
      const { body: written } = await create({
        inReplyTo,
        to: 'Ada <ada@remote.example>',
        cc: 'bob@remote.example',
        bcc: 'eve@remote.example',
        subject: 'Offer',
        text: 'Ten',
        html: '<p><b>Ten</b></p>',
        attachments: [{ name: 'a.txt', contentType: 'text/plain', content: Buffer.from('file').toString('base64') }],
        headers: { 'X-Ref': '7' },
      })
      const sendId = await plan(written.message_id)
      const cancelled = await cancel(sendId)
      expect(cancelled.status).to.equal(200)
      const { draft_id: id } = cancelled.body
      const { body: again } = await read(id)
      for (const field of ['to', 'cc', 'bcc', 'subject', 'thread_id', 'folder', 'from'])
        expect(again[field], field).to.deep.equal((written as Json)[field])
      expect(again.text).to.equal('Ten\n\n-- \nAnn of Sales')
      expect(again.html).to.include('<b>Ten</b>')
      expect(again.attachments.map(({ name }) => name)).to.deep.equal(['a.txt'])
      const sent = await call<Json & { id: string; message_id: string }>('POST', `${box}/drafts/${id}/send`)
      expect([sent.status, sent.body.id === sendId]).to.deep.equal([202, false])
      const { body: copy } = await call<Draft & { headers: [string, string][] }>(
        'GET',
        `${box}/messages/${sent.body.message_id}`,
      )
      expect(copy.text.match(/Ann of Sales/g)).to.have.length(1)
      expect(copy.headers).to.deep.include(['X-Ref', '7']).and.deep.include(['In-Reply-To', '<ask@remote.example>'])
      expect(copy.headers.filter(([name]) => name === 'DKIM-Signature')).to.have.length(2)
      await call('PATCH', `/api/v1/mailboxes/${tenant.address}`, { signature: '' })
    })

    it('becomes one draft, however many requests cancel it at once', async () => {
      const { message_id: id } = (await create({ to: 'ada@remote.example', subject: 'Cancelled', text: 'Hi' })).body
      const sendId = await plan(id)
      const answers = await Promise.all(Array.from({ length: 4 }, () => cancel(sendId)))
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 409, 409, 409])
      const found = (await drafts()).filter(({ subject }) => subject === 'Cancelled')
      const [made] = answers.flatMap(({ status, body }) => (status === 200 ? [body.draft_id] : []))
      expect(found.map(({ message_id }) => message_id)).to.deep.equal([made])
    })

    it('can be cancelled even if its bytes are gone', async () => {
      const sendId = await plan(
        (await create({ to: 'ada@remote.example', subject: 'Gone', text: 'Hi' })).body.message_id,
      )
      const email = await door.ctx.store.emails.findOne({ accountId: tenant.accountId, _id: sendId })
      await door.ctx.store.blobs.deleteMany({ _id: `${email?.blob.id}#0` })
      const { status, body } = await cancel(sendId)
      expect([status, body.draft_id]).to.deep.equal([200, null])
    })

    it('becomes a draft from the address of the mailbox if its alias is gone', async () => {
      const alias = `sales@${tenant.address.split('@')[1]}`
      await call('POST', '/api/v1/aliases', { alias, targets: [tenant.address] })
      const fields = { from: `Sales <${alias}>`, to: 'ada@remote.example', subject: 'Alias', text: 'Hi' }
      const sendId = await plan((await create(fields)).body.message_id)
      await call('DELETE', `/api/v1/aliases/${alias}`)
      const { status, body } = await cancel(sendId)
      expect(status, JSON.stringify(body)).to.equal(200)
      expect((await read(body.draft_id)).body)
        .to.include({ subject: 'Alias' })
        .and.deep.include({
          from: { name: 'Agent', address: tenant.address },
        })
    })
  })

  it('is sent once for several simultaneous requests, which all get the same answer', async () => {
    const used = async () => (await call<{ sends: { used: number } }>('GET', '/api/v1/usage')).body.sends.used
    const before = await used()
    const { message_id: id } = (await create({ to: 'once@remote.example', subject: 'Once', text: 'Hi' })).body
    const sent = await Promise.all(Array.from({ length: 5 }, () => call('POST', `${box}/drafts/${id}/send`)))
    const answers = sent.map(({ status, body }) => [status, status === 202 ? body.id : body.code])
    const [[, first] = []] = answers.filter(([status]) => status === 202)
    // A request that arrives after the draft was sent finds no draft.
    for (const answer of answers)
      expect([
        [202, first],
        [404, 'not_found'],
      ]).to.deep.include(answer)
    expect(answers.filter(([status]) => status === 202)).to.have.length.above(1)
    expect(await used()).to.equal(before + 1)
  })

  it('is sent even if the message that it answers is gone', async () => {
    const raw = 'From: carol@remote.example\nSubject: Gone\nMessage-ID: <gone@remote.example>\n\nHi\n'
    const inReplyTo = await deliver(door.ctx, { to: tenant.address, raw })
    const { message_id: id } = (await create({ to: 'carol@remote.example', subject: 'Re', text: 'Hi', inReplyTo })).body
    await call('DELETE', `${box}/messages/${inReplyTo}?permanent=true`)
    expect(await call('PATCH', `${box}/drafts/${id}`, { text: 'Hello' })).to.have.property('status', 200)
    const sent = await call<Draft>('POST', `${box}/drafts/${id}/send`)
    expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
    const copy = await call<{ in_reply_to: string }>('GET', `${box}/messages/${sent.body.message_id}`)
    expect(copy.body.in_reply_to).to.equal('gone@remote.example')
  })

  it('refuses invalid addresses, drafts, and messages that cannot be answered', async () => {
    const address = await create({ cc: ['ada@remote.example', 'x@@y'] })
    expect([address.status, address.body.param]).to.deep.equal([400, 'cc[1]'])
    const parent = await create({ inReplyTo: 'msg_none' })
    expect([parent.status, parent.body.param]).to.deep.equal([400, 'inReplyTo'])
    const { message_id: draft } = (await create({ text: 'To whom?' })).body
    const alone = await call<Json>('POST', `${box}/drafts/${draft}/send`)
    expect([alone.status, alone.body.error]).to.deep.equal([400, `The draft ${draft} has no recipient.`])
    expect(alone.body.fix).to.include('update_draft')
    const inbox = await deliver(door.ctx, { to: tenant.address, raw: 'Subject: x\n\nx\n' })
    expect((await call('GET', `${box}/drafts/${inbox}`)).status).to.equal(404)
    expect((await call('DELETE', `${box}/drafts/${inbox}`)).status).to.equal(404)
  })

  it("is for agents: a person's mailbox answers agent_inbox_only, and other tenants see nothing", async () => {
    const address = 'person@tenant.example'
    await call('POST', '/api/v1/mailboxes', { address, displayName: 'Person', kind: 'person' })
    for (const [method, body] of [
      ['GET', undefined],
      ['POST', { text: 'x' }],
    ] as const) {
      const answer = await call<ErrorBody>(method, `${mailboxPath(address)}/drafts`, body)
      expect([answer.status, answer.body.code]).to.deep.equal([403, 'agent_inbox_only'])
    }
    const other = await makeTenant(door, { name: 'other' })
    expect((await client(door.http, other.key)('GET', `${box}/drafts`)).status).to.equal(404)
  })
})
