import { expect } from 'chai'
import { claimAttempts } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import { announceArrivals, announceMissed } from '../../core/receive/announce.ts'
import { settleByIds, settleDue } from '../../core/send/settle.ts'
import { findMessagesIn } from '../../store/messages.ts'
import type { WriteTogether } from '../../store/writes.ts'
import { toldOf } from '../documents.ts'
import { type Call, client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'

type Contact = { name: string; address: string; last_seen_at: string; sent: number; received: number }
type Page = { contacts: Contact[]; next: string | null }

describe('api: contacts', () => {
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  let counter = 0
  const writes = (from: string, to = tenant.address) =>
    deliver(door.ctx, { to, raw: `From: ${from}\nTo: ${to}\nSubject: ${counter++}\n\nHello.\n` })
  const list = async (query = '', address = tenant.address) =>
    (await call<Page>('GET', `${mailboxPath(address)}/contacts${query}`)).body
  const contact = async (address: string) =>
    (await list('?limit=200')).contacts.find((each) => each.address === address)

  it('collects the senders, each with the latest name and the number of messages', async () => {
    const ids = [await writes('ada@remote.example'), await writes('"Ada Lovelace" <ADA@remote.example>')]
    await announceArrivals(door.ctx, await toldOf(door.ctx, ids))
    expect(await contact('ada@remote.example')).to.include({ name: 'Ada Lovelace', received: 2, sent: 0 })
  })

  it('counts a message once, however often it is announced', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => writes('Bea <bea@remote.example>')))
    await announceArrivals(door.ctx, await toldOf(door.ctx, ids))
    await Promise.all([
      announceArrivals(door.ctx, await toldOf(door.ctx, ids)),
      announceArrivals(door.ctx, await toldOf(door.ctx, ids)),
    ])
    await announceMissed(door.ctx, await findMessagesIn(door.ctx.store, await toldOf(door.ctx, ids)))
    expect(await contact('bea@remote.example')).to.include({ received: 3 })
  })

  it('counts a message once after a crash between the event and the contact', async () => {
    const ids = await Promise.all([1, 2].map(() => writes('Cyd <cyd@remote.example>')))
    const writeTogether: WriteTogether = (writes) =>
      writes.some(({ collection }) => collection === 'contacts')
        ? Promise.reject(new Error('killed'))
        : door.ctx.store.writeTogether(writes)
    const dying = { ...door.ctx, store: { ...door.ctx.store, writeTogether } }
    await announceArrivals(dying, await toldOf(dying, ids)).catch(() => undefined)
    expect(await contact('cyd@remote.example')).to.equal(undefined)
    const living = { ...door.ctx, store: { ...door.ctx.store } }
    await announceMissed(living, await findMessagesIn(door.ctx.store, await toldOf(door.ctx, ids)))
    expect(await contact('cyd@remote.example')).to.include({ received: 2 })
    await announceMissed(living, await findMessagesIn(door.ctx.store, await toldOf(door.ctx, ids)))
    await announceArrivals(living, await toldOf(living, [await writes('Cyd <cyd@remote.example>')]))
    expect(await contact('cyd@remote.example')).to.include({ received: 3 })
  })

  it('counts messages whose events are dropped, once', async () => {
    const other = await makeTenant(door, { name: 'flooded' })
    const usageOf = client(door.http, other.key)
    await door.ctx.store.usage.insertOne({
      _id: `${other.accountId}:${new Date().toISOString().slice(0, 13)}`,
      expiresAt: new Date(Date.now() + 86_400_000),
      counts: { messageEvents: 1_999 },
    })
    const ids = await Promise.all([1, 2, 3].map(() => writes('Flo <flo@remote.example>', other.address)))
    await announceArrivals(door.ctx, await toldOf(door.ctx, ids))
    await announceMissed(door.ctx, await findMessagesIn(door.ctx.store, await toldOf(door.ctx, ids)))
    const { body } = await usageOf<{ emails: { received: number }; eventsDropped: number }>('GET', '/api/v1/usage')
    expect([body.emails.received, body.eventsDropped]).to.deep.equal([3, 2])
    const found = await usageOf<Page>('GET', `${mailboxPath(other.address)}/contacts`)
    expect(found.body.contacts).to.have.length(1)
    expect(found.body.contacts[0]).to.include({ received: 3 })
    const events = await usageOf<{ events: { type: string }[] }>('GET', '/api/v1/events?limit=200')
    expect(events.body.events.filter(({ type }) => type.startsWith('message.'))).to.have.length(1)
  })

  it('collects every recipient of a send once, even if it is settled again', async () => {
    const { body } = await call<{ id: string }>('POST', `${mailboxPath(tenant.address)}/send`, {
      to: ['Dan <dan@remote.example>', 'dan@remote.example'],
      cc: { name: 'Eve', address: 'eve@remote.example' },
      bcc: 'fay@remote.example',
      subject: 'x',
      text: 'x',
    })
    const { emails } = door.ctx.store
    // As after a crash: everything is derived, but the send is not marked as settled.
    await emails.updateOne({ _id: body.id }, { $set: { planned: false, todoAt: new Date(0) } })
    await Promise.all([settleDue(door.ctx), settleByIds(door.ctx, { ids: [body.id], accountIds: [tenant.accountId] })])
    for (const [address, name] of [
      ['dan@remote.example', 'Dan'],
      ['eve@remote.example', 'Eve'],
      ['fay@remote.example', ''],
    ] as const)
      expect(await contact(address)).to.include({ name, sent: 1, received: 0 })
  })

  it('keeps both directions in one contact', async () => {
    await announceArrivals(door.ctx, await toldOf(door.ctx, [await writes('dan@remote.example')]))
    expect(await contact('dan@remote.example')).to.include({ name: 'Dan', sent: 1, received: 1 })
  })

  it('stores a name unchanged, whatever it looks like', async () => {
    await announceArrivals(
      door.ctx,
      await toldOf(door.ctx, [await writes('"$name $$ROOT {{x}}" <odd@remote.example>')]),
    )
    expect(await contact('odd@remote.example')).to.include({ name: '$name $$ROOT {{x}}' })
  })

  const searches: readonly (readonly [string, readonly string[]])[] = [
    ['love', ['ada@remote.example']],
    ['LOVE', ['ada@remote.example']],
    ['ada love', ['ada@remote.example']],
    ['lace', []],
    ['ada@rem', ['ada@remote.example']],
    ['remote', []],
    ['jean-l', ['jl@remote.example']],
    ['luc', ['jl@remote.example']],
    ['ÉTÉ', ['ete@remote.example']],
    ['^', []],
    ['.*', []],
  ]
  for (const [q, expected] of searches) {
    it(`q=${q} finds ${expected.join(', ') || 'nobody'}`, async () => {
      if ((await contact('jl@remote.example')) === undefined)
        await announceArrivals(
          door.ctx,
          await toldOf(door.ctx, [
            await writes('Jean-Luc <jl@remote.example>'),
            await writes('=?utf-8?q?=C3=89t=C3=A9?= <ete@remote.example>'),
          ]),
        )
      const found = await list(`?q=${encodeURIComponent(q)}`)
      expect(found.contacts.map(({ address }) => address)).to.deep.equal(expected)
    })
  }

  for (const q of ['', '&q=re']) {
    it(`pages newest first${q && ' of those who match'}`, async () => {
      const other = await makeTenant(door, { name: `paged${q.length}` })
      for (let n = 0; n < 5; n++)
        await announceArrivals(
          door.ctx,
          await toldOf(door.ctx, [await writes(`Re${n} <re${n}@remote.example>`, other.address)]),
        )
      const asked = client(door.http, other.key)
      const seen: string[] = []
      let query = `?limit=2${q}`
      for (let page = 0; page < 3; page++) {
        const { body } = await asked<Page>('GET', `${mailboxPath(other.address)}/contacts${query}`)
        seen.push(...body.contacts.map(({ address }) => address))
        if (body.next === null) break
        query = `?limit=2${q}&before=${body.next}`
      }
      expect(seen).to.deep.equal([4, 3, 2, 1, 0].map((n) => `re${n}@remote.example`))
    })
  }

  const refusals: readonly (readonly [string, string, string])[] = [
    ['an invalid cursor', '?before=nonsense', 'validation_error'],
    ['a long q', `?q=${'x'.repeat(201)}`, 'validation_error'],
  ]
  for (const [what, query, code] of refusals) {
    it(`refuses ${what}`, async () => {
      const { body } = await call<ErrorBody>('GET', `${mailboxPath(tenant.address)}/contacts${query}`)
      expect(body.code).to.equal(code)
    })
  }

  it('are not shown to another tenant, or to a key without mail:read', async () => {
    const stranger = await makeTenant(door, { name: 'stranger' })
    const theirs = await client(door.http, stranger.key)<ErrorBody>('GET', `${mailboxPath(tenant.address)}/contacts`)
    expect(theirs.body.code).to.equal('mailbox_not_found')
    const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mail:send'] })
    const without = await client(door.http, apiKey)<ErrorBody>('GET', `${mailboxPath(tenant.address)}/contacts`)
    expect(without.body).to.include({ code: 'insufficient_scope', requiredScope: 'mail:read' })
  })

  describe('delivery status', () => {
    type Report = { id: string; message_id: string; status: string; recipients: { status: string; response: string }[] }
    let sent: { id: string; message_id: string }

    before(async () => {
      const { body } = await call<typeof sent>('POST', `${mailboxPath(tenant.address)}/send`, {
        to: ['one@status.example', 'two@status.example'],
        subject: 'status',
        text: 'x',
      })
      sent = body
    })
    const status = (query: string, key = tenant.key) =>
      client(door.http, key)<Report & ErrorBody>('GET', `/api/v1/delivery-status${query}`)

    it('is found by the id of the send and of its copy', async () => {
      const byId = await status(`?id=${sent.id}`)
      const byMessage = await status(`?message_id=${sent.message_id}`)
      expect(byId.body).to.deep.include({ id: sent.id, message_id: sent.message_id, mailbox: tenant.address })
      expect(byId.body).to.include({ subject: 'status', status: 'queued' })
      expect(byMessage.body).to.deep.equal(byId.body)
    })

    it('is that of the recipient furthest behind, and among settled ones the worst', async () => {
      await door.ctx.background.done()
      const attempts = await claimAttempts(door.ctx, { owner: 'test', max: 50 })
      const ofSend = attempts.filter(({ emailId }) => emailId === sent.id)
      const outcome = { mx: 'mx.status.example', tls: true, at: new Date() }
      const [one, two] = [0, 1].map((n) => ofSend.find((attempt) => attempt.n === n)!)
      await recordOutcome(door.ctx, one!, { ...outcome, status: 'delivered', response: '250 2.0.0 taken' })
      expect((await status(`?id=${sent.id}`)).body.status).to.equal('queued')
      await recordOutcome(door.ctx, two!, { ...outcome, status: 'bounced', response: '550 5.1.1 nobody' })
      const { body } = await status(`?id=${sent.id}`)
      expect(body.status).to.equal('bounced')
      expect(body.recipients.map((each) => [each.status, each.response])).to.deep.equal([
        ['delivered', '250 2.0.0 taken'],
        ['bounced', '550 5.1.1 nobody'],
      ])
      expect(body.recipients[0]).to.have.all.keys('email', 'status', 'reason', 'at', 'mx', 'response', 'attempts')
    })

    const refused: readonly (readonly [string, () => string, string, string])[] = [
      ['neither', () => '', 'validation_error', 'so no send is named'],
      [
        'both',
        () => `?id=${sent.id}&message_id=${sent.message_id}`,
        'validation_error',
        'only one send can be asked for',
      ],
      ['an unknown id', () => '?id=em_none', 'email_not_found', 'em_none'],
      ['an unknown message', () => '?message_id=msg_none', 'not_found', 'msg_none'],
    ]
    for (const [what, query, code, says] of refused)
      it(`with ${what} is ${code}`, async () => {
        const { body } = await status(query())
        expect(body.code).to.equal(code)
        expect(JSON.stringify(body)).to.include(says)
      })

    it('is shown to an agent key only for its mailboxes, and to no other tenant', async () => {
      const agent = (mailboxIds: string[]) =>
        makeKey(door.ctx, { accountId: tenant.accountId, ...agentKey, mailboxIds })
      const agentKey = { kind: 'agent', scopes: ['mail:read'] } as const
      const [inside, outside] = [await agent([tenant.mailboxId]), await agent([])]
      const stranger = await makeTenant(door, { name: 'stranger2' })
      expect((await status(`?id=${sent.id}`, inside.apiKey)).status).to.equal(200)
      for (const key of [outside.apiKey, stranger.key]) {
        expect((await status(`?id=${sent.id}`, key)).body.code).to.equal('email_not_found')
        expect((await status(`?message_id=${sent.message_id}`, key)).body.code).to.equal('not_found')
      }
      const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mail:send'] })
      expect((await status(`?id=${sent.id}`, apiKey)).body.code).to.equal('insufficient_scope')
    })
  })
})
