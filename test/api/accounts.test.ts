import { expect } from 'chai'
import { listKeys } from '../../core/access/keys.ts'
import { answersPolicy, createResolver } from '../../core/dns/resolver.ts'
import { createKept } from '../../core/process/kept.ts'
import { judge } from '../../core/receive/sender-verdict.ts'
import { startNameServer } from '../peers/name-server.ts'
import { type Answer, type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openTenant } from '../start/door.ts'

describe('api: accounts', () => {
  let door: Door
  let call: Call

  before(async () => {
    ;({ door, call } = await openTenant())
  })
  after(() => door?.close())

  describe('signup and claim', () => {
    let signup: Answer<{
      address: string
      api_key: string
      claim_url: string
      expires_at: string
      base_url: string
      mcp_url: string
    }>
    let own: Call
    /** The path of the newest link, without its host. */
    let claimUrl: string

    before(async () => {
      signup = await client(door.http)('POST', '/api/v1/signup')
      own = client(door.http, signup.body.api_key)
    })

    it('gives an address, a key and a link to a caller without an account', () => {
      expect(signup.status).to.equal(201)
      expect(signup.body).to.include({ success: true })
      expect(signup.body.address).to.match(/^agent@agent-[a-z0-9]{5}\.agents\.localhost$/)
      expect(signup.body.api_key).to.match(/^svc_live_/)
      expect(signup.body.expires_at).to.match(/^\d{4}-.*\.\d{3}Z$/)
      expect(signup.body.mcp_url).to.match(/\/api\/mcp$/)
      expect(signup.body.base_url.endsWith(`/api/v1/mailboxes/${signup.body.address}`)).to.equal(true)
    })

    const open = (url: string) => fetch(door.http + new URL(url, door.http).pathname)
    const claimed = (headers: Headers) => [headers.get('x-service-claim'), headers.get('x-service-claim-expires')]

    it('every response of the account says that it is unclaimed', async () => {
      const expected = ['required', signup.body.expires_at]
      const answers = [
        signup,
        await own('GET', '/api/v1/account'),
        await own('GET', '/api/v1/nothing'),
        await own('POST', '/api/v1/mailboxes', { color: 1 }),
        await own('GET', mailboxPath('other@example.org')),
      ]
      for (const { headers } of answers) expect(claimed(headers)).to.deep.equal(expected)
    })

    it('responses with raw bytes say so too', async () => {
      const id = await deliver(door.ctx, {
        to: signup.body.address,
        raw: 'From: a@remote.example\nSubject: Hi\n\nHello\n',
      })
      const response = await fetch(`${door.http}${mailboxPath(signup.body.address)}/messages/${id}/raw`, {
        headers: { 'x-api-key': signup.body.api_key },
      })
      expect(response.status).to.equal(200)
      expect(claimed(response.headers)).to.deep.equal(['required', signup.body.expires_at])
      expect(await response.text()).to.equal('From: a@remote.example\r\nSubject: Hi\r\n\r\nHello\r\n')
    })

    it('no response of another account says so', async () => {
      expect(claimed((await call('GET', '/api/v1/account')).headers)).to.deep.equal([null, null])
    })

    it('only the inbox key can make a fresh link', async () => {
      const fresh = await own<{ claim_url: string }>('POST', '/api/v1/account/claim')
      claimUrl = new URL(fresh.body.claim_url).pathname
      expect(fresh.status).to.equal(201)
      expect(fresh.body.claim_url)
        .to.match(/\/claim\//)
        .and.not.equal(signup.body.claim_url)
      expect((await call<ErrorBody>('POST', '/api/v1/account/claim')).body.code).to.equal('conflict')
    })

    it('opening a link shows a page and claims nothing', async () => {
      const page = await open(claimUrl)
      expect(page.status).to.equal(200)
      expect(page.headers.get('content-type')).to.include('text/html')
      expect(page.headers.get('referrer-policy')).to.equal('no-referrer')
      expect(await page.text()).to.include('Claim this account')
      expect((await own('GET', '/api/v1/account')).body).to.include({ status: 'unclaimed' })
    })

    const unknown: readonly (readonly [what: string, url: () => string])[] = [
      ['was replaced', () => signup.body.claim_url],
      ['was made up', () => `/claim/${'t'.repeat(43)}`],
      ['is cut', () => claimUrl.slice(0, -1)],
      ['has more behind it', () => `${claimUrl}x`],
      ['is in other letters', () => claimUrl.toUpperCase().replace('/CLAIM/', '/claim/')],
      ['is very long', () => `/claim/${'t'.repeat(5_000)}`],
      ['is that of a key', () => `/claim/${signup.body.api_key}`],
    ]
    for (const [what, url] of unknown)
      it(`a link that ${what} is not found`, async () => {
        const page = await open(url())
        expect(page.status).to.equal(404)
        expect(page.headers.get('content-type')).to.include('text/html')
        expect(await page.text()).to.include('cannot be used')
      })

    it('the inbox counts as created by its key', async () => {
      const inbox = await own<{ createdBy: string }>('GET', mailboxPath(signup.body.address))
      const [key] = await listKeys(door.ctx, (await own<{ id: string }>('GET', '/api/v1/account')).body.id)
      expect(inbox.body.createdBy).to.equal(key?.id)
    })

    it('may only answer senders who have written first, from an authenticated address', async () => {
      const dns = await startNameServer({ 'TXT sure.example': ['v=spf1 ip4:192.0.2.1 -all'] })
      const resolver = createResolver([dns.address], createKept(door.ctx.clock, answersPolicy))
      const settings = { ...door.ctx.settings, resolver: [dns.address] }
      const raw = Buffer.from('From: a@sure.example\r\nSubject: Hi\r\n\r\nHello\r\n')
      const envelope = { reversePath: 'bounces@sure.example', client: '192.0.2.1', helo: 'sure.example' }
      const judged = await judge({ ...door.ctx, settings, resolver }, { raw, ...envelope })
      await dns.stop()
      const verdict = 'verdict' in judged ? judged.verdict : undefined
      await deliver(door.ctx, { to: signup.body.address, raw: raw.toString(), from: envelope.reversePath, verdict })
      const write = (to: string) =>
        own<ErrorBody>('POST', `${mailboxPath(signup.body.address)}/send`, { to, subject: 'Hi', text: 'Hi' })
      for (const to of ['x@sure.example', 'a@remote.example']) {
        const { status, body } = await write(to)
        expect([status, body.code], to).to.deep.equal([403, 'CLAIM_REQUIRED'])
      }
      expect((await write('a@sure.example')).status).to.equal(202)
    })

    it('a bad name is refused, a taken one conflicts', async () => {
      const visitor = client(door.http)
      expect((await visitor<ErrorBody>('POST', '/api/v1/signup', { name: 'No Name' })).body).to.include({
        code: 'validation_error',
        param: 'name',
      })
      const told = async (body: object) => (await visitor<ErrorBody & Json>('POST', '/api/v1/signup', body)).body.error
      expect(await told({ name: 'xn--bot' })).to.include('no "--" after two characters')
      expect(await told({ inbox: 'a..b' })).to.include('no two dots in a row')
      expect((await visitor('POST', '/api/v1/signup', { name: 'taken', inbox: 'post' })).body).to.include({
        address: 'post@taken.agents.localhost',
      })
      expect((await visitor<ErrorBody>('POST', '/api/v1/signup', { name: 'taken' })).body.code).to.equal('conflict')
    })
  })

  describe('what is left to set up', () => {
    type Step = { readonly id: string; readonly done: boolean; readonly detail: string; readonly fix: string | null }
    const stepsOf = async (asks: Call) => (await asks<{ steps: Step[] }>('GET', '/api/v1/account/setup')).body.steps
    const open = (steps: readonly Step[]) => steps.filter(({ done }) => !done).map(({ id }) => id)
    const fixOf = (steps: readonly Step[], id: string) => steps.find((step) => step.id === id)?.fix ?? ''

    it('is nearly everything after a signup, until it is done', async () => {
      const { body } = await client(door.http)<{ address: string; api_key: string }>('POST', '/api/v1/signup')
      const own = client(door.http, body.api_key)
      const first = await stepsOf(own)
      expect(first.map(({ id }) => id)).to.deep.equal(['claim', 'name', 'domain', 'dns', 'first_mail', 'webhook'])
      expect(open(first)).to.deep.equal(['claim', 'name', 'domain', 'first_mail', 'webhook'])
      for (const { done, fix } of first) expect(fix === null).to.equal(done)
      const base = door.ctx.baseUrl
      expect(fixOf(first, 'claim')).to.include(`POST ${base}/api/v1/account/claim`)
      expect(fixOf(first, 'name')).to.include(`PATCH ${base}${mailboxPath(body.address)}`)
      expect(fixOf(first, 'domain')).to.include('An agent key cannot do this.')
      // An unclaimed account may only reply.
      expect(fixOf(first, 'first_mail')).to.include(`Write to ${body.address}`).and.not.include('/send')
      await own('PATCH', mailboxPath(body.address), { displayName: 'Bot' })
      await deliver(door.ctx, { to: body.address, raw: 'From: a@remote.example\nSubject: Hi\n\nHello\n' })
      await own('POST', '/api/v1/webhooks', { url: 'https://hooks.example/a', events: ['message.received'] })
      expect(open(await stepsOf(own))).to.deep.equal(['claim', 'domain'])
    })

    it('depends on what the caller may do', async () => {
      const tenant = await makeTenant(door, { name: 'setting-up' })
      const steps = await stepsOf(client(door.http, tenant.key))
      expect(open(steps)).to.deep.equal(['first_mail', 'webhook'])
      expect(fixOf(steps, 'first_mail')).to.include(`${mailboxPath(tenant.address)}/send`)
      const { accountId } = tenant
      const { apiKey } = await makeKey(door.ctx, { accountId, kind: 'agent', scopes: ['mail:send'] })
      const agent = await stepsOf(client(door.http, apiKey))
      expect(open(agent)).to.deep.equal(['name', 'first_mail', 'webhook'])
      for (const [id, scope] of [
        ['name', 'mailboxes:write'],
        ['webhook', 'mail:read'],
      ] as const)
        expect(fixOf(agent, id)).to.include(`lacks the scope ${scope}`)
      const small = await makeTenant(door, { name: 'small', plan: null, agentsPlan: 'free' })
      await door.ctx.store.domains.deleteOne({ _id: 'small.example' })
      expect(fixOf(await stepsOf(client(door.http, small.key)), 'domain')).to.include('larger plan')
    })
  })
})
