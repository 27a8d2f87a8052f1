import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createHttpServer } from '../../api/http-server.ts'
import { revokeKey, rotateKey } from '../../core/access/keys.ts'
import { authenticate } from '../../core/access/principal.ts'
import { suspendAccount, unsuspendAccount } from '../../core/account/holds.ts'
import { joinAccount, removeMember } from '../../core/people/members.ts'
import { withRequest } from '../../core/process/context.ts'
import type { Verdict } from '../../core/receive/sender-verdict.ts'
import { waitForMessage } from '../../core/wait/wait.ts'
import { closeWaiters } from '../../core/wait/waiters.ts'
import { admitAgain } from '../../operations/admit.ts'
import { eventually } from '../eventually.ts'
import { browser, type Person } from '../peers/person.ts'
import { type Answer, type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { threadMs } from '../processor-time.ts'
import { type Door, deliver, makeKey, makeTenant, openTenant, type Tenant, watchWaits } from '../start/door.ts'
import { failNextRead } from '../start/failing-read.ts'
import { newPerson, type SignedIn, signedIn } from '../start/people.ts'

type Waited = {
  readonly message:
    | (Json & {
        readonly message_id: string
        readonly folder: string
        readonly trust: { readonly aligned_from: string | null } | null
        readonly verification: { readonly codes: readonly { readonly value: string; readonly label: string }[] } | null
      })
    | null
  readonly near_misses: readonly { readonly message_id: string; readonly why: string }[]
  readonly cursor: string
  readonly claimed_until?: string | null
}

type Mail = { subject?: string; from?: string; to?: string; body?: string; more?: string }
let mails = 0
const mail = ({
  subject = 'Hello',
  from = 'carol@remote.example',
  to = 'agent@tenant.example',
  body = '',
  more = '',
}: Mail) => `From: ${from}\nTo: ${to}\nSubject: ${subject}\nMessage-ID: <${++mails}@remote.example>\n${more}\n${body}\n`

const authenticated = (domain: string): Verdict => ({
  authentication: {
    spf: 'none',
    dkim: [{ domain, result: 'pass' }],
    dmarc: 'pass',
    arc: 'none',
    alignedFrom: domain,
    perhapsAligned: false,
    infos: [],
  } as unknown as Verdict['authentication'],
  cuts: [],
  suspicion: null,
})

/** Resolves after the current millisecond, because the order within a millisecond is undefined. */
async function laterThanNow(): Promise<void> {
  const now = Date.now()
  await eventually('a later time', () => Date.now() > now)
}
/** The longest wait in seconds. A wait that is woken by a message is answered before its end; one that misses the note, at its end. */
const longest = 55
const wellBeforeMs = 50_000

describe('waiting for a message', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let where: string

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    where = `${mailboxPath(tenant.address)}/wait`
  })
  after(() => door.close())

  const wait = (query: string) => call<Waited>('GET', `${where}?${query}`)
  /** Makes a request, and resolves once the server has received it. */
  const begin = async <T>(ask: () => Promise<T>): Promise<{ readonly answer: Promise<T> }> => {
    const came = door.nextRequests()
    const answer = ask()
    await came
    return { answer }
  }
  const take = (body: Json) => call<Waited>('POST', where, body)
  const send = (what: Mail = {}, verdict?: Verdict) =>
    deliver(door.ctx, { to: tenant.address, raw: mail(what), ...(verdict !== undefined && { verdict }) })
  const messages = mailboxPath('agent@tenant.example').concat('/messages')
  const cursorNow = async (limit = 1) =>
    (await call<{ cursor: string }>('GET', `${messages}?limit=${limit}`)).body.cursor
  const refused = async (query: string) => {
    const { status, body } = await call<ErrorBody>('GET', `${where}?${query}`)
    return [status, body.code, body.param]
  }

  const caller = async () => {
    const principal = await authenticate(door.ctx, tenant.key)
    return { principal, again: async () => principal }
  }

  let server: Server | undefined
  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
  })

  /** A server with small limits; `entered` is how many waits have been checked against them and admitted. */
  async function smallDoor(limits: {
    waits?: number
    waitsPerKey?: number
  }): Promise<{ readonly http: string; entered(): number }> {
    const { settings } = door.ctx
    const http = { ...settings.limits.http, ...limits }
    const small = { ...door.ctx, settings: { ...settings, limits: { ...settings.limits, http } } }
    const { entered } = watchWaits(small)
    server = createHttpServer(small, { readiness: async () => door.readiness })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { http: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, entered }
  }

  describe('since', () => {
    it('without it an existing message is never the answer', async () => {
      const stale = await send({ subject: 'Stale' })
      const { body } = await wait('timeout=1')
      expect(body.message).to.equal(null)
      expect(body.near_misses.map(({ message_id }) => message_id)).not.to.include(stale)
    })

    it('without it a message that lands later is the answer, soon', async () => {
      const { answer } = await begin(() => wait(`timeout=${longest}`))
      const id = await send({ subject: 'Fresh' })
      const startedAt = performance.now()
      expect((await answer).body.message?.message_id).to.equal(id)
      expect(performance.now() - startedAt).to.be.lessThan(wellBeforeMs)
    })

    it('without it mail that arrives while the request is being checked is the answer', async () => {
      const requestedAt = new Date()
      await laterThanNow()
      const id = await send()
      const { message } = await waitForMessage(
        { ...door.ctx, requestedAt },
        await caller(),
        { address: tenant.address, timeoutSeconds: 5 },
        new AbortController().signal,
      )
      expect(message?.id).to.equal(id)
    })

    it('a cursor of the list finds what came after it, at once and each message once', async () => {
      await send()
      const cursor = await cursorNow()
      const ids = [await send({ subject: 'One' }), await send({ subject: 'Two' })]
      const first = await wait(`since=${cursor}&timeout=5`)
      const second = await wait(`since=${first.body.cursor}&timeout=5`)
      const third = await wait(`since=${second.body.cursor}&timeout=1`)
      expect([first, second, third].map(({ body }) => body.message?.message_id ?? null)).to.deep.equal([...ids, null])
    })

    it('a cursor of a list that showed a message does not find it again, however many have arrived', async () => {
      for (let n = 0; n < 130; n++) await send({ subject: `Many ${n}` })
      const cursors = await Promise.all([1, 50, 200].map(cursorNow))
      for (const cursor of cursors) expect(cursor.length).to.be.lessThan(1_000)
      const found = async () => {
        const answers = await Promise.all(cursors.map((cursor) => wait(`since=${cursor}&timeout=1`)))
        return answers.map(({ body }) => body.message?.message_id ?? null)
      }
      expect(await found()).to.deep.equal([null, null, null])
      const id = await send({ subject: 'Next' })
      expect(await found()).to.deep.equal([id, id, id])
    })

    it('a time finds what was received from then on', async () => {
      await send()
      await laterThanNow()
      const time = new Date().toISOString()
      const id = await send({ subject: 'After' })
      expect((await wait(`since=${time}&timeout=5`)).body.message?.message_id).to.equal(id)
    })

    it('accepts a time before all messages', async () => {
      const id = await send({ subject: 'since the beginning' })
      const { body } = await wait('subject=since the beginning&since=0001-01-01T00:00:00Z&timeout=5')
      expect(body.message?.message_id).to.equal(id)
    })

    for (const since of ['yesterday', '2026-13-01T00:00:00Z', '2026-11-21T10:00:00', 'bXNnX3g', 'w0', '17'])
      it(`refuses ${since}`, async () =>
        expect(await refused(`since=${since}`)).to.deep.equal([400, 'validation_error', 'since']))
  })

  describe('filters', () => {
    const matching: readonly (readonly [string, string, Mail, Mail])[] = [
      ['from', 'from=Dana%40Remote.example', { from: 'dana@remote.example' }, {}],
      ['to', 'to=other%40tenant.example', { to: 'other@tenant.example' }, {}],
      ['subject', 'subject=INVOICE', { subject: 'Your invoice' }, { subject: 'Your bill' }],
      ['unread', 'unread=true&subject=unread', { subject: 'Unread' }, {}],
      [
        'regex in the text',
        `regex=${encodeURIComponent('(?i)ticket\\s+\\d{5}')}`,
        { body: 'Ticket 48213' },
        { body: 'Ticket x' },
      ],
      ['regex in the subject', `regex=${encodeURIComponent('^Re: x')}`, { subject: 'Re: x' }, { subject: 'Fwd: x' }],
      ['has_code', 'has_code=true', { body: 'Your code is 482913' }, { body: 'Order 482913' }],
      ['has_code, none', 'has_code=false', { body: 'Order 482913' }, { body: 'Your code is 482913' }],
      [
        'has_link',
        'has_link=true',
        { body: 'Please verify your email address: https://remote.example/verify?token=abc123def456' },
        { body: 'See https://remote.example/' },
      ],
      [
        'has_link, none',
        'has_link=false',
        { body: 'Hello' },
        { body: 'Please verify your email address: https://remote.example/verify?token=abc123def456' },
      ],
      ['folder', 'folder=inbox&subject=folder', { subject: 'folder' }, {}],
      [
        'has_attachment',
        'has_attachment=true',
        { more: 'MIME-Version: 1.0\nContent-Type: text/csv; name="a.csv"\nContent-Disposition: attachment', body: 'a' },
        {},
      ],
    ]
    for (const [name, query, yes, no] of matching)
      it(`${name}: what fails it is a near miss`, async () => {
        const { answer } = await begin(() => wait(`${query}&timeout=${longest}`))
        const miss = await send(no)
        const hit = await send(yes)
        const { body } = await answer
        expect(body.message?.message_id).to.equal(hit)
        expect(body.near_misses.map(({ message_id }) => message_id)).to.deep.equal([miss])
        const last = query.split('&').at(-1)?.split('=')[0]
        expect(body.near_misses[0]?.why).to.match(new RegExp(`^${last}: `))
      })

    it('match the same messages as the filters of the list', async () => {
      const since = new Date().toISOString()
      await call('PATCH', `${messages}/${await send({ subject: 'Filtered', from: 'erin@remote.example' })}`, {
        flagged: true,
        addLabels: ['x'],
      })
      for (const filter of ['label=x', 'flagged=true', 'from=erin%40remote.example', 'subject=filter', 'unread=true']) {
        const listed = await call<{ messages: { message_id: string }[] }>('GET', `${messages}?${filter}&since=${since}`)
        const { body } = await wait(`${filter}&since=${since}&timeout=1`)
        expect(body.message?.message_id, filter).to.equal(listed.body.messages.at(-1)?.message_id)
      }
    })

    it('from_domain compares the authenticated domain', async () => {
      const { answer } = await begin(() => wait(`from_domain=acme.example&timeout=${longest}`))
      const forged = await send({ from: 'x@acme.example' })
      const other = await send({ from: 'x@other.example' }, authenticated('other.example'))
      const real = await send({ from: 'x@mail.acme.example' }, authenticated('mail.acme.example'))
      const { body } = await answer
      expect(body.message?.message_id).to.equal(real)
      expect(body.message?.trust?.aligned_from).to.equal('mail.acme.example')
      expect(body.near_misses).to.deep.equal([
        { message_id: other, why: 'from_domain: it is from another domain.' },
        { message_id: forged, why: 'from_domain: its From has the domain, but is not authenticated.' },
      ])
    })

    it('answers with the code', async () => {
      const { answer } = await begin(() => wait(`has_code=true&timeout=${longest}`))
      await send({ body: 'Your verification code is 482913.' })
      const codes = (await answer).body.message?.verification?.codes
      expect(codes?.map(({ value, label }) => [value, label])).to.deep.equal([['482913', 'Your verification code is']])
    })

    it('a timeout returns the five newest near misses', async () => {
      const since = await cursorNow()
      const ids: string[] = []
      for (let n = 0; n < 7; n++) ids.push(await send({ subject: `Miss ${n}` }))
      const { status, body } = await wait(`subject=never&since=${since}&timeout=1`)
      expect([status, body.message]).to.deep.equal([200, null])
      expect(body.near_misses.map(({ message_id }) => message_id)).to.deep.equal(ids.reverse().slice(0, 5))
    })

    it('Spam counts only if requested', async () => {
      const spam: Verdict = { ...authenticated('remote.example'), suspicion: 'policy' }
      const since = await cursorNow()
      const { answer: asked } = await begin(() => wait(`folder=spam&timeout=${longest}`))
      const id = await send({}, spam)
      expect((await asked).body.message?.message_id).to.equal(id)
      const any = await wait(`since=${since}&timeout=1`)
      expect(any.body.message).to.equal(null)
      expect(any.body.near_misses[0]?.why).to.match(/^folder: it is in Spam/)
    })
  })

  describe('patterns', () => {
    for (const regex of ['(', '(?=a)b', '\\1', '[z-a]', 'x{2,1}', 'a{400}b{400}', 'a'.repeat(201)])
      it(`refuses ${regex.slice(0, 20)}`, async () =>
        expect(await refused(`regex=${encodeURIComponent(regex)}`)).to.deep.equal([400, 'validation_error', 'regex']))

    for (const regex of ['(a+)+!$', '(a|aa)+!', '(?:a?){100}a{100}!', '(?i)(.*A.{100}B|.*a.{99})Z'])
      it(`${regex} is linear`, async () => {
        const { answer } = await begin(() => wait(`regex=${encodeURIComponent(regex)}&timeout=2`))
        await send({ body: `${'ab'.repeat(30)}\n`.repeat(400) })
        const before = threadMs()
        expect((await call('GET', '/api/v1/account')).status).to.equal(200)
        // A matcher that is not linear takes minutes of processor time here.
        expect(threadMs() - before).to.be.lessThan(2_000)
        expect((await answer).body.message).to.equal(null)
      })
  })

  describe('limits of arguments', () => {
    const bad: readonly (readonly [string, string])[] = [
      ['timeout=0', 'timeout'],
      ['timeout=56', 'timeout'],
      ['limit=5', 'limit'],
      ['claim=5', 'claim'],
      ['from_domain=-', 'from_domain'],
      ['has_code=maybe', 'has_code'],
    ]
    for (const [query, param] of bad)
      it(`refuses ${query}`, async () => expect(await refused(query)).to.deep.equal([400, 'validation_error', param]))
  })

  describe('reach', () => {
    it('a mailbox of another account is not found', async () => {
      const other = await makeTenant(door, { name: 'stranger' })
      const { status, body } = await client(door.http, other.key)<ErrorBody>('GET', `${where}?timeout=1`)
      expect([status, body.code]).to.deep.equal([404, 'mailbox_not_found'])
    })

    it('GET needs mail:read; POST mail:write too, and says which is missing', async () => {
      const reader = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mail:read'] })
      const writer = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mail:write'] })
      const asked = async (key: string, method: string) =>
        (
          await client(door.http, key)<ErrorBody>(
            method,
            method === 'GET' ? `${where}?timeout=1` : where,
            method === 'GET' ? undefined : { timeout: 1 },
          )
        ).body
      expect((await asked(reader.apiKey, 'GET')).code).to.equal(undefined)
      const [post, get] = [await asked(reader.apiKey, 'POST'), await asked(writer.apiKey, 'GET')]
      expect([post.code, post.requiredScope]).to.deep.equal(['insufficient_scope', 'mail:write'])
      expect([get.code, get.requiredScope]).to.deep.equal(['insufficient_scope', 'mail:read'])
      expect((await asked(writer.apiKey, 'POST')).requiredScope).to.equal('mail:read')
    })

    it('a wait counts as one request', async () => {
      const before = await call('GET', '/api/v1/account')
      const waited = await wait('timeout=1')
      const spent =
        Number(before.headers.get('ratelimit-remaining')) - Number(waited.headers.get('ratelimit-remaining'))
      // If a minute ended in between, the count has started again.
      if (Number(waited.headers.get('ratelimit-reset')) < Number(before.headers.get('ratelimit-reset')))
        expect(spent).to.equal(1)
    })
  })

  describe('with a claim', () => {
    it('20 parallel waits get 20 distinct messages', async () => {
      const since = await cursorNow()
      const came = door.nextRequests(20)
      const answers = Array.from({ length: 20 }, () => take({ claim: 60, timeout: longest, since }))
      await came
      const ids: string[] = []
      for (let n = 0; n < 20; n++) ids.push(await send({ subject: `Job ${n}` }))
      const got = (await Promise.all(answers)).map(({ body }) => body.message?.message_id)
      expect([...new Set(got)].sort()).to.deep.equal(ids.sort())
    })

    it('20 parallel waits share 5 existing messages; the others time out', async () => {
      const since = await cursorNow()
      for (let n = 0; n < 5; n++) await send({ subject: `Lying ${n}` })
      const answers = await Promise.all(Array.from({ length: 20 }, () => take({ claim: 60, timeout: 1, since })))
      const got = answers.flatMap(({ body }) => (body.message === null ? [] : [body.message.message_id]))
      expect([got.length, new Set(got).size]).to.deep.equal([5, 5])
      const empty = answers.filter(({ body }) => body.message === null)
      const why = new Set(empty.flatMap(({ body }) => body.near_misses.map((miss) => miss.why)))
      expect([...why]).to.deep.equal(['claim: another worker holds its lease.'])
      expect(empty.every(({ body }) => body.claimed_until === null)).to.equal(true)
    })

    it('a message whose lease has ended can be claimed again', async () => {
      const since = await cursorNow()
      const id = await send({ subject: 'Leased' })
      const first = await take({ claim: 30, timeout: 1, since })
      expect(first.body.message?.message_id).to.equal(id)
      expect(first.body.claimed_until).to.be.a('string')
      expect((await take({ claim: 30, timeout: 1, since })).body.message).to.equal(null)
      door.advance(31_000)
      expect((await take({ claim: 30, timeout: 1, since })).body.message?.message_id).to.equal(id)
    })

    it('a wait gets a released or unrenewed message at once', async () => {
      const since = await cursorNow()
      const id = await send({ subject: 'Passed on' })
      expect((await take({ claim: 60, timeout: 1, since })).body.message?.message_id).to.equal(id)
      const waited = async (free: () => Promise<unknown>) => {
        const { answer } = await begin(() => take({ claim: 2, timeout: longest, since }))
        const startedAt = performance.now()
        await free()
        expect((await answer).body.message?.message_id).to.equal(id)
        return performance.now() - startedAt
      }
      const release = () => call('DELETE', `${mailboxPath(tenant.address)}/messages/${id}/claim`)
      expect(await waited(release)).to.be.below(wellBeforeMs)
      // The lease of two seconds ends by itself.
      expect(await waited(async () => undefined)).to.be.below(wellBeforeMs)
    })

    it('a message that matches the filters only later is returned then', async () => {
      const id = await send({ subject: 'Labelled later' })
      const since = await cursorNow()
      const other = await send({ subject: 'And this one' })
      const { answer } = await begin(() => wait(`label=late&timeout=${longest}&since=${since}`))
      const startedAt = performance.now()
      for (const each of [id, other])
        await call('PATCH', `${mailboxPath(tenant.address)}/messages/${each}`, { addLabels: ['late'] })
      expect((await answer).body.message?.message_id).to.equal(other)
      expect(performance.now() - startedAt).to.be.below(wellBeforeMs)
    })

    it('without claim in the body nothing is leased', async () => {
      const since = await cursorNow()
      const id = await send({ subject: 'Free' })
      expect((await take({ timeout: 1, since })).body.message?.message_id).to.equal(id)
      expect((await take({ claim: 5, timeout: 1, since })).body.message?.message_id).to.equal(id)
    })
  })

  describe('many', () => {
    const headers = () => ({ authorization: `Bearer ${tenant.key}` })

    it('beyond the limit of a key waits are refused; a client that hangs up makes room', async () => {
      const { http, entered } = await smallDoor({ waitsPerKey: 2 })
      const open = Array.from({ length: 2 }, () => {
        const hangUp = new AbortController()
        const answer = fetch(`${http}${where}?timeout=${longest}&subject=never`, {
          headers: headers(),
          signal: hangUp.signal,
        })
        return {
          hangUp,
          answer: answer.then(
            () => 'answered',
            () => 'hung up',
          ),
        }
      })
      await eventually('both wait', () => entered() === 2)
      const third = await client(http, tenant.key)<ErrorBody>('GET', `${where}?timeout=1`)
      expect([third.status, third.body.code]).to.deep.equal([429, 'rate_limited'])
      open[0]?.hangUp.abort()
      expect(await open[0]?.answer).to.equal('hung up')
      const again = () => client(http, tenant.key)('GET', `${where}?timeout=1`)
      await eventually('there is room', async () => (await again()).status === 200)
      open[1]?.hangUp.abort()
      await open[1]?.answer
    })

    const endings: readonly (readonly [what: string, end: (ids: Ids) => Promise<unknown>, told: unknown[]])[] = [
      ['a key that is revoked', (ids) => revokeKey(door.ctx, ids), [401, 'invalid_api_key']],
      ['a key that is rotated', (ids) => rotateKey(door.ctx, ids), [401, 'invalid_api_key']],
      [
        'an account that is suspended',
        ({ accountId }) => suspendAccount(door.ctx, accountId, 'a test'),
        [403, 'account_suspended'],
      ],
    ]
    type Ids = { readonly accountId: string; readonly keyId: string }
    for (const [what, end, told] of endings)
      it(`with ${what} ends at once`, async () => {
        const { http } = await smallDoor({ waitsPerKey: 1 })
        const { apiKey, key } = await makeKey(door.ctx, { accountId: tenant.accountId })
        const asking = client(http, apiKey)
        const waiting = asking<ErrorBody>('GET', `${where}?timeout=20&subject=never`)
        // Once a second wait is refused, the first one has been admitted.
        await eventually('it waits', async () => (await asking('GET', `${where}?timeout=1`)).status === 429)
        await end({ accountId: tenant.accountId, keyId: key.id })
        const { status, body } = await waiting
        expect([status, body.code]).to.deep.equal(told)
        await unsuspendAccount(door.ctx, tenant.accountId)
      })

    for (const [what, end, [, code]] of endings)
      it(`with ${what} before it is admitted ends at once too`, async () => {
        const { ctx } = door
        const { apiKey, key } = await makeKey(ctx, { accountId: tenant.accountId })
        const again = () => admitAgain(ctx, { headers: { authorization: `Bearer ${apiKey}` }, api: 'api' })
        const principal = await again()
        await end({ accountId: tenant.accountId, keyId: key.id })
        await door.noticed()
        const wait = { address: tenant.address, subject: 'never', timeoutSeconds: 20 }
        const waiting = waitForMessage(ctx, { principal, again }, wait, new AbortController().signal)
        expect(await waiting.catch((error: unknown) => error)).to.have.property('code', code)
        await unsuspendAccount(ctx, tenant.accountId)
      })

    it('of a person who is removed from the account ends at once, and names no key', async () => {
      const { accountId } = tenant
      const { http, entered } = await smallDoor({})
      const [, member] = [await newPerson(door, { accountId }), await newPerson(door, { accountId, role: 'reader' })]
      const waiting = browser(http, member.cookie).ask<ErrorBody>('GET', `${where}?timeout=20&subject=never`)
      await eventually('it waits', () => entered() === 1)
      await removeMember(door.ctx, { accountId, personId: member.id })
      const { status, body } = await waiting
      expect([status, body.code]).to.deep.equal([401, 'unauthorized'])
    })

    const signOuts: readonly (readonly [what: string, end: (person: SignedIn, window: Person) => Promise<Answer>])[] = [
      ['signs out in another window', (_, window) => window.ask('DELETE', '/api/v1/session')],
      [
        'ends the session from another device',
        async (person) => {
          const device = await signedIn(door, person, tenant.accountId)
          const { body } = await device.ask<{ sessions: Json[] }>('GET', '/api/v1/sessions')
          const session = body.sessions.find(({ current }) => !current)
          return device.ask('DELETE', `/api/v1/sessions/${session?.id}`)
        },
      ],
      [
        'changes the password',
        ({ password }, window) =>
          window.ask('PATCH', '/api/v1/people/me', { password: 'another long one', currentPassword: password }),
      ],
    ]
    for (const [what, end] of signOuts)
      it(`of a person who ${what} ends at once`, async () => {
        const { http, entered } = await smallDoor({})
        const person = await newPerson(door, { accountId: tenant.accountId })
        const waiting = browser(http, person.cookie).ask<ErrorBody>('GET', `${where}?timeout=${longest}&subject=never`)
        await eventually('it waits', () => entered() === 1)
        expect((await end(person, browser(door.http, person.cookie))).status).to.equal(200)
        const { status, body } = await waiting
        expect([status, body.code]).to.deep.equal([401, 'unauthorized'])
      })

    it('of a person who signs out in another session continues', async () => {
      const { http, entered } = await smallDoor({})
      const person = await newPerson(door, { accountId: tenant.accountId })
      const elsewhere = await signedIn(door, person, tenant.accountId)
      const wait = ({ cookie }: Person, subject: string) =>
        browser(http, cookie).ask('GET', `${where}?timeout=${longest}&subject=${subject}`)
      const [waiting, other] = [wait(person, 'Still here'), wait(elsewhere, 'never')]
      await eventually('both wait', () => entered() === 2)
      expect((await elsewhere.ask('DELETE', '/api/v1/session')).status).to.equal(200)
      expect((await other).status).to.equal(401)
      await send({ subject: 'Still here' })
      expect((await waiting).status).to.equal(200)
    })

    it('of a person who is removed from another account continues', async () => {
      const { accountId } = await makeTenant(door, { name: 'another' })
      const { http, entered } = await smallDoor({})
      await newPerson(door, { accountId })
      const member = await newPerson(door, { accountId: tenant.accountId, role: 'reader' })
      await joinAccount(door.ctx, { accountId, personId: member.id, role: 'reader' })
      const waiting = browser(http, member.cookie).ask('GET', `${where}?timeout=${longest}&subject=Going on`)
      await eventually('it waits', () => entered() === 1)
      await removeMember(door.ctx, { accountId, personId: member.id })
      await send({ subject: 'Going on' })
      expect((await waiting).status).to.equal(200)
    })

    it('beyond the limit of the process waits are refused', async () => {
      const { http, entered } = await smallDoor({ waits: 1 })
      const first = client(http, tenant.key)('GET', `${where}?timeout=${longest}&subject=the first`)
      await eventually('one waits', () => entered() === 1)
      const second = await client(http, tenant.key)<ErrorBody>('GET', `${where}?timeout=1`)
      expect([second.status, second.body.code]).to.deep.equal([503, 'unavailable'])
      await send({ subject: 'For the first' })
      expect((await first).status).to.equal(200)
    })

    it('1,000 wait at once, each for its own message', async function () {
      const keys = await Promise.all(
        Array.from({ length: 4 }, () => makeKey(door.ctx, { accountId: tenant.accountId })),
      )
      const { http, entered } = await smallDoor({})
      const before = process.memoryUsage().rss
      const hangUp = new AbortController()
      const answers = Array.from({ length: 1_000 }, async (_, n) => {
        const response = await fetch(`${http}${where}?timeout=${longest}&subject=waiter-${n}-`, {
          headers: { authorization: `Bearer ${keys[n % 4]?.apiKey}` },
          signal: hangUp.signal,
        })
        return { status: response.status, body: (await response.json()) as Waited }
      })
      const settled = Promise.allSettled(answers)
      await eventually('all wait', () => entered() === 1_000)
      const startedAt = performance.now()
      for (const n of [0, 17, 500, 999]) {
        const id = await send({ subject: `waiter-${n}-` })
        const { status, body } = (await answers[n]) ?? {}
        expect([status, body?.message?.message_id]).to.deep.equal([200, id])
      }
      const took = performance.now() - startedAt
      const grown = (process.memoryUsage().rss - before) / 2 ** 20
      this.test!.title += ` (4 answers in ${Math.round(took)} ms, ${Math.round(grown)} MiB for both ends)`
      hangUp.abort()
      const left = (await settled).filter(({ status }) => status === 'rejected').length
      expect(left).to.equal(996)
    })
  })

  describe('as a tool', () => {
    it('wait_for_message separates what the sender wrote', async () => {
      const since = await cursorNow()
      const id = await send({ subject: 'Tool', body: 'Your verification code is 482913.' })
      const { body } = await call<
        Json & { result: { structuredContent: Json & { message: Json & { untrusted: Json } } } }
      >(
        'POST',
        '/api/mcp',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'wait_for_message',
            arguments: { mailbox: tenant.address, since, has_code: true, timeout: 5 },
          },
        },
        { accept: 'application/json, text/event-stream' },
      )
      const { message } = body.result.structuredContent
      expect(message.message_id).to.equal(id)
      expect(message.subject).to.equal(undefined)
      expect(message.untrusted).to.include({ subject: 'Tool' })
      expect(JSON.stringify(message.verification)).to.match(/"untrusted":\{"value":"482913"/)
    })
  })

  describe('clocks and crashes', () => {
    it('a message whose note is lost is found when the wait ends', async () => {
      const { answer } = await begin(() => wait('timeout=5'))
      const silent: Door['ctx'] = { ...door.ctx, changes: { ...door.ctx.changes, publish: () => undefined } }
      const id = await deliver(silent, { to: tenant.address, raw: mail({ subject: 'Silent' }) })
      expect((await answer).body.message?.message_id).to.equal(id)
    })

    it('a message that cannot be read on arrival is returned as soon as it can be', async () => {
      const tried = async (): Promise<{ answer: Promise<Answer<Waited>>; id: string }> => {
        const { answer } = await begin(() => wait(`timeout=${longest}`))
        const failed = failNextRead(door.ctx.store, 'messages', ({ _id }) => _id?.$in !== undefined)
        const id = await send({ subject: 'Unread' })
        // Messages that exist before the wait has listed the existing ones do not wake it.
        const isNews = await Promise.race([failed.then(() => true), answer.then(() => false)])
        return isNews ? { answer, id } : tried()
      }
      const { answer, id } = await tried()
      const startedAt = performance.now()
      expect((await answer).body.message?.message_id).to.equal(id)
      expect(performance.now() - startedAt).to.be.lessThan(wellBeforeMs)
    })

    describe('a second wait from the same cursor', () => {
      /** Shorter than HTTP allows. */
      const shortly = async (since: string, subject = 'Again') => {
        const what = { address: tenant.address, subject, since, timeoutSeconds: 0.02 }
        return waitForMessage(withRequest(door.ctx, 'again'), await caller(), what, new AbortController().signal)
      }
      const silent = (): Door['ctx'] => ({
        ...door.ctx,
        changes: { ...door.ctx.changes, publish: () => undefined },
      })
      const patch = (id: string, change: object) =>
        call('PATCH', `${mailboxPath(tenant.address)}/messages/${id}`, change)
      const between: readonly (readonly [what: string, happens: () => Promise<string | null>, isFound: boolean])[] = [
        ['finds a message from in between whose note arrived', () => send({ subject: 'Again' }), true],
        [
          'finds a message from in between whose note was lost',
          () => deliver(silent(), { to: tenant.address, raw: mail({ subject: 'Again' }) }),
          true,
        ],
        ['does not find what does not match', () => send({ subject: 'Other' }), false],
        ['finds nothing when nothing came', async () => null, false],
        [
          'does not find what was deleted again',
          async () => {
            const id = await send({ subject: 'Again' })
            await patch(id, { folder: 'trash' })
            return id
          },
          false,
        ],
        [
          'finds what came back from Trash',
          async () => {
            const id = await send({ subject: 'Again' })
            await patch(id, { folder: 'trash' })
            await patch(id, { folder: 'inbox' })
            return id
          },
          true,
        ],
      ]
      for (const [what, happens, isFound] of between)
        it(what, async () => {
          const since = await cursorNow()
          for (let n = 0; n < 2; n++) expect((await shortly(since)).message).to.equal(null)
          const id = await happens()
          await door.ctx.arrivals.flush()
          const waited = await shortly(since)
          expect(waited.message?.id ?? null).to.equal(isFound ? id : null)
          expect((await shortly(waited.cursor)).message, 'twice').to.equal(null)
        })

      it('finds a message that matches because it has changed', async () => {
        const since = await cursorNow()
        const id = await send({ subject: 'Again' })
        await patch(id, { folder: 'archive' })
        const folder = (name: string) => wait(`since=${since}&folder=${name}&timeout=1`)
        expect((await folder('inbox')).body.message).to.equal(null)
        await patch(id, { folder: 'inbox' })
        expect((await folder('inbox')).body.message?.message_id).to.equal(id)
      })
    })

    /** A node with another clock. */
    const elsewhere = (aheadMs: number): Door['ctx'] => {
      const clock = { now: () => new Date(door.ctx.clock.now().getTime() + aheadMs) }
      return { ...door.ctx, clock, testClocks: { ...door.ctx.testClocks, of: () => clock } }
    }

    it('a message is new by its commit, not by its id: another clock ahead or behind changes nothing', async () => {
      const [ahead, behind] = [elsewhere(20_000), elsewhere(-20_000)]
      await deliver(ahead, { to: tenant.address, raw: mail({ subject: 'Ahead' }) })
      const cursor = await cursorNow()
      expect((await wait(`since=${cursor}&timeout=1`)).body.message, 'stale').to.equal(null)
      expect((await wait('timeout=1')).body.message, 'stale without since').to.equal(null)
      const late = await deliver(behind, { to: tenant.address, raw: mail({ subject: 'Behind' }) })
      expect((await wait(`since=${cursor}&timeout=1`)).body.message?.message_id, 'missed').to.equal(late)
    })

    it('a client that waits for more messages than a cursor lists gets each once, also one committed late', async () => {
      const ahead = elsewhere(20_000)
      let cursor = await cursorNow()
      const got: (string | undefined)[] = []
      const sent: string[] = []
      const bring = async (ctx: Door['ctx'], subject: string) => {
        sent.push(await deliver(ctx, { to: tenant.address, raw: mail({ subject }) }))
        const { body } = await wait(`since=${cursor}&timeout=1`)
        cursor = body.cursor
        got.push(body.message?.message_id)
      }
      for (let n = 0; n < 101; n++) await bring(door.ctx, `Many ${n}`)
      for (const subject of ['Ahead', 'Further ahead']) await bring(ahead, subject)
      for (const subject of ['Late', 'Later']) await bring(door.ctx, subject)
      expect(got).to.deep.equal(sent)
    })
  })

  describe('at the end', () => {
    it('when the process stops, waits are answered at once, and no others are admitted', async () => {
      const { http, entered } = await smallDoor({})
      const answer = client(http, tenant.key)<ErrorBody>('GET', `${where}?timeout=${longest}&subject=never`)
      await eventually('one waits', () => entered() === 1)
      closeWaiters(door.ctx)
      const { status, body } = await answer
      expect([status, body.code]).to.deep.equal([503, 'unavailable'])
      expect((await wait('timeout=1')).status).to.equal(503)
    })
  })
})
