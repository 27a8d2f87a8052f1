import { expect } from 'chai'
import { createAccount, getAccount } from '../../core/account/accounts.ts'
import type { DayUsage } from '../../core/account/daily-usage.ts'
import { issueTestKey } from '../../core/account/sandboxes.ts'
import { tallyEventsUpTo } from '../../core/receive/received-counts.ts'
import { agentScopes, allScopes } from '../../schemas/scopes.ts'
import { lastEventNumber } from '../../store/events.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, makeKey, openDoor } from '../start/door.ts'

const daySeconds = 86_400
const none = { sent: 0, received: 0, delivered: 0, bounced: 0, complained: 0, bytes: 0 }

describe('api: the figures of each day', () => {
  let door: Door
  let call: Call
  let accountId: string
  let inbox: string
  let second: string
  /** The current day of the sandbox. */
  let today: string

  before(async () => {
    door = await openDoor()
    const { id } = await createAccount(door.ctx, { name: 'charts', owner: null })
    const request = { kind: 'account' as const, name: 'charts', scopes: allScopes, mailboxes: [], expiresAt: null }
    const { apiKey, key, domain } = await issueTestKey(door.ctx, await getAccount(door.ctx, id), request)
    call = client(door.http, apiKey)
    accountId = key.accountId
    inbox = `agent@${domain}`
    second = `second@${domain}`
    await call('POST', '/api/v1/mailboxes', { address: second })
    await nextDay()
  })
  after(() => door?.close())

  /** Advances the clock to the middle of the next day. */
  async function nextDay(): Promise<void> {
    const { body } = await call<{ now: string }>('POST', '/api/v1/test/clock', { advance: 1 })
    const noon = Date.parse(`${body.now.slice(0, 10)}T12:00:00.000Z`) + daySeconds * 1_000
    const moved = await call<{ now: string }>('POST', '/api/v1/test/clock', { now: new Date(noon).toISOString() })
    today = moved.body.now.slice(0, 10)
  }
  const settled = () => call('POST', '/api/v1/test/clock', { advance: 60 })
  const send = async (from: string, to: readonly string[], more: Json = {}) => {
    const { status, body } = await call('POST', `${mailboxPath(from)}/send`, { to, text: 'Hi', ...more })
    expect(status, JSON.stringify(body)).to.equal(202)
    return String(body.id)
  }
  const inbound = async (mailbox: string, text: string) => {
    const raw = `From: a@remote.example\r\n\r\n${text}\r\n`
    const content = Buffer.from(raw).toString('base64')
    expect((await call('POST', '/api/v1/test/inbound', { mailbox, raw: content })).status).to.equal(201)
    return raw.length
  }
  const ask = async (query = '', by = call) =>
    (await by<{ days: DayUsage[] } & ErrorBody>('GET', `/api/v1/usage/daily${query}`)).body
  const figuresOf = async (query = '', by = call) => {
    const { day: _, ...figures } = (await ask(query, by)).days.at(-1)!
    return figures
  }

  it('includes every day up to today, also days without mail', async () => {
    const { days } = await ask()
    expect(days).to.have.length(30)
    expect(days.map(({ day }) => day)).to.deep.equal([...new Set(days.map(({ day }) => day))].sort())
    expect(days.at(-1)).to.deep.equal({ day: today, ...none })
    expect((await ask(`?since=${today}`)).days).to.deep.equal([{ day: today, ...none }])
  })

  it('counts the sent and received mail of each mailbox once', async () => {
    await nextDay()
    await send(inbox, ['delivered@simulator.invalid', 'bounced@simulator.invalid', 'complained@simulator.invalid'])
    await send(second, [inbox])
    const sizes = [await inbound(inbox, 'one'), await inbound(second, 'two two')]
    await settled()
    const all = await figuresOf()
    // Mail from the second mailbox to the first counts as received too.
    expect(all).to.deep.include({ sent: 4, received: 3, delivered: 3, bounced: 1, complained: 1 })
    const ofSecond = await figuresOf(`?mailbox=${second}`)
    expect(ofSecond).to.deep.equal({ ...none, sent: 1, received: 1, delivered: 1, bytes: sizes[1] })
    const ofFirst = await figuresOf(`?mailbox=${inbox}`)
    for (const [figure, value] of Object.entries(all))
      expect(ofFirst[figure as keyof typeof ofFirst] + ofSecond[figure as keyof typeof ofSecond]).to.equal(value)
    const stored = await door.ctx.store.messages.find({ mailboxId: { $exists: true }, accountId }).toArray()
    const received = stored.filter(({ fingerprint, receivedAt }) => fingerprint && receivedAt.toISOString() > today)
    expect(all.bytes).to.equal(received.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))
  })

  it('stays the same when it is counted again', async () => {
    const before = await ask()
    const { store } = door.ctx
    await store.usage.updateOne({ _id: `${accountId}:tally` }, { $set: { 'counts.tallied': 0 } })
    const fresh = { ...door.ctx, store: { ...store } }
    await tallyEventsUpTo(fresh, accountId, await lastEventNumber(store, accountId))
    expect(await ask()).to.deep.equal(before)
  })

  it('counts from the day of the event, and keeps the days before', async () => {
    const { sent } = await figuresOf()
    const yesterday = today
    await nextDay()
    expect(await figuresOf()).to.deep.equal(none)
    await inbound(inbox, 'new day')
    await settled()
    const { days } = await ask(`?since=${yesterday}`)
    expect(days.map(({ day, sent, received }) => [day, sent, received])).to.deep.equal([
      [yesterday, sent, days[0]!.received],
      [today, 0, 1],
    ])
  })

  it('counts each recipient of a batch, and gives back what was cancelled', async () => {
    await nextDay()
    const recipients = ['a', 'b', 'c'].map((tag) => ({ email: `delivered+${tag}@simulator.invalid` }))
    const batch = { subject: 'Hi', text: 'Hi', recipients, idempotencyKey: 'batch' }
    expect((await call('POST', `${mailboxPath(inbox)}/send-batch`, batch)).status).to.equal(202)
    await settled()
    expect(await figuresOf()).to.deep.equal({ ...none, sent: 3, delivered: 3 })
    const sendAt = new Date(Date.parse(`${today}T12:00:00Z`) + 2 * daySeconds * 1_000).toISOString()
    const id = await send(inbox, ['delivered@simulator.invalid'], { sendAt })
    expect((await figuresOf()).sent).to.equal(4)
    expect((await call('DELETE', `${mailboxPath(inbox)}/scheduled/${id}`)).status).to.equal(200)
    expect((await figuresOf()).sent).to.equal(3)
  })

  it('counts sends without a mailbox only for the account, and no repeats or refusals', async () => {
    await nextDay()
    const mail = { from: inbox, to: 'delivered@simulator.invalid', subject: 'Hi', text: 'Hi' }
    const repeated = { 'idempotency-key': 'once' }
    for (let n = 0; n < 2; n++) await call('POST', '/api/v1/emails', mail, repeated)
    await call('POST', `${mailboxPath(inbox)}/send`, { to: 'a@remote.example', text: 'Hi' })
    await call('POST', `${mailboxPath(inbox)}/send`, { ...mail, dryRun: true })
    expect((await figuresOf()).sent).to.equal(1)
  })

  it('is exact for many simultaneous sends', async () => {
    await nextDay()
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => send(n % 2 ? inbox : second, ['delivered@simulator.invalid'])),
    )
    await settled()
    expect(await figuresOf()).to.deep.include({ sent: 40, delivered: 40 })
    expect(await figuresOf(`?mailbox=${inbox}`)).to.deep.include({ sent: 20, delivered: 20 })
  })

  it('shows an agent key only the mailboxes that it reaches', async () => {
    await nextDay()
    await inbound(inbox, 'for the first')
    await inbound(second, 'for the second')
    await settled()
    const mailboxIds = [(await door.ctx.store.addresses.findOne({ _id: second }))!.mailboxIds[0]!]
    const keyOf = async (scopes: typeof agentScopes, ids: readonly string[]) =>
      client(door.http, (await makeKey(door.ctx, { accountId, kind: 'agent', scopes, mailboxIds: ids })).apiKey)
    const agent = await keyOf(agentScopes, mailboxIds)
    expect((await figuresOf('', agent)).received).to.equal(1)
    expect((await ask(`?mailbox=${inbox}`, agent)).code).to.equal('mailbox_not_found')
    expect((await figuresOf(`?mailbox=${second}`, agent)).received).to.equal(1)
    expect(await figuresOf('', await keyOf(agentScopes, []))).to.deep.equal(none)
    const blind = await keyOf(
      agentScopes.filter((scope) => scope !== 'mail:read'),
      mailboxIds,
    )
    expect(await ask('', blind)).to.include({ code: 'insufficient_scope', requiredScope: 'mail:read' })
    const { id } = await createAccount(door.ctx, { name: 'other', owner: null })
    const other = client(door.http, (await makeKey(door.ctx, { accountId: id })).apiKey)
    expect((await ask('', other)).days.every(({ sent, received }) => sent + received === 0)).to.equal(true)
    expect((await ask(`?mailbox=${inbox}`, other)).code).to.equal('mailbox_not_found')
  })

  it('reaches 90 days back', async () => {
    const day = (ago: number) => new Date(Date.parse(today) - ago * daySeconds * 1_000).toISOString()
    const cases: readonly (readonly [since: string, days: number | null])[] = [
      [day(0).slice(0, 10), 1],
      [day(0), 1],
      [day(89).slice(0, 10), 90],
      [day(90).slice(0, 10), 91],
      [day(91).slice(0, 10), null],
      [day(-1).slice(0, 10), 0],
      ['yesterday', null],
      ['2026-13-01', null],
      ['', null],
      ['5', null],
    ]
    for (const [since, length] of cases) {
      const { days, code, param } = await ask(`?since=${since}`)
      if (length === null) expect([code, param], since).to.deep.equal(['validation_error', 'since'])
      else expect(days, since).to.have.length(length)
    }
  })

  it('counts dropped events of sends once, and only as dropped', async () => {
    await nextDay()
    const hour = `${accountId}:${today}T12`
    const counts = { messageEvents: 1_999 }
    await door.ctx.store.usage.insertOne({ _id: hour, expiresAt: new Date('9999-01-01'), counts })
    const usage = async () => {
      const { body } = await call<{ emails: { received: number }; eventsDropped: number }>('GET', '/api/v1/usage')
      return { dropped: body.eventsDropped, received: body.emails.received }
    }
    const sent = async () =>
      (await call<{ events: Json[] }>('GET', '/api/v1/events?limit=200&type=message.sent')).body.events.length
    const [before, sentBefore] = [await usage(), await sent()]
    const ids = []
    for (let n = 0; n < 3; n++) ids.push(await send(inbox, ['delivered@simulator.invalid']))
    await settled()
    const after = { dropped: before.dropped + 2, received: before.received }
    expect([await usage(), await sent()]).to.deep.equal([after, sentBefore + 1])
    // As after a crash: the sends are not marked as counted, in an hour that has room.
    await door.ctx.store.usage.updateOne({ _id: hour }, { $set: { counts: { messageEvents: 0 } } })
    await door.ctx.store.emails.updateMany({ _id: { $in: ids } }, { $set: { todoAt: new Date(0) } })
    await settled()
    expect([await usage(), await sent()]).to.deep.equal([after, sentBefore + 1])
  })

  it('counts the same for a domain as for its mailboxes', async () => {
    const { days } = await ask()
    const domain = inbox.slice(inbox.indexOf('@') + 1)
    const { body } = await call<{ delivery: Record<string, number> }>('GET', `/api/v1/domains/${domain}/reports`)
    for (const figure of ['sent', 'delivered', 'bounced', 'complained'] as const) {
      const sum = days.reduce((total, day) => total + day[figure], 0)
      expect(body.delivery[figure], figure).to.equal(sum).and.above(0)
    }
  })

  it('keeps the figures when the events have expired', async () => {
    const month = await ask(`?since=${today}`)
    const before = month.days[0]!
    await call('POST', '/api/v1/test/clock', { advance: 35 * daySeconds })
    const { body } = await call<{ events: Json[] }>('GET', '/api/v1/events')
    expect(body.events).to.deep.equal([])
    expect((await ask(`?since=${before.day}`)).days[0]).to.deep.equal(before)
  })
})
