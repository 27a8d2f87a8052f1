import { expect } from 'chai'
import { pauseAccount, resumeAccount, suspendAccount, unsuspendAccount } from '../../core/account/holds.ts'
import { pauseSending, resumeSending } from '../../core/account/reputation.ts'
import type { Context } from '../../core/process/context.ts'
import { settleDue } from '../../core/send/settle.ts'
import type { Json } from '../peers/rest.ts'
import { type Call, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, openTenant, type Tenant } from '../start/door.ts'

const hourMs = 3_600_000

describe('api: sends for later, dry runs and forwards', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let box: string

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    box = mailboxPath(tenant.address)
  })
  after(() => door?.close())

  const inHours = (hours: number) => new Date(door.ctx.clock.now().getTime() + hours * hourMs).toISOString()
  const send = (body: Json) =>
    call<Json & ErrorBody & { id: string; message_id: string; recipients: Json[] }>('POST', `${box}/send`, {
      to: 'ada@remote.example',
      subject: 'Later',
      text: 'Hello',
      ...body,
    })
  const sentCopy = (messageId: string) =>
    call<Json & { headers: [string, string][] }>('GET', `${box}/messages/${messageId}`)
  const used = async () => (await call<{ sends: { used: number } }>('GET', '/api/v1/usage')).body.sends.used

  it('a scheduled send waits, is listed, and is sent at its time', async () => {
    const sendAt = inHours(2)
    const { status, body } = await send({ sendAt })
    expect([status, body.status, body.sendAt]).to.deep.equal([202, 'scheduled', sendAt])
    const { body: list } = await call<{ scheduled: Json[] }>('GET', `${box}/scheduled`)
    expect(list.scheduled[0]).to.deep.include({
      id: body.id,
      sendAt,
      status: 'scheduled',
      to: ['ada@remote.example'],
      subject: 'Later',
    })
    await settleDue(door.ctx)
    expect((await sentCopy(body.message_id)).status).to.equal(404)

    door.advance(2 * hourMs + 1_000)
    await settleDue(door.ctx)
    const copy = await sentCopy(body.message_id)
    const date = copy.body.headers.find(([name]) => name === 'Date')
    expect(copy.body).to.include({ folder: 'Sent', received_at: sendAt })
    expect(new Date(String(date?.[1])).toISOString().slice(0, 19)).to.equal(sendAt.slice(0, 19))
    expect((await call<{ scheduled: Json[] }>('GET', `${box}/scheduled`)).body.scheduled).to.deep.equal([])
    const late = await call<ErrorBody>('DELETE', `${box}/scheduled/${body.id}`)
    expect([late.status, late.body.code]).to.deep.equal([409, 'conflict'])
  })

  it('a scheduled send can be moved: its date and signature are those of the new time', async () => {
    const { body } = await send({ sendAt: inHours(2) })
    const sendAt = inHours(5)
    const moved = await call('PATCH', `${box}/scheduled/${body.id}`, { sendAt })
    expect([moved.status, moved.body.sendAt]).to.deep.equal([200, sendAt])
    door.advance(2 * hourMs + 1_000)
    await settleDue(door.ctx)
    expect((await sentCopy(body.message_id)).status).to.equal(404)
    door.advance(3 * hourMs)
    await settleDue(door.ctx)
    const { headers } = (await sentCopy(body.message_id)).body
    expect(headers.filter(([name]) => name === 'DKIM-Signature')).to.have.length(2)
    const dates = headers.filter(([name]) => name === 'Date').map(([, date]) => new Date(date).toISOString())
    expect(dates.map((date) => date.slice(0, 19))).to.deep.equal([sendAt.slice(0, 19)])
  })

  for (const [where, from, to] of [
    ['an earlier', 20 * 24, 2],
    ['a later', 2, 20 * 24],
  ] as const)
    it(`a send moved to ${where} time is listed in the order in which it was sent, under its first id too`, async () => {
      const { body } = await send({ subject: 'Moved', sendAt: inHours(from) })
      const sendAt = inHours(to)
      const moved = await call('PATCH', `${box}/scheduled/${body.id}`, { sendAt })
      door.advance(hourMs)
      const { body: before } = await send({ subject: 'Before' })
      door.advance(to * hourMs)
      await settleDue(door.ctx)
      const { body: after } = await send({ subject: 'After' })
      const sent = [after.message_id, moved.body.message_id, before.message_id]
      const listed = await call<{ messages: Json[] }>('GET', `${box}/messages?folder=sent&limit=3`)
      expect(listed.body.messages.map(({ message_id }) => message_id)).to.deep.equal(sent)
      const query = new URLSearchParams({ folder: 'sent', since: inHours(-1.5), until: inHours(-0.5) })
      const lately = await call<{ messages: Json[] }>('GET', `${box}/messages?${query}`)
      expect(lately.body.messages.map(({ subject }) => subject)).to.deep.equal(['Moved'])
      expect((await sentCopy(body.message_id)).body.message_id).to.equal(moved.body.message_id)
      const status = await call('GET', `/api/v1/delivery-status?message_id=${body.message_id}`)
      expect(status.body).to.deep.include({ id: body.id, message_id: moved.body.message_id })
    })

  it('a cancelled send is never sent, and its quota is returned', async () => {
    const before = await used()
    const { body } = await send({ sendAt: inHours(1) })
    expect(await used()).to.equal(before + 1)
    const cancelled = await call('DELETE', `${box}/scheduled/${body.id}`)
    expect([cancelled.status, cancelled.body.status, cancelled.body.draft_id]).to.deep.equal([200, 'cancelled', null])
    expect(await used()).to.equal(before)
    door.advance(2 * hourMs)
    await settleDue(door.ctx)
    expect((await sentCopy(body.message_id)).status).to.equal(404)
    expect(await door.ctx.store.outbox.countDocuments({ accountId: tenant.accountId, emailId: body.id })).to.equal(0)
  })

  const refused: readonly (readonly [string, () => Json, string])[] = [
    ['a time in the past', () => ({ sendAt: inHours(-1) }), 'sendAt'],
    ['more than 30 days ahead', () => ({ sendAt: inHours(31 * 24) }), 'sendAt'],
    ['an invalid time', () => ({ sendAt: 'tomorrow' }), 'sendAt'],
  ]
  for (const [name, body, param] of refused) {
    it(`refuses ${name}`, async () => {
      const answer = await send(body())
      expect([answer.status, answer.body.code, answer.body.param]).to.deep.equal([400, 'validation_error', param])
    })
  }

  it('moving a scheduled send to a past time is refused, with advice to give a later one', async () => {
    const { body } = await send({ sendAt: inHours(1) })
    const late = await call<Json & ErrorBody>('PATCH', `${box}/scheduled/${body.id}`, { sendAt: inHours(-1) })
    expect([late.status, late.body.param]).to.deep.equal([400, 'sendAt'])
    expect(late.body.fix).to.match(/^Give a time after \S+Z\.$/)
    await call('DELETE', `${box}/scheduled/${body.id}`)
  })

  const holds: readonly (readonly [code: string, hold: Hold, end: (id: string) => Promise<unknown>])[] = [
    ['account_suspended', suspendAccount, (id) => unsuspendAccount(door.ctx, id)],
    ['account_paused', pauseAccount, (id) => resumeAccount(door.ctx, id)],
    ['sending_paused', pauseSending, (id) => resumeSending(door.ctx, id, 'a test')],
  ]
  type Hold = (ctx: Context, accountId: string, reason: string) => Promise<unknown>
  for (const [code, hold, end] of holds)
    it(`a send that becomes due while the account is refused with ${code} fails with it, and its quota is returned`, async () => {
      const before = await used()
      const { body } = await send({ sendAt: inHours(1) })
      await hold(door.ctx, tenant.accountId, 'a test')
      door.advance(hourMs + 1_000)
      await settleDue(door.ctx)
      await end(tenant.accountId)
      const { body: email } = await call<{ recipients: Json[] }>('GET', `/api/v1/emails/${body.id}`)
      expect(email.recipients[0]).to.include({ status: 'failed', reason: code })
      expect((await sentCopy(body.message_id)).status).to.equal(404)
      expect(await used()).to.equal(before)
    })

  it('only recipients who still get the message when it is due are counted', async () => {
    const sent = async () => {
      const { body } = await call<{ days: { sent: number }[] }>('GET', '/api/v1/usage/daily')
      return body.days.reduce((sum, { sent }) => sum + sent, 0)
    }
    const [before, sentBefore] = [await used(), await sent()]
    const to = ['ben@remote.example', 'cyd@remote.example', 'delivered@simulator.invalid', 'gus@remote.example']
    const { body } = await send({ to, sendAt: inHours(1) })
    expect(await used()).to.equal(before + to.length)
    for (const email of [to[1], to[3]]) await call('POST', '/api/v1/suppressions', { email })
    door.advance(hourMs + 1_000)
    await settleDue(door.ctx)
    const { body: email } = await call<{ recipients: Json[] }>('GET', `/api/v1/emails/${body.id}`)
    expect(email.recipients.map(({ reason }) => reason)).to.deep.equal([null, 'suppressed', null, 'suppressed'])
    expect(await used()).to.equal(before + 2)
    expect(await sent()).to.equal(sentBefore + 2)
  })

  it('an unknown send is email_not_found', async () => {
    const { status, body } = await call<ErrorBody>('DELETE', `${box}/scheduled/em_nothing`)
    expect([status, body.code]).to.deep.equal([404, 'email_not_found'])
  })

  it('a dry run returns size, headers and decisions, and sends nothing', async () => {
    const before = await used()
    await call('POST', '/api/v1/suppressions', { email: 'gone@remote.example' })
    const { status, body } = await send({ to: ['ada@remote.example', 'gone@remote.example'], dryRun: true })
    expect(status).to.equal(200)
    expect(body).to.deep.include({
      dryRun: true,
      recipients: [
        { email: 'ada@remote.example', decision: 'send', reason: null },
        { email: 'gone@remote.example', decision: 'suppressed', reason: 'manual' },
      ],
    })
    expect(body.size).to.be.above(500)
    expect((body.headers as [string, string][]).map(([name]) => name)).to.include.members(['From', 'DKIM-Signature'])
    expect(await used()).to.equal(before)
  })

  it('a dry run of a reply or forward returns the same, and does not mark the message as answered', async () => {
    const id = await deliver(door.ctx, {
      to: tenant.address,
      raw: 'From: Eve <eve@remote.example>\nTo: agent@tenant.example\nSubject: A question\n\nWhen?\n',
    })
    type Tried = Json & ErrorBody & { headers: [string, string][] }
    const dryRun = (verb: string, body: Json) =>
      call<Tried>('POST', `${box}/messages/${id}/${verb}`, { ...body, dryRun: true })
    const before = await used()
    const subjects: string[] = []
    for (const [verb, given, email] of [
      ['reply', { text: 'Soon.' }, 'eve@remote.example'],
      ['forward', { to: 'ada@remote.example' }, 'ada@remote.example'],
    ] as const) {
      const { status, body } = await dryRun(verb, given)
      expect([status, body.recipients]).to.deep.equal([200, [{ email, decision: 'send', reason: null }]])
      subjects.push(String(body.headers.find(([name]) => name === 'Subject')?.[1]))
    }
    expect(subjects).to.deep.equal(['Re: A question', 'Fwd: A question'])
    expect(await used()).to.equal(before)
    expect((await call('GET', `${box}/messages/${id}`)).body.answered).to.equal(false)
    const sent = await call('POST', `${box}/messages/${id}/reply`, { text: 'Soon.', dryRun: false })
    expect([sent.status, (await call('GET', `${box}/messages/${id}`)).body.answered]).to.deep.equal([202, true])
  })

  it('a message is forwarded with its attachments below the written text', async () => {
    const id = await deliver(door.ctx, {
      to: tenant.address,
      raw: [
        'From: Eve <eve@remote.example>',
        'To: agent@tenant.example',
        'Subject: Figures',
        'Message-ID: <figures@remote.example>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        '',
        'As promised.',
        '--x',
        'Content-Type: text/csv; name=figures.csv',
        'Content-Disposition: attachment; filename=figures.csv',
        '',
        '1,2,3',
        '--x--',
        '',
      ].join('\n'),
    })
    const forward = (body: Json) =>
      call<{ message_id: string }>('POST', `${box}/messages/${id}/forward`, { to: 'ada@remote.example', ...body })
    const { status, body } = await forward({ text: 'For you.' })
    expect(status).to.equal(202)
    const copy = (await sentCopy(body.message_id)).body
    expect(copy.subject).to.equal('Fwd: Figures')
    expect(String(copy.text)).to.match(/^For you\.\n\n-+ Forwarded message -+\nFrom: Eve <eve@remote\.example>/)
    expect(String(copy.text)).to.contain('As promised.')
    expect((copy.attachments as Json[]).map(({ name }) => name)).to.deep.equal(['figures.csv'])
    const inHtml = await forward({ html: '<p>For <b>you</b>.</p>' })
    expect((await sentCopy(inHtml.body.message_id)).body.text).to.match(/^For you\.\n\n-+ Forwarded message/)
    const bare = (await sentCopy((await forward({ includeAttachments: false })).body.message_id)).body
    expect(copy.attachments).to.have.length(1)
    expect(bare.attachments).to.deep.equal([])
    const content = Buffer.alloc(1).toString('base64')
    const attachments = Array.from({ length: 10 }, (_, n) => ({ name: `${n}.txt`, contentType: 'text/plain', content }))
    const full = (await forward({ attachments })).body as Json
    expect(full).to.include({ code: 'attachments_too_large' })
    expect(full.fix).to.include('"includeAttachments" to false')
    expect((await forward({ attachments, dryRun: true })).body).to.deep.equal(full)
    expect((await forward({ attachments, includeAttachments: false })).status).to.equal(202)
  })
})
