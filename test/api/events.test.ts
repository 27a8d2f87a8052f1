import { once } from 'node:events'
import { request } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { revokeKey } from '../../core/access/keys.ts'
import { suspendAccount, unsuspendAccount } from '../../core/account/holds.ts'
import { recordEvents } from '../../core/notify/events.ts'
import type { EventType } from '../../schemas/events.ts'
import { newId } from '../../schemas/ids.ts'
import { allScopes, type Scope } from '../../schemas/scopes.ts'
import { eventually } from '../eventually.ts'
import { openStream, type StreamReader } from '../peers/event-stream.ts'
import { browser } from '../peers/person.ts'
import { type Call, client, type ErrorBody } from '../peers/rest.ts'
import { type Door, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { newPerson, signedIn } from '../start/people.ts'

type Envelope = {
  readonly id: string
  readonly type: string
  readonly created_at: string
  readonly cursor: string
  readonly data: { readonly n: number }
}
type Events = { readonly events: readonly Envelope[]; readonly next: string | null; readonly cursor: string }

const dayMs = 86_400_000

describe('api: events', () => {
  let door: Door
  let tenant: Tenant
  let other: Tenant
  let call: Call
  let secondId: string
  let numbers = 0

  before(async () => {
    door = await openDoor()
    tenant = await makeTenant(door, { name: 'tenant' })
    other = await makeTenant(door, { name: 'other' })
    call = client(door.http, tenant.key)
    await call('POST', '/api/v1/mailboxes', { address: 'second@tenant.example' })
    const second = await door.ctx.store.addresses.findOne({ _id: 'second@tenant.example' })
    secondId = second?.mailboxIds[0] ?? ''
  })
  after(() => door?.close())

  type Happened = {
    of?: Tenant
    type?: EventType | 'message.dropped'
    second?: boolean
    mailbox?: false
    at?: Date
    text?: string
  }
  /** Records an event. */
  async function happen({ of = tenant, type = 'message.received', second = false, mailbox, at, text }: Happened = {}) {
    const address = second ? 'second@tenant.example' : of.address
    const _id = newId('evt', at ?? door.ctx.clock.now())
    await recordEvents(door.ctx, [
      {
        _id,
        accountId: of.accountId,
        type,
        createdAt: at ?? door.ctx.clock.now(),
        mailbox: mailbox === false ? null : address,
        mailboxId: mailbox === false ? null : second ? secondId : of.mailboxId,
        domain: 'tenant.example',
        data: { n: ++numbers, from: null, ...(text !== undefined && { text }) },
      },
    ])
    return _id
  }
  const list = async (query = '', by = call) => {
    const { status, body } = await by<Events>('GET', `/api/v1/events?limit=200${query}`)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body
  }
  const ids = ({ events }: Events) => events.map(({ id }) => id)
  const end = async (by = call) => (await list('', by)).cursor
  const keyOf = async (scopes: readonly Scope[], kind: 'account' | 'agent' = 'account') =>
    makeKey(door.ctx, {
      accountId: tenant.accountId,
      kind,
      scopes,
      mailboxIds: kind === 'agent' ? [secondId] : [],
    })
  const readAll = async (reader: StreamReader, count: number) => {
    const found: Envelope[] = []
    while (found.length < count) {
      const event = await reader.next()
      if (event === null) throw new Error(`ended after ${found.length} events: ${reader.text()}`)
      const envelope = JSON.parse(event.data) as Envelope
      expect(event.id).to.equal(envelope.cursor)
      found.push(envelope)
    }
    return found
  }

  describe('an event', () => {
    it('is read by its id as the list shows it', async () => {
      const id = await happen()
      const { body, status } = await call('GET', `/api/v1/events/${id}`)
      const { success, ...event } = body
      expect([status, success]).to.deep.equal([200, true])
      expect(event).to.deep.equal((await list()).events[0])
    })

    const unread: readonly (readonly [what: string, event: Happened, scopes: readonly Scope[], kind?: 'agent'])[] = [
      ['a kind that the key may not read', { type: 'message.received' }, ['mail:send']],
      [
        'an event of the account, with an agent key',
        { type: 'account.sending_paused', mailbox: false },
        ['mail:read'],
        'agent',
      ],
      ['an event of a mailbox that the agent key does not reach', {}, ['mail:read'], 'agent'],
      ['one that was dropped', { type: 'message.dropped' }, allScopes],
    ]
    for (const [what, event, scopes, kind] of unread)
      it(`is neither read nor listed nor streamed: ${what}`, async () => {
        const { apiKey } = await keyOf(scopes, kind)
        const after = await end()
        const id = await happen(event)
        const asking = client(door.http, apiKey)
        expect((await asking<ErrorBody>('GET', `/api/v1/events/${id}`)).body.code).to.equal('not_found')
        expect(ids(await list('', asking))).to.not.include(id)
        expect(ids(await list(`&after=${after}`, asking))).to.not.include(id)
        const reader = await openStream(door.http, { key: apiKey, query: `?after=${after}` })
        // Events after it are received.
        const heard = await happen({
          type: scopes.includes('mail:read') ? 'message.sent' : 'email.bounced',
          second: true,
        })
        expect((await readAll(reader, 1)).map((each) => each.id)).to.deep.equal([heard])
        reader.hangUp()
      })

    it('of another account is not found', async () => {
      const id = await happen({ of: other })
      expect((await call<ErrorBody>('GET', `/api/v1/events/${id}`)).body.code).to.equal('not_found')
    })
  })

  describe('filters', () => {
    const start = new Date(Date.now() - dayMs)
    const later = new Date(start.getTime() + 5)
    const happened: readonly Happened[] = [
      { type: 'message.received', at: start },
      { type: 'message.sent', second: true, at: start },
      { type: 'account.sending_paused', mailbox: false, at: start },
      { type: 'email.bounced', at: later },
      { type: 'message.received', second: true, at: later },
    ]
    const filters: readonly (readonly [query: string, wanted: readonly number[]])[] = [
      ['', [0, 1, 2, 3, 4]],
      ['&type=message.received', [0, 4]],
      ['&type=message.received,email.bounced', [0, 3, 4]],
      ['&type=customer.created', []],
      ['&mailbox=second@tenant.example', [1, 4]],
      ['&mailbox=Second@TENANT.example', [1, 4]],
      ['&mailbox=nobody@tenant.example', []],
      [`&since=${later.toISOString()}`, [3, 4]],
      [`&until=${later.toISOString()}`, [0, 1, 2]],
      [`&type=message.sent,message.received&mailbox=second@tenant.example&since=${later.toISOString()}`, [4]],
    ]
    let since: string
    let live: Map<string, StreamReader>
    let all: readonly string[]

    before(async () => {
      since = await end()
      live = new Map()
      for (const [query] of filters)
        live.set(query, await openStream(door.http, { key: tenant.key, query: `?after=${since}${query}` }))
      const made: string[] = []
      for (const event of happened) made.push(await happen(event))
      all = made
    })
    after(() => {
      for (const reader of live.values()) reader.hangUp()
    })

    for (const [query, numbers] of filters)
      it(`give every kind of reader the same events: ${query || 'none'}`, async () => {
        const wanted = numbers.map((n) => all[n])
        expect(ids(await list(`&after=${since}${query}`)), 'forward').to.deep.equal(wanted)
        expect(
          ids(await list(query)).filter((id) => all.includes(id)),
          'back',
        ).to.deep.equal(wanted.toReversed())
        const heard = await readAll(live.get(query)!, wanted.length)
        expect(
          heard.map(({ id }) => id),
          'as they came',
        ).to.deep.equal(wanted)
        const again = await openStream(door.http, { key: tenant.key, query: `?after=${since}${query}` })
        expect(
          (await readAll(again, wanted.length)).map(({ id }) => id),
          'from the database',
        ).to.deep.equal(wanted)
        again.hangUp()
        if (wanted.length === 0) return
        const waited = await list(`&after=${since}&wait=55${query}`)
        expect(ids(waited), 'by a long-poll').to.deep.equal(wanted)
      })
  })

  describe('refusals', () => {
    const cursorOf = (seq: number, at: Date, account = tenant.accountId) =>
      Buffer.from(`${seq}.${at.getTime()}.${account.slice(-8)}`).toString('base64url')
    const refused: readonly (readonly [what: string, query: () => string, code: string, param?: string])[] = [
      ['an invalid cursor', () => 'after=nonsense', 'validation_error', 'after'],
      [
        'a cursor of another account',
        () => `after=${cursorOf(1, new Date(), other.accountId)}`,
        'validation_error',
        'after',
      ],
      ['a cursor of 31 days ago', () => `after=${cursorOf(1, new Date(Date.now() - 31 * dayMs))}`, 'conflict'],
      ['a cursor ahead of all', () => `after=${cursorOf(10_000, new Date())}`, 'conflict'],
      ['an unknown kind', () => 'type=message.received,nothing', 'validation_error', 'type'],
      ['an invalid address', () => 'mailbox=nonsense', 'validation_error', 'mailbox'],
      ['an invalid time', () => 'since=yesterday', 'validation_error', 'since'],
    ]
    const ofTheList: typeof refused = [
      ['56 seconds', () => 'wait=56', 'validation_error', 'wait'],
      ['a wait below 0', () => 'wait=-1', 'validation_error', 'wait'],
      [
        'both ways at once',
        () => `before=${cursorOf(2, new Date())}&after=${cursorOf(1, new Date())}`,
        'validation_error',
        'before',
      ],
      ['waiting for what was', () => `before=${cursorOf(2, new Date())}&wait=1`, 'validation_error', 'before'],
    ]
    const ofTheStream: typeof refused = [['a wait', () => 'wait=1', 'validation_error', 'wait']]
    for (const [path, cases] of [
      ['', [...refused, ...ofTheList]],
      ['?wait', refused],
      ['/stream', [...refused, ...ofTheStream]],
    ] as const)
      for (const [what, query, code, param] of cases)
        it(`/api/v1/events${path}: ${what}`, async () => {
          const where = path === '?wait' ? `?wait=1&${query()}` : `${path}?${query()}`
          const { body } = await call<ErrorBody>('GET', `/api/v1/events${where}`)
          expect([body.code, body.param], JSON.stringify(body)).to.deep.equal([code, param])
        })

    it('a cursor after which events have expired is a conflict, for every kind of reader', async () => {
      const first = await end()
      const [gone] = [await happen(), await happen()]
      expect(ids(await list(`&after=${first}`))).to.include(gone)
      await door.ctx.store.events.deleteOne({ _id: gone })
      for (const path of ['?', '?wait=5&', '/stream?']) {
        const { status, body } = await call<ErrorBody>('GET', `/api/v1/events${path}after=${first}`)
        expect([status, body.code]).to.deep.equal([409, 'conflict'])
      }
    })
  })

  describe('a long-poll', () => {
    it('is answered with the next event, and its cursor continues after it', async () => {
      let after = await end()
      for (const count of [1, 2, 1]) {
        const answer = list(`&after=${after}&wait=55`)
        await door.nextRequests()
        const made = [await happen()]
        const got = [...ids(await answer)]
        while (made.length < count) made.push(await happen())
        after = (await answer).cursor
        while (got.length < count) {
          const more = await list(`&after=${after}&wait=55`)
          got.push(...ids(more))
          after = more.cursor
        }
        expect(got).to.deep.equal(made)
      }
    })

    it('without a cursor waits for events from now on', async () => {
      await happen()
      const none = await list('&wait=1')
      expect(none).to.deep.include({ events: [], next: null })
      const missed = await happen()
      const { events, cursor } = await list(`&after=${none.cursor}&wait=55`)
      expect(events.map(({ id }) => id)).to.deep.equal([missed])
      expect((await list(`&after=${cursor}`)).events).to.deep.equal([])
    })

    it('moves past events that it may not show, and does not start over at them', async () => {
      const after = await end()
      for (let n = 0; n < 3; n++) await happen({ type: 'message.sent' })
      const { events, cursor } = await list(`&after=${after}&type=email.bounced&wait=1`)
      expect(events).to.deep.equal([])
      const heard = await happen()
      expect(ids(await list(`&after=${cursor}`))).to.deep.equal([heard])
    })

    it('has fewer events in a page when they are long, and leaves none out', async () => {
      const before = await end()
      // More than one answer of the database can hold, after short ones that give no hint of it.
      const short = await Promise.all(Array.from({ length: 10 }, () => happen()))
      const long: string[] = []
      for (let n = 0; n < 40; n++) long.push(await happen({ text: 'x'.repeat(450_000) }))
      const wanted = [...short.toSorted(), ...long]
      const found: string[] = []
      let cursor = before
      for (let pages = 0; ; pages++) {
        const page = await list(`&after=${cursor}${pages % 2 === 0 ? '' : '&wait=1'}`)
        expect(JSON.stringify(page).length).to.be.below(2 * 1024 * 1024)
        found.push(...ids(page))
        cursor = page.cursor
        if (page.next === null) break
        expect(page.next).to.equal(page.cursor)
      }
      expect(found.slice(0, 10).toSorted()).to.deep.equal(wanted.slice(0, 10))
      expect(found.slice(10)).to.deep.equal(long)
      const backwards: string[] = []
      for (let next = ''; backwards.length < 50; ) {
        const page = await list(next)
        expect(JSON.stringify(page).length).to.be.below(2 * 1024 * 1024)
        backwards.push(...ids(page))
        next = `&before=${page.next}`
      }
      expect(backwards.slice(0, 50)).to.deep.equal(found.toReversed())
    })

    it('is cut into pages', async () => {
      const after = await end()
      const made = [await happen(), await happen(), await happen()]
      const one = await call<Events>('GET', `/api/v1/events?limit=2&wait=5&after=${after}`)
      expect(ids(one.body)).to.deep.equal(made.slice(0, 2))
      expect(one.body.next).to.equal(one.body.cursor)
      const two = await call<Events>('GET', `/api/v1/events?limit=2&wait=5&after=${one.body.next}`)
      expect([ids(two.body), two.body.next]).to.deep.equal([made.slice(2), null])
    })

    it('ends with the key', async () => {
      const { apiKey, key } = await keyOf(allScopes)
      const answer = client(door.http, apiKey)<ErrorBody>('GET', '/api/v1/events?wait=55')
      await door.nextRequests()
      await revokeKey(door.ctx, { accountId: tenant.accountId, keyId: key.id })
      expect((await answer).body.code).to.equal('invalid_api_key')
    })
  })

  describe('a stream', () => {
    const open = (query = '', headers: Record<string, string> = {}, key = tenant.key) =>
      openStream(door.http, { key, query, headers })

    it('tells proxies and readers what it is', async () => {
      const reader = await open()
      expect(reader.response.headers).to.deep.include({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      })
      expect(reader.response.headers).to.include.keys('x-request-id', 'ratelimit-remaining')
      const made = await happen()
      expect((await readAll(reader, 1))[0]?.id).to.equal(made)
      expect(reader.text()).to.match(/^retry: 2000\nid: \S+\n\nid: \S+\ndata: \{/)
      reader.hangUp()
    })

    it('continues after Last-Event-ID, which takes precedence over the cursor in the URL', async () => {
      const after = await end()
      const made = [await happen(), await happen(), await happen()]
      const whole = await open(`?after=${after}`)
      const [first] = await readAll(whole, 3)
      const rest = await open(`?after=${after}`, { 'last-event-id': first!.cursor })
      expect((await readAll(rest, 2)).map(({ id }) => id)).to.deep.equal(made.slice(1))
      const empty = await open(`?after=${after}`, { 'last-event-id': '' })
      expect((await readAll(empty, 1))[0]?.id).to.equal(made[0])
      for (const reader of [whole, rest, empty]) reader.hangUp()
    })

    it('names Last-Event-ID in the refusal of a wrong one', async () => {
      const headers = { authorization: `Bearer ${tenant.key}`, 'last-event-id': 'yesterday' }
      const { status, body } = await client(door.http)<ErrorBody & { error: string }>(
        'GET',
        '/api/v1/events/stream',
        undefined,
        headers,
      )
      expect({ status, ...body }).to.deep.include({ status: 400, code: 'validation_error' })
      expect(body.error).to.match(/^The header Last-Event-ID /)
      expect(body.param).to.equal(undefined)
    })

    it('loses nothing between its beginning and its first event', async () => {
      const reader = await open()
      reader.hangUp()
      const place = await open()
      await eventually('the place', async () => {
        await Promise.race([place.next(), new Promise((resolve) => setTimeout(resolve, 5))])
        return /^id: (\S+)/m.exec(place.text())
      })
      place.hangUp()
      const made = await happen()
      const again = await open('', { 'last-event-id': /^id: (\S+)/m.exec(place.text())?.[1] ?? '' })
      expect((await readAll(again, 1))[0]?.id).to.equal(made)
      again.hangUp()
    })

    const ends: readonly (readonly [
      what: string,
      end: (keyId: string) => Promise<unknown>,
      undo?: () => Promise<unknown>,
    ])[] = [
      ['its key is revoked', (keyId) => revokeKey(door.ctx, { accountId: tenant.accountId, keyId })],
      [
        'the account is suspended',
        () => suspendAccount(door.ctx, tenant.accountId, 'test'),
        () => unsuspendAccount(door.ctx, tenant.accountId),
      ],
    ]
    for (const [what, finish, undo] of ends)
      it(`ends when ${what}`, async () => {
        const { apiKey, key } = await keyOf(allScopes)
        const reader = await open('', {}, apiKey)
        await finish(key.id)
        await reader.ended()
        await undo?.()
        const made = await happen()
        expect(reader.text()).to.not.contain(made)
      })

    it('and a long-poll end when their person signs out in another window; those of another session continue', async () => {
      const person = await newPerson(door, { accountId: tenant.accountId })
      const elsewhere = await signedIn(door, person, tenant.accountId)
      const [reader, stays] = await Promise.all(
        [person, elsewhere].map(({ cookie }) => openStream(door.http, { headers: { cookie: `${cookie}` } })),
      )
      const window = browser(door.http, person.cookie)
      const polled = window.ask<ErrorBody>('GET', '/api/v1/events?wait=55')
      await door.nextRequests()
      expect((await person.ask('DELETE', '/api/v1/session')).status).to.equal(200)
      await reader!.ended()
      expect(reader!.text()).to.match(/: unauthorized\n\n$/)
      expect([(await polled).status, (await polled).body.code]).to.deep.equal([401, 'unauthorized'])
      const made = await happen()
      expect((await readAll(stays!, 1))[0]?.id).to.equal(made)
      stays!.hangUp()
    })

    it('gives no event to a key that has expired meanwhile', async () => {
      const expiresAt = new Date(door.ctx.clock.now().getTime() + 60_000)
      const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, expiresAt })
      const reader = await open('', {}, apiKey)
      const before = await happen()
      expect((await readAll(reader, 1))[0]?.id).to.equal(before)
      door.advance(61_000)
      await eventually('the check is due', async () => {
        await happen()
        return reader.response.complete || Promise.race([reader.ended().then(() => true), null])
      })
      expect(reader.text()).to.match(/: api_key_expired\n\n$/)
    })

    it('is limited per key and in total, together with long-polls', async () => {
      const { http } = door.ctx.settings.limits
      const { followers, followersPerKey } = http
      try {
        Object.assign(http, { followersPerKey: 1 })
        const { apiKey } = await keyOf(allScopes)
        const reader = await open('', {}, apiKey)
        for (const path of ['/stream', '?wait=1'])
          expect((await client(door.http, apiKey)<ErrorBody>('GET', `/api/v1/events${path}`)).body.code).to.equal(
            'rate_limited',
          )
        Object.assign(http, { followersPerKey, followers: 1 })
        expect((await call<ErrorBody>('GET', '/api/v1/events/stream')).body.code).to.equal('unavailable')
        reader.hangUp()
        Object.assign(http, { followersPerKey: 1, followers: 1 })
        // Its place is free once the server has noticed its end.
        await eventually('a free place', async () => {
          const next = await open('', {}, apiKey)
          next.hangUp()
          return next.response.statusCode === 200
        })
      } finally {
        Object.assign(http, { followers, followersPerKey })
      }
    })

    it('leaves nothing behind if the client hangs up while it starts', async () => {
      const { http } = door.ctx.settings.limits
      const { followersPerKey } = http
      const { apiKey } = await keyOf(allScopes)
      for (let n = 0; n < 60; n++) {
        const asked = request(`${door.http}/api/v1/events/stream`, { headers: { authorization: `Bearer ${apiKey}` } })
        asked.on('error', () => undefined).end()
        await once(asked, 'socket')
        for (let turn = 0; turn < n; turn++) await nextTurn()
        asked.destroy()
      }
      try {
        Object.assign(http, { followersPerKey: 1 })
        await eventually('a free place', async () => {
          const next = await open('', {}, apiKey)
          next.hangUp()
          return next.response.statusCode === 200
        })
      } finally {
        Object.assign(http, { followersPerKey })
      }
    })

    it('of HEAD has the headers, and leaves nothing behind', async () => {
      const { http } = door.ctx.settings.limits
      const { followersPerKey } = http
      const { apiKey } = await keyOf(allScopes)
      try {
        Object.assign(http, { followersPerKey: 1 })
        for (let n = 0; n < 3; n++)
          await eventually('the place is free', async () => {
            const { status, headers } = await client(door.http, apiKey)('HEAD', '/api/v1/events/stream')
            return status === 200 && headers.get('content-type') === 'text/event-stream; charset=utf-8'
          })
      } finally {
        Object.assign(http, { followersPerKey })
      }
    })
  })
})
