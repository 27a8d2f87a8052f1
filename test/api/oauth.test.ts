import { expect } from 'chai'
import { Db, MongoServerSelectionError } from 'mongodb'
import { createGrant } from '../../core/access/grants.ts'
import { forgetCallers } from '../../core/access/known-callers.ts'
import { pauseAccount, resumeAccount, suspendAccount, unsuspendAccount } from '../../core/account/holds.ts'
import { logIn } from '../../core/account/login.ts'
import { joinAccount, removeMember } from '../../core/people/members.ts'
import { dayMs, hourMs, minuteMs } from '../../core/process/clock.ts'
import { hashCredential } from '../../core/process/secrets.ts'
import type { Failure } from '../../schemas/failures.ts'
import { type Id, newId } from '../../schemas/ids.ts'
import { allScopes } from '../../schemas/scopes.ts'
import { toBinary } from '../../store/bytes.ts'
import * as store from '../../store/members.ts'
import { type Document, openPublisher, type Publisher } from '../peers/documents.ts'
import {
  type Browsing,
  browse,
  formOn,
  newProof,
  type Parameters,
  type Reply,
  sendForm,
  sendJson,
  urlOf,
} from '../peers/oauth.ts'
import { expectRefusal } from '../peers/person.ts'
import { client, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { makePerson, newPerson, type SignedIn, signedIn } from '../start/people.ts'

const callback = 'https://program.example/callback'

type Chosen = { readonly [name: string]: readonly string[] }
type Tokens = { readonly access_token: string; readonly refresh_token: string; readonly scope: string }

describe('api: OAuth', () => {
  let door: Door
  let tenant: Tenant
  let owner: SignedIn
  let clientId: string

  before(async () => {
    door = await openDoor({ isNamed: true })
    tenant = await makeTenant(door, { name: 'tenant' })
    owner = await newPerson(door, { accountId: tenant.accountId })
    clientId = await register()
  })
  after(() => door?.close())

  const at = (path: string) => new URL(path, door.ctx.baseUrl).href
  const resource = () => at('/api/mcp')

  async function register(metadata: Json = {}): Promise<string> {
    const { body } = await sendJson(at('/oauth/register'), {
      redirect_uris: [callback],
      client_name: 'Test program',
      ...metadata,
    })
    return String(body.client_id)
  }

  type Proof = ReturnType<typeof newProof>

  const authorizeUrl = (proof: Proof, changed: Parameters = {}) =>
    urlOf(at('/oauth/authorize'), {
      client_id: clientId,
      redirect_uri: callback,
      response_type: 'code',
      code_challenge: proof.challenge,
      code_challenge_method: 'S256',
      resource: resource(),
      scope: 'mail:read mail:send mailboxes:read',
      state: 'the state',
      ...changed,
    })

  /** Starts an authorization request in a browser. Returns the URL of the consent page. */
  async function begin(browser: Browsing, changed: Parameters = {}, proof = newProof()): Promise<string> {
    const { headers, text } = await browser.get(authorizeUrl(proof, changed))
    const location = headers.get('location')
    if (location === null) throw new Error(`Nobody is asked: ${text}`)
    return at(location)
  }

  /** Submits the consent form. Returns the URL to which the browser is redirected. */
  async function answer(browser: Browsing, page: string, changed: Chosen = {}): Promise<URL> {
    const { text } = await browser.get(page)
    const sent = await browser.post(page, formOn(text, { decision: ['allow'], ...changed }))
    if (sent.status !== 303) throw new Error(`Not decided: ${sent.text}`)
    const led = await browser.get(String(sent.headers.get('location')))
    return new URL(String(led.headers.get('location')))
  }

  type Asked = { readonly person?: SignedIn; readonly asked?: Parameters; readonly chosen?: Chosen }

  /** Gets an authorization code for a person. */
  async function newCode({
    person = owner,
    asked = {},
    chosen = {},
  }: Asked = {}): Promise<{ code: string; proof: Proof; led: URL }> {
    const proof = newProof()
    const browser = browse(person.cookie)
    const led = await answer(browser, await begin(browser, asked, proof), chosen)
    return { code: led.searchParams.get('code') ?? '', proof, led }
  }

  const exchange = ({ code, proof }: { code: string; proof: Proof }, changed: Parameters = {}): Promise<Reply> =>
    sendForm(at('/oauth/token'), {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: callback,
      code,
      code_verifier: proof.verifier,
      resource: resource(),
      ...changed,
    })

  const refresh = (refresh_token: string, changed: Parameters = {}): Promise<Reply> =>
    sendForm(at('/oauth/token'), {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token,
      resource: resource(),
      ...changed,
    })

  async function connect(how: Asked = {}): Promise<Tokens> {
    const { body } = await exchange(await newCode(how))
    return body as unknown as Tokens
  }

  const asks = async (token: string, path = '/api/v1/account', method = 'GET', body?: unknown) =>
    client(door.http, token)<Json>(method, path, body)
  const taken = async (token: string) => {
    const { status, body } = await asks(token)
    return status === 200 ? 'taken' : `${status} ${body.code}`
  }
  const callMcp = (headers: Record<string, string>, tool = 'get_account_summary', args: Json = {}, path = '/api/mcp') =>
    fetch(door.http + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }),
    })
  /** The time after which the session has ended. */
  const signInAgain = async () => {
    const { id, email, password } = owner
    owner = Object.assign(await signedIn(door, owner, tenant.accountId), { id, email, password })
  }
  const audited = async (action: string) => {
    const { body } = await client(door.http, tenant.key)<{ entries: readonly Json[] }>(
      'GET',
      `/api/v1/audit?action=${action}`,
    )
    return body.entries
  }

  describe('metadata', () => {
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/api/mcp'])
      it(`of the resource at ${path}`, async () => {
        const { status, body } = await client(door.http)('GET', path)
        expect(status).to.equal(200)
        expect(body).to.deep.include({
          resource: `${door.ctx.baseUrl}/api/mcp`,
          authorization_servers: [door.ctx.baseUrl],
          scopes_supported: allScopes,
          bearer_methods_supported: ['header'],
        })
      })

    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
      it(`of the server at ${path}, whatever the Host field says`, async () => {
        const { status, body } = await client(door.http)('GET', path)
        expect(status).to.equal(200)
        expect(body).to.deep.include({
          issuer: door.ctx.baseUrl,
          authorization_endpoint: at('/oauth/authorize'),
          token_endpoint: at('/oauth/token'),
          registration_endpoint: at('/oauth/register'),
          revocation_endpoint: at('/oauth/revoke'),
          code_challenge_methods_supported: ['S256'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          response_types_supported: ['code'],
          token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
          client_id_metadata_document_supported: true,
          authorization_response_iss_parameter_supported: true,
          scopes_supported: allScopes,
        })
        expect(String(body.issuer)).not.to.match(/\/$/)
      })
  })

  describe('registration', () => {
    const cases: readonly (readonly [what: string, metadata: Json, refused: string | null, why?: string])[] = [
      ['an https URI', {}, null],
      ['a loopback URI', { redirect_uris: ['http://127.0.0.1:3000/cb', 'http://localhost/cb'] }, null],
      ['the loopback of IPv6', { redirect_uris: ['http://[::1]:3000/cb'] }, null],
      ['the scheme of a program', { redirect_uris: ['com.example.app:/cb', 'cursor://mcp/callback'] }, null],
      ['a loopback URI, also with https', { redirect_uris: ['http://localhost/cb', 'https://localhost/cb'] }, null],
      [
        'a scheme of the program, https and a loopback URI',
        { redirect_uris: ['cursor://mcp/callback', callback, 'http://localhost:8787/callback'] },
        null,
      ],
      ['a requested secret, which is not issued', { token_endpoint_auth_method: 'client_secret_post' }, null],
      ['scopes, which are ignored', { scope: 'mail:read openid offline_access' }, null],
      [
        'flows that there are only elsewhere, beside ours',
        {
          grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
          response_types: ['code', 'token'],
        },
        null,
      ],
      ['no URI', { redirect_uris: [] }, 'invalid_redirect_uri', 'must be a list of URIs'],
      ['a URI instead of a list', { redirect_uris: callback }, 'invalid_redirect_uri'],
      ['a URI that is a number', { redirect_uris: [7] }, 'invalid_redirect_uri'],
      ['a relative URI', { redirect_uris: ['/callback'] }, 'invalid_redirect_uri'],
      ['http on another host', { redirect_uris: ['http://program.example/cb'] }, 'invalid_redirect_uri', 'use https'],
      ['the scheme of a server', { redirect_uris: ['ftp://program.example/cb'] }, 'invalid_redirect_uri', 'use https'],
      ['the scheme of a mail', { redirect_uris: ['mailto:a@program.example'] }, 'invalid_redirect_uri', 'use https'],
      [
        'http on a host that looks local',
        { redirect_uris: ['http://localhost.evil.example/'] },
        'invalid_redirect_uri',
      ],
      ['javascript', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
      ['data', { redirect_uris: ['data:text/html,x'] }, 'invalid_redirect_uri'],
      ['a fragment', { redirect_uris: [`${callback}#x`] }, 'invalid_redirect_uri', 'have no fragment'],
      ['a user name', { redirect_uris: ['https://bank.example@evil.example/'] }, 'invalid_redirect_uri'],
      ['one bad URI among good ones', { redirect_uris: [callback, 'http://evil.example/'] }, 'invalid_redirect_uri'],
      [
        'too many URIs',
        { redirect_uris: Array.from({ length: 21 }, (_, n) => `${callback}/${n}`) },
        'invalid_redirect_uri',
      ],
      ['a URI that is too long', { redirect_uris: [`${callback}/${'x'.repeat(2_000)}`] }, 'invalid_redirect_uri'],
      ['a name of two lines', { client_name: 'Mailroom\nadministration' }, 'invalid_client_metadata'],
      ['a name with a right-to-left override', { client_name: 'liam\u202egnp' }, 'invalid_client_metadata'],
      ['a name that is too long', { client_name: 'x'.repeat(201) }, 'invalid_client_metadata'],
      ['a flow without codes', { response_types: ['token'], grant_types: ['implicit'] }, 'invalid_client_metadata'],
    ]
    for (const [what, metadata, refused, why = ''] of cases)
      it(`${what}: ${refused ?? 'accepted'}`, async () => {
        const { status, headers, body } = await sendJson(at('/oauth/register'), {
          redirect_uris: [callback],
          ...metadata,
        })
        expect([status, body.error ?? null]).to.deep.equal([refused === null ? 201 : 400, refused])
        expect(headers.get('cache-control')).to.equal('no-store')
        if (refused !== null) {
          expect(body.error_description).to.include(why)
          return
        }
        expect(body).to.include({ token_endpoint_auth_method: 'none' })
        expect(body.grant_types).to.deep.equal(['authorization_code', 'refresh_token'])
        expect(body.response_types).to.deep.equal(['code'])
        expect(body).not.to.have.any.keys('client_secret', 'scope', 'registration_access_token')
        expect(body.client_id).to.match(/^oac_/)
      })

    it('refuses a body that is not JSON, and an empty one', async () => {
      const type = { 'content-type': 'application/json' }
      for (const body of ['{', '[]', ''])
        expect((await fetch(at('/oauth/register'), { method: 'POST', body, headers: type })).status).to.equal(400)
    })

    it('is limited for each network', async () => {
      const { oauth } = door.ctx.settings.limits
      const usual = oauth.registrationsPerNetworkPerHour
      Object.assign(oauth, { registrationsPerNetworkPerHour: 0 })
      try {
        const { status, headers, body } = await sendJson(at('/oauth/register'), { redirect_uris: [callback] })
        expect([status, body.code]).to.deep.equal([429, 'rate_limited'])
        expect(Number(headers.get('retry-after'))).to.be.within(1, 3_600)
      } finally {
        Object.assign(oauth, { registrationsPerNetworkPerHour: usual })
      }
    })
  })

  describe('a request of a program', () => {
    /** Requests that must not redirect, because the redirect URI is not proven. */
    const shown: readonly (readonly [what: string, changed: () => Parameters | Promise<Parameters>])[] = [
      ['of an unknown program', () => ({ client_id: 'oac_unknown' })],
      ['without a program', () => ({ client_id: undefined })],
      ['without a redirect URI', () => ({ redirect_uri: undefined })],
      ['to another host', () => ({ redirect_uri: 'https://evil.example/callback' })],
      ['to another path', () => ({ redirect_uri: `${callback}/more` })],
      ['to the same with a query', () => ({ redirect_uri: `${callback}?x=1` })],
      ['to another port', () => ({ redirect_uri: 'https://program.example:8443/callback' })],
      [
        'to another path of the machine',
        async () => ({
          client_id: await register({ redirect_uris: ['http://127.0.0.1:3000/cb'] }),
          redirect_uri: 'http://127.0.0.1:3000/other',
        }),
      ],
      [
        'to another port of the machine, of a program that says it is on the web',
        async () => ({
          client_id: await register({ redirect_uris: ['http://127.0.0.1:3000/cb'], application_type: 'web' }),
          redirect_uri: 'http://127.0.0.1:4000/cb',
        }),
      ],
      ['by a document on a private address', () => ({ client_id: 'https://127.0.0.1:9/program.json' })],
    ]
    for (const [what, changed] of shown)
      it(`${what}: is shown as an error page, without a redirect`, async () => {
        const { status, headers, text } = await browse(owner.cookie).get(authorizeUrl(newProof(), await changed()))
        expect([status, headers.get('location')]).to.deep.equal([400, null])
        expect(text).to.include('<h1>This program cannot be connected</h1>')
        expect(headers.get('content-security-policy')).to.include("frame-ancestors 'none'")
      })

    const told: readonly (readonly [what: string, changed: Parameters, error: string])[] = [
      ['without a challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['with a challenge without a method', { code_challenge_method: undefined }, 'invalid_request'],
      ['with an invalid challenge', { code_challenge: 'x' }, 'invalid_request'],
      ['for a token at once', { response_type: 'token' }, 'unsupported_response_type'],
      ['without a resource', { resource: undefined }, 'invalid_target'],
      ['for another resource', { resource: 'https://other.example/api/mcp' }, 'invalid_target'],
      ['for a part of the resource', { resource: 'http://localhost' }, 'invalid_target'],
      ['for unknown scopes alone', { scope: 'openid root' }, 'invalid_scope'],
      ['without consent', { prompt: 'none' }, 'consent_required'],
      ['for a new sign-in', { prompt: 'login' }, 'invalid_request'],
      ['for a new sign-in and consent', { prompt: 'login consent' }, 'invalid_request'],
    ]
    for (const [what, changed, error] of told)
      it(`${what}: ${error}, returned with issuer and state`, async () => {
        const { status, headers } = await browse(owner.cookie).get(authorizeUrl(newProof(), changed))
        const led = new URL(String(headers.get('location')))
        expect([status, led.origin + led.pathname]).to.deep.equal([303, callback])
        const parameters = led.hash === '' ? led.searchParams : new URLSearchParams(led.hash.slice(1))
        expect(Object.fromEntries(parameters)).to.include({
          error,
          iss: door.ctx.baseUrl,
          state: 'the state',
        })
        expect(parameters.has('code')).to.equal(false)
      })

    it('may have any loopback port for a native program', async () => {
      const native = await register({ redirect_uris: ['http://127.0.0.1:3000/cb'] })
      const asked = { client_id: native, redirect_uri: 'http://127.0.0.1:49152/cb' }
      const { led } = await newCode({ asked })
      expect(led.origin).to.equal('http://127.0.0.1:49152')
    })

    it('may have any loopback port for a program that may also have its answer elsewhere', async () => {
      const mixed = await register({ redirect_uris: [callback, 'http://127.0.0.1/'] })
      const { led } = await newCode({ asked: { client_id: mixed, redirect_uri: 'http://127.0.0.1:49152/' } })
      expect(led.origin).to.equal('http://127.0.0.1:49152')
    })

    it('asks for reading and writing mail when it names no scope', async () => {
      const { scope } = await connect({ asked: { scope: undefined } })
      expect(scope).to.equal('mail:read mail:send mail:write mailboxes:read mailboxes:write')
    })

    it('may name unknown scopes, which are not granted', async () => {
      const { scope } = await connect({ asked: { scope: 'openid offline_access mail:read root' } })
      expect(scope).to.equal('mail:read')
    })
  })

  describe('while the database is away', () => {
    const away = async <T>(act: () => Promise<T>): Promise<T> => {
      const { db } = door.ctx.store
      const lost = new MongoServerSelectionError('no server answers', {} as never)
      const command: typeof db.command = (body, options) =>
        /^oauth/.test(String(body.find)) ? Promise.reject(lost) : Db.prototype.command.call(db, body, options)
      Object.assign(db, { command })
      try {
        return await act()
      } finally {
        Reflect.deleteProperty(db, 'command')
      }
    }
    const doors: { readonly [what: string]: () => Promise<{ status: number; text: string }> } = {
      'a code': async () => told(await exchange({ code: 'x', proof: newProof() })),
      'a refresh token': async () => told(await refresh('x')),
      'a revocation': async () => told(await sendForm(at('/oauth/revoke'), { client_id: clientId, token: 'x' })),
      'a request of a program': async () => browse(owner.cookie).get(authorizeUrl(newProof())),
    }
    const told = ({ status, body }: Reply) => ({ status, text: JSON.stringify(body) })
    for (const [what, ask] of Object.entries(doors))
      it(`${what} is temporarily unavailable, and answered afterwards`, async () => {
        const { status, text } = await away(ask)
        expect(status).to.equal(503)
        expect(text).to.include('temporarily_unavailable').and.not.include('no server answers')
        expect((await ask()).status).to.not.equal(503)
      })

    it('the consent page works again afterwards', async () => {
      const browser = browse(owner.cookie)
      const page = await begin(browser)
      expect((await away(() => browser.get(page))).status).to.equal(503)
      expect((await browser.get(page)).status).to.equal(200)
    })
  })

  it('a change of password ends no grant', async () => {
    const person = await newPerson(door, { accountId: tenant.accountId, role: 'member' })
    const tokens = await connect({ person })
    const other = await signedIn(door, person, tenant.accountId)
    const password = 'another long password of hers'
    const changed = await person.ask('PATCH', '/api/v1/people/me', { password, currentPassword: person.password })
    expect(changed.status).to.equal(200)
    expectRefusal(await other.ask('GET', '/api/v1/grants'), [401, 'unauthorized'])
    expect(await taken(tokens.access_token)).to.equal('taken')
    expect((await refresh(tokens.refresh_token)).status).to.equal(200)
  })

  describe('the consent page', () => {
    it('leads to the sign-in and back, and cannot be framed', async () => {
      const browser = browse()
      const page = await begin(browser)
      const asked = await browser.get(page)
      expect(asked.headers.get('location')).to.equal(`/sign-in?next=${encodeURIComponent(new URL(page).pathname)}`)
      const own = browse(owner.cookie)
      const { headers, text } = await own.get(await begin(own))
      expect(headers.get('content-security-policy')).to.include("frame-ancestors 'none'")
      expect(headers.get('x-frame-options')).to.equal('DENY')
      expect(text).to.include('Test program').and.include('program.example').and.include(owner.email)
      expect(text).not.to.include('any program there can call itself')
    })

    it("warns of a program that can only run on the person's computer", async () => {
      const native = await register({ redirect_uris: ['http://localhost:3000/cb'] })
      const browser = browse(owner.cookie)
      const page = await begin(browser, { client_id: native, redirect_uri: 'http://localhost:3000/cb' })
      expect((await browser.get(page)).text).to.include('any program there can call itself')
    })

    it("warns if access goes to the person's computer, whatever else the program may have its answer at", async () => {
      const mixed = await register({ redirect_uris: [callback, 'http://localhost:3000/cb', 'program:/cb'] })
      const browser = browse(owner.cookie)
      const warns = async (redirect_uri: string) => {
        const { text } = await browser.get(await begin(browser, { client_id: mixed, redirect_uri }))
        return text.includes('any program there can call itself')
      }
      expect(await warns('http://localhost:3000/cb')).to.equal(true)
      expect(await warns('program:/cb')).to.equal(true)
      expect(await warns(callback)).to.equal(false)
    })

    it('shows what a program says about itself as plain text', async () => {
      const named = await register({ client_name: '<script>alert(1)</script>' })
      const browser = browse(owner.cookie)
      const { text } = await browser.get(await begin(browser, { client_id: named }))
      expect(text).to.include('&lt;script&gt;').and.not.include('<script>')
    })

    it('works only in the browser that started the request', async () => {
      const browser = browse(owner.cookie)
      const page = await begin(browser)
      const victim = browse(owner.cookie)
      expect((await victim.get(page)).text).to.include('This request has ended')
      const form = formOn((await browser.get(page)).text, { decision: ['allow'] })
      const sent = await victim.post(page, form)
      expect([sent.status, sent.headers.get('location')]).to.deep.equal([404, null])
    })

    const refused: readonly (readonly [what: string, changed: () => Chosen, says: string])[] = [
      ['without its token', () => ({ csrf: [] }), 'This page is too old'],
      ['with the token of another page', () => ({ csrf: ['x'.repeat(43)] }), 'This page is too old'],
      ['without a scope', () => ({ scopes: [] }), 'Nothing is chosen that the program may do.'],
      ['with a scope that was not asked for', () => ({ scopes: ['domains:write'] }), 'Nothing is chosen'],
      ['with no mailbox chosen', () => ({ reach: ['some'] }), 'No mailbox is chosen.'],
      [
        'with a mailbox chosen, and all',
        () => ({ mailboxes: [tenant.address] }),
        'All mailboxes of the account are selected above',
      ],
      ['with an unknown mailbox', () => ({ reach: ['some'], mailboxes: ['x@y.example'] }), 'x@y.example'],
      [
        'for an account of others',
        () => ({ account: ['acc_00000000000000000000000000'] }),
        'no member of this account',
      ],
    ]
    for (const [what, changed, says] of refused)
      it(`a form ${what} decides nothing`, async () => {
        const browser = browse(owner.cookie)
        const page = await begin(browser)
        const { text } = await browser.get(page)
        const sent = await browser.post(page, formOn(text, { decision: ['allow'], ...changed() }))
        expect(sent.headers.get('location')).to.equal(null)
        expect(sent.text).to.include(says)
        // The person can still decide on the request.
        expect((await answer(browser, page)).searchParams.has('code')).to.equal(true)
      })

    it('reports a refusal to the program, and audits it', async () => {
      const { led } = await newCode({ chosen: { decision: ['refuse'] } })
      expect(Object.fromEntries(led.searchParams)).to.include({
        error: 'access_denied',
        state: 'the state',
        iss: door.ctx.baseUrl,
      })
      const [entry] = await audited('grants.create')
      expect(entry).to.deep.include({ outcome: 'access_denied', who: { kind: 'person', id: owner.id, name: 'Ann' } })
    })

    it('answered twice at once makes one grant', async () => {
      const browser = browse(owner.cookie)
      const page = await begin(browser)
      const form = formOn((await browser.get(page)).text, { decision: ['allow'] })
      const before = (await owner.ask<{ grants: { id: string }[] }>('GET', '/api/v1/grants')).body.grants.length
      const sent = await Promise.all([browser.post(page, form), browser.post(page, form)])
      expect(sent.map(({ status }) => status)).to.deep.equal([303, 303])
      const { grants } = (await owner.ask<{ grants: { id: string }[] }>('GET', '/api/v1/grants')).body
      expect(grants.length - before).to.equal(1)
      const id = grants.at(-1)?.id ?? ''
      const noted = (await audited('grants.create')).filter(({ target }) => String(target).includes(id))
      expect(noted).to.have.length(1)
      const led = await browser.get(String(sent[1]?.headers.get('location')))
      expect(new URL(String(led.headers.get('location'))).searchParams.has('code')).to.equal(true)
    })

    it('answered twice at once makes the last grant that the account may have, and refuses none', async () => {
      const { ctx } = door
      const { accountId } = await makeTenant(door, { name: 'connected' })
      const wanted = (id: Id<'gnt'>) => ({
        id,
        accountId,
        personId: owner.id,
        clientId,
        name: 'Program',
        redirectsTo: 'program.example',
        scopes: allScopes,
        mailboxIds: null,
      })
      const newest = newId('gnt', ctx.clock.now())
      expect(await createGrant(ctx, wanted(newest))).to.equal(true)
      const grant = (await ctx.store.keys.findOne({ _id: newest }))!
      const others = Array.from({ length: 499 }, () => newId('gnt', new Date(0)))
      await ctx.store.keys.insertMany(others.map((_id) => ({ ...grant, _id, hash: toBinary(hashCredential(_id)) })))
      expect(await createGrant(ctx, wanted(newest)), 'the second answer').to.equal(false)
      const another = await createGrant(ctx, wanted(newId('gnt', ctx.clock.now()))).catch(({ code }: Failure) => code)
      expect(another, 'to another request').to.equal('conflict')
      expect(await ctx.store.keys.countDocuments({ accountId, program: { $exists: true } })).to.equal(500)
    })

    it('is answered once: going back shows that the request has ended', async () => {
      const browser = browse(owner.cookie)
      const page = await begin(browser)
      await answer(browser, page)
      const { status, text } = await browser.get(page)
      expect([status, text.includes('This request has ended')]).to.deep.equal([404, true])
    })

    it('ends after an hour', async () => {
      const browser = browse(owner.cookie)
      const page = await begin(browser)
      door.advance(hourMs + minuteMs)
      const again = browse((await signedIn(door, owner, tenant.accountId)).cookie)
      expect((await again.get(page)).text).to.include('This request has ended')
      expect((await browser.get(page)).text).to.include('This request has ended')
    })

    it('offers the scopes that the role allows in the chosen account', async () => {
      const other = await makeTenant(door, { name: 'other' })
      const person = await makePerson(door, { role: 'reader', accountId: tenant.accountId })
      await joinAccount(door.ctx, { accountId: other.accountId, personId: person.id, role: 'owner' })
      const browser = browse((await signedIn(door, person, tenant.accountId)).cookie)
      const page = await begin(browser)
      const { text } = await browser.get(page)
      expect(text).to.include('value="mail:read"').and.not.include('value="mail:send"')
      expect(text).to.include('It asks for more than your role (reader) allows')
      const elsewhere = (await browser.get(`${page}?account=${other.accountId}`)).text
      expect(elsewhere).to.include('value="mail:send"').and.include(other.address)
      const widened = await browser.post(
        page,
        formOn(text, { decision: ['allow'], scopes: ['mail:read', 'mail:send'] }),
      )
      const led = await browser.get(String(widened.headers.get('location')))
      expect(new URL(String(led.headers.get('location'))).searchParams.has('code')).to.equal(true)
      const [entry] = await audited('grants.create')
      expect(entry).to.deep.include({ who: { kind: 'person', id: person.id, name: 'Ann' } })
    })
  })

  it('a program, a key and an app password can be for any mailbox of an account with many', async () => {
    const crowded = await makeTenant(door, { name: 'crowded' })
    const person = await newPerson(door, { accountId: crowded.accountId })
    const call = client(door.http, crowded.key)
    const make = (n: number) => call('POST', '/api/v1/mailboxes', { address: `box${n}@crowded.example` })
    const made = await Promise.all(Array.from({ length: 201 }, (_, n) => make(n)))
    expect(new Set(made.map(({ status }) => status))).to.deep.equal(new Set([201]))
    const browser = browse(person.cookie)
    const { text } = await browser.get(await begin(browser))
    const key = await browse(person.cookie).get(at('/settings/developers/keys'))
    const password = await browse(person.cookie).get(at(`/settings/developers?address=${crowded.address}`))
    expect(text).to.include(`value="${crowded.address}"`)
    expect(key.text).to.include(`value="${crowded.address}"`)
    expect(password.text).to.include(`<h3>${crowded.address}</h3>`)
  })

  it('a key is shown to be revoked, however many came and went after it', async () => {
    const { accountId } = await makeTenant(door, { name: 'rotating' })
    const person = await newPerson(door, { accountId })
    await makeKey(door.ctx, { accountId, name: 'the first' })
    await Promise.all(Array.from({ length: 200 }, () => makeKey(door.ctx, { accountId, name: 'gone' })))
    await door.ctx.store.keys.updateMany({ accountId, name: 'gone' }, { $set: { revokedAt: door.ctx.clock.now() } })
    const { text } = await browse(person.cookie).get(at('/settings/developers'))
    expect(text).to.include('<strong>the first</strong>').and.not.include('<strong>gone</strong>')
  })

  describe('a program that publishes its client metadata', () => {
    let publisher: Publisher
    before(async () => {
      publisher = await openPublisher()
      Object.assign(door.ctx.settings.webhooks, { allowPrivate: true })
    })
    after(async () => {
      Object.assign(door.ctx.settings.webhooks, { allowPrivate: false })
      await publisher?.close()
    })

    const described = (url: string, changed: Json = {}) =>
      JSON.stringify({ client_id: url, client_name: 'Published', redirect_uris: [callback], ...changed })
    const begun = (url: string, changed: Parameters = {}) =>
      browse(owner.cookie).get(authorizeUrl(newProof(), { client_id: url, ...changed }))

    it('is connected without registering', async () => {
      const url = publisher.publish('/program.json', (own) => ({ body: described(own) }))
      const asked = { client_id: url }
      const browser = browse(owner.cookie)
      const { text } = await browser.get(await begin(browser, asked))
      expect(text).to.include(`<strong>${new URL(url).host}</strong> publishes it under this name`)
      const given = await newCode({ asked })
      expect(given.led.searchParams.get('iss')).to.equal(door.ctx.baseUrl)
      expect((await exchange(given, asked)).body.access_token).to.match(/^svc_oat_/)
    })

    it('may use any loopback port if it is a native program', async () => {
      const url = publisher.publish('/native.json', (own) => ({
        body: described(own, { redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'] }),
      }))
      const { status } = await begun(url, { redirect_uri: 'http://127.0.0.1:51234/callback' })
      expect(status).to.equal(303)
      expect((await begun(url, { redirect_uri: 'http://127.0.0.1:51234/other' })).status).to.equal(400)
    })

    it('may name flows that there are only elsewhere', async () => {
      const grant_types = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']
      const url = publisher.publish('/flows.json', (own) => ({ body: described(own, { grant_types }) }))
      expect((await begun(url)).status).to.equal(303)
    })

    const bad: readonly (readonly [what: string, document: (url: string) => Parameters | Json])[] = [
      ['that names another client', (url) => ({ body: described(`${url}x`) })],
      ['that names no client', () => ({ body: JSON.stringify({ redirect_uris: [callback] }) })],
      ['that redirects', (url) => ({ body: '', status: 302, headers: { location: `${url}x` } })],
      ['that does not exist', () => ({ body: '', status: 404 })],
      ['that is not JSON', () => ({ body: '<html>' })],
      ['that is a list', () => ({ body: '[]' })],
      [
        'that is larger than 5 KiB',
        (url) => ({ body: described(url, { logo_uri: `https://x.example/${'x'.repeat(5_200)}` }) }),
      ],
      ['with a secret', (url) => ({ body: described(url, { client_secret: 'x' }) })],
      [
        'with a secret to come',
        (url) => ({ body: described(url, { token_endpoint_auth_method: 'client_secret_basic' }) }),
      ],
      [
        'with a bad redirect URI',
        (url) => ({ body: described(url, { redirect_uris: [callback, 'http://evil.example/'] }) }),
      ],
    ]
    for (const [n, [what, document]] of bad.entries())
      it(`a document ${what} is refused, and fetched again`, async () => {
        const headers = { 'cache-control': 'max-age=3600' }
        const url = publisher.publish(`/bad-${n}.json`, (own) => ({ body: '', headers, ...document(own) }))
        const { status, headers: answered, text } = await begun(url)
        expect([status, answered.get('location')]).to.deep.equal([400, null])
        expect(text).to.include('invalid_')
        expect(publisher.asked(`${url}x`)).to.equal(0)
        publisher.publish(`/bad-${n}.json`, (own) => ({ body: described(own) }))
        expect((await begun(url)).status).to.equal(303)
      })

    const kept: readonly (readonly [what: string, headers: { readonly [name: string]: string }, asked: number])[] = [
      ['for as long as it says', { 'cache-control': 'max-age=3600' }, 1],
      ['until it says', { expires: 'Thu, 01 Jan 2099 00:00:00 GMT' }, 1],
      ['not when it forbids that', { 'cache-control': 'no-store, max-age=3600' }, 2],
      ['not when it says nothing', {}, 2],
    ]
    for (const [n, [what, headers, asked]] of kept.entries())
      it(`a document is cached ${what}`, async () => {
        const url = publisher.publish(`/kept-${n}.json`, (own) => ({ body: described(own), headers }))
        for (let times = 0; times < 2; times++) expect((await begun(url)).status).to.equal(303)
        expect(publisher.asked(url)).to.equal(asked)
      })

    it('the root of a site is no client, and nothing is fetched from a private address', async () => {
      publisher.publish('/', (own) => ({ body: described(own) }))
      expect((await begun(`${publisher.origin}/`)).status).to.equal(400)
      expect(publisher.asked(`${publisher.origin}/`)).to.equal(0)
      const url = publisher.publish('/private.json', (own) => ({ body: described(own) }))
      Object.assign(door.ctx.settings.webhooks, { allowPrivate: false })
      expect((await begun(url)).status).to.equal(400)
      Object.assign(door.ctx.settings.webhooks, { allowPrivate: true })
      expect(publisher.asked(url)).to.equal(0)
    })

    const outages: readonly (readonly [why: string, answer: Partial<Document>])[] = [
      ['its host is overloaded', { status: 503 }],
      ['its host counts requests', { status: 429 }],
      ['its host hangs up', { hangsUp: true }],
    ]
    for (const [n, [why, broken]] of outages.entries())
      it(`keeps its tokens for later while ${why}`, async () => {
        const publish = (more: Partial<Document>) =>
          publisher.publish(`/away-${n}.json`, (own) => ({ body: described(own), ...more }))
        const asked = { client_id: publish({}) }
        const { refresh_token } = (await exchange(await newCode({ asked }), asked)).body
        publish(broken)
        const later = await refresh(String(refresh_token), asked)
        expect([later.status, later.body.error]).to.deep.equal([503, 'temporarily_unavailable'])
        publish({})
        expect((await refresh(String(refresh_token), asked)).status).to.equal(200)
      })

    it('can be connected on the same page once its document is back', async () => {
      const publish = (more: Partial<Document>) =>
        publisher.publish('/back.json', (own) => ({ body: described(own), ...more }))
      const browser = browse(owner.cookie)
      const page = await begin(browser, { client_id: publish({}) })
      publish({ hangsUp: true })
      const { status, text } = await browser.get(page)
      expect(status).to.equal(503)
      expect(text).to.include('cannot be fetched right now').and.not.include('has ended')
      publish({})
      expect((await answer(browser, page)).searchParams.has('code')).to.equal(true)
    })

    it('is unknown when its document is gone for good', async () => {
      const asked = { client_id: publisher.publish('/gone.json', (own) => ({ body: described(own) })) }
      const { refresh_token } = (await exchange(await newCode({ asked }), asked)).body
      publisher.publish('/gone.json', () => ({ body: '', status: 404 }))
      const { status, body } = await refresh(String(refresh_token), asked)
      expect([status, body.error]).to.deep.equal([400, 'invalid_client'])
    })

    it('keeps its tokens for later when its network has caused too many fetches', async () => {
      const { oauth } = door.ctx.settings.limits
      const usual = oauth.documentsPerNetworkPerHour
      const asked = { client_id: publisher.publish('/often.json', (own) => ({ body: described(own) })) }
      const { refresh_token } = (await exchange(await newCode({ asked }), asked)).body
      Object.assign(oauth, { documentsPerNetworkPerHour: 0 })
      expect((await refresh(String(refresh_token), asked)).status).to.equal(503)
      Object.assign(oauth, { documentsPerNetworkPerHour: usual })
      expect((await refresh(String(refresh_token), asked)).status).to.equal(200)
    })

    it('the fetches are limited for each network', async () => {
      const { oauth } = door.ctx.settings.limits
      const usual = oauth.documentsPerNetworkPerHour
      const url = publisher.publish('/limited.json', (own) => ({ body: described(own) }))
      Object.assign(oauth, { documentsPerNetworkPerHour: 0 })
      expect((await begun(url)).status).to.equal(400)
      Object.assign(oauth, { documentsPerNetworkPerHour: usual })
      expect(publisher.asked(url)).to.equal(0)
    })
  })

  describe('a code', () => {
    it('is exchanged for tokens, which are not stored, with a granted scope', async () => {
      const given = await newCode({ chosen: { scopes: ['mail:read'] } })
      const { status, headers, body } = await exchange(given)
      expect([status, headers.get('cache-control')]).to.deep.equal([200, 'no-store'])
      expect(body).to.include({ token_type: 'Bearer', expires_in: 3_600, scope: 'mail:read' })
      expect(body.access_token).to.match(/^svc_oat_\w{43}$/)
      expect(Object.fromEntries(given.led.searchParams)).to.include({ state: 'the state', iss: door.ctx.baseUrl })
      const kept = JSON.stringify(await door.ctx.store.oauthArtifacts.find({}).toArray())
      for (const secret of [given.code, body.access_token, body.refresh_token])
        expect(kept).not.to.include(String(secret))
      expect(door.logs()).not.to.include(given.code)
    })

    const refused: readonly (readonly [
      what: string,
      changed: () => Parameters | Promise<Parameters>,
      error: string,
    ])[] = [
      ['without a verifier', () => ({ code_verifier: undefined }), 'invalid_grant'],
      ['with another verifier', () => ({ code_verifier: newProof().verifier }), 'invalid_grant'],
      ['for another redirect URI', () => ({ redirect_uri: 'https://evil.example/' }), 'invalid_grant'],
      ['without a redirect URI', () => ({ redirect_uri: undefined }), 'invalid_request'],
      ['of another program', async () => ({ client_id: await register() }), 'invalid_grant'],
      ['of an unknown program', () => ({ client_id: 'oac_unknown' }), 'invalid_client'],
      ['for another resource', () => ({ resource: 'https://other.example/' }), 'invalid_target'],
      ['that is invalid', () => ({ code: 'x' }), 'invalid_grant'],
      ['for another kind of grant', () => ({ grant_type: 'password' }), 'unsupported_grant_type'],
    ]
    for (const [what, changed, error] of refused)
      it(`${what}: ${error}`, async () => {
        const { status, headers, body } = await exchange(await newCode(), await changed())
        expect([status, body.error]).to.deep.equal([error === 'invalid_client' ? 401 : 400, error])
        expect(headers.get('cache-control')).to.equal('no-store')
        expect(body).not.to.have.property('access_token')
      })

    it('works once: a second use ends the grant of the first one', async () => {
      const given = await newCode()
      const { body } = await exchange(given)
      expect(await taken(String(body.access_token))).to.equal('taken')
      expect((await exchange(given)).body.error).to.equal('invalid_grant')
      expect(await taken(String(body.access_token))).to.equal('401 invalid_access_token')
      expect((await refresh(String(body.refresh_token))).body.error).to.equal('invalid_grant')
    })

    it('used twice at the same time gives no access', async () => {
      const given = await newCode()
      const both = await Promise.all([exchange(given), exchange(given)])
      for (const { body } of both)
        if (typeof body.access_token === 'string')
          expect(await taken(body.access_token)).to.equal('401 invalid_access_token')
      expect(both.filter(({ status }) => status === 200).length).to.be.at.most(1)
    })

    it('ends after ten minutes', async () => {
      const given = await newCode()
      door.advance(10 * minuteMs + 1)
      expect((await exchange(given)).body.error).to.equal('invalid_grant')
    })
  })

  describe('a refresh token', () => {
    it('is replaced with each use; reuse ends every token derived from it', async () => {
      const first = await connect()
      const second = (await refresh(first.refresh_token)).body as unknown as Tokens
      expect(second.refresh_token).not.to.equal(first.refresh_token)
      expect([await taken(first.access_token), await taken(second.access_token)]).to.deep.equal(['taken', 'taken'])
      expect((await refresh(first.refresh_token)).body.error).to.equal('invalid_grant')
      expect(await taken(second.access_token)).to.equal('401 invalid_access_token')
      expect((await refresh(second.refresh_token)).body.error).to.equal('invalid_grant')
      const [entry] = await audited('grants.revoke')
      expect(entry).to.include({ outcome: 'reused' })
    })

    it('gives no more scopes than were granted, and fewer if fewer are requested', async () => {
      const { refresh_token } = await connect({ asked: { scope: 'mail:read mailboxes:read' } })
      const wider = await refresh(refresh_token, { scope: 'mail:read mail:send' })
      expect([wider.status, wider.body.error]).to.deep.equal([400, 'invalid_scope'])
      const narrower = await refresh(refresh_token, { scope: 'mailboxes:read' })
      expect(narrower.body.scope).to.equal('mailboxes:read')
      const path = `${mailboxPath(tenant.address)}/messages`
      expectRefusal(await asks(String(narrower.body.access_token), path), [403, 'insufficient_scope'])
    })

    it('belongs to one program and one resource', async () => {
      const { refresh_token } = await connect()
      expect((await refresh(refresh_token, { client_id: await register() })).body.error).to.equal('invalid_grant')
      expect((await refresh(refresh_token, { resource: 'https://other.example/' })).body.error).to.equal(
        'invalid_target',
      )
    })

    it('is valid for 30 days after its last use', async () => {
      let tokens = await connect()
      for (let month = 0; month < 2; month++) {
        door.advance(29 * dayMs)
        expect(await taken(tokens.access_token)).to.equal('401 invalid_access_token')
        tokens = (await refresh(tokens.refresh_token)).body as unknown as Tokens
        expect(await taken(tokens.access_token)).to.equal('taken')
      }
      door.advance(31 * dayMs)
      expect((await refresh(tokens.refresh_token)).body.error).to.equal('invalid_grant')
      await signInAgain()
      clientId = await register()
    })
  })

  describe('an access token', () => {
    it('ends after an hour', async () => {
      const { access_token } = await connect()
      door.advance(hourMs + 1)
      expect(await taken(access_token)).to.equal('401 invalid_access_token')
      await signInAgain()
    })

    it('acts with its scopes over REST and MCP, but cannot call operations for people', async () => {
      const { access_token } = await connect({ asked: { scope: 'mailboxes:read' } })
      expect((await asks(access_token, '/api/v1/mailboxes')).status).to.equal(200)
      expectRefusal(await asks(access_token, `${mailboxPath(tenant.address)}/messages`), [403, 'insufficient_scope'])
      for (const path of ['/api/v1/keys', '/api/v1/session', '/api/v1/grants', '/api/v1/account/members'])
        expectRefusal(await asks(access_token, path), [403, 'forbidden'])
      expect((await callMcp({ authorization: `Bearer ${access_token}` })).status).to.equal(200)
    })

    it('limited to mailboxes reaches only these and the ones it creates, and no alias', async () => {
      const made = await client(door.http, tenant.key)('POST', '/api/v1/mailboxes', {
        address: 'second@tenant.example',
      })
      expect(made.status).to.equal(201)
      const { access_token, scope } = await connect({
        asked: { scope: 'mail:read mailboxes:read mailboxes:write aliases:read aliases:write' },
        chosen: { reach: ['some'], mailboxes: ['second@tenant.example'] },
      })
      expect(scope).to.equal('mail:read mailboxes:read mailboxes:write')
      const addresses = async () =>
        ((await asks(access_token, '/api/v1/mailboxes')).body.mailboxes as { address: string }[]).map(
          ({ address }) => address,
        )
      expect(await addresses()).to.deep.equal(['second@tenant.example'])
      expectRefusal(await asks(access_token, mailboxPath(tenant.address)), [404, 'mailbox_not_found'])
      const aliases = await asks(access_token, '/api/v1/aliases')
      expectRefusal(aliases, [403, 'insufficient_scope'])
      expect(aliases.body.fix).to.match(/^Authorise again for all mailboxes and ask for this scope/)
      await asks(access_token, '/api/v1/mailboxes', 'POST', { address: 'third@tenant.example' })
      expect(await addresses()).to.have.members(['second@tenant.example', 'third@tenant.example'])
    })

    it('is accepted only in the header', async () => {
      const { access_token } = await connect()
      const inPath = await callMcp({}, 'get_account_summary', {}, `/api/mcp/${access_token}`)
      expect([inPath.status, ((await inPath.json()) as Json).code]).to.deep.equal([401, 'invalid_access_token'])
      for (const name of ['access_token', 'token'])
        expect((await callMcp({}, 'get_account_summary', {}, `/api/mcp?${name}=${access_token}`)).status).to.equal(401)
      expectRefusal(await client(door.http)('GET', `/api/v1/account?access_token=${access_token}`), [
        401,
        'missing_api_key',
      ])
      expect(door.logs()).not.to.include(access_token)
    })

    it('for another audience gives no access', async () => {
      const { access_token } = await connect()
      const { baseUrl } = door.ctx
      Object.assign(door.ctx, { baseUrl: 'https://moved.example' })
      try {
        expect(await taken(access_token)).to.equal('401 invalid_access_token')
      } finally {
        Object.assign(door.ctx, { baseUrl })
      }
      expect(await taken(access_token)).to.equal('taken')
    })

    it('that has ended does not count as a guess, however often it is sent', async () => {
      for (let tries = 0; tries < 40; tries++) expect(await taken('svc_oat_ended')).to.equal('401 invalid_access_token')
    })

    it('counts towards the request rate of its grant', async () => {
      const [one, other] = [await connect(), await connect()]
      const left = async (token: string) => Number((await asks(token)).headers.get('ratelimit-remaining'))
      const before = await left(other.access_token)
      await left(one.access_token)
      expect(await left(other.access_token)).to.equal(before - 1)
    })

    it('sends mail that waits for approval if the account requires it, and approves nothing', async () => {
      const { access_token } = await connect({ asked: { scope: 'mail:send mail:read' } })
      await owner.ask('PATCH', '/api/v1/account', { approval: 'required' })
      const mail = { to: 'x@remote.example', subject: 'x', text: 'x' }
      const sent = await asks(access_token, `${mailboxPath(tenant.address)}/send`, 'POST', mail)
      await owner.ask('PATCH', '/api/v1/account', { approval: 'none' })
      expect([sent.status, sent.body.status]).to.deep.equal([202, 'waiting_for_approval'])
      const { approvals } = (await client(door.http, tenant.key)('GET', '/api/v1/approvals')).body as {
        approvals: readonly { id: string; hash: string }[]
      }
      const path = `/api/v1/approvals/${approvals[0]?.id}`
      expectRefusal(await asks(access_token, path, 'POST', { decision: 'approve', hash: approvals[0]?.hash }), [
        403,
        'forbidden',
      ])
    })

    it('is refused while the account is suspended or paused', async () => {
      const { access_token } = await connect()
      await suspendAccount(door.ctx, tenant.accountId, 'test')
      expect(await taken(access_token)).to.equal('403 account_suspended')
      await unsuspendAccount(door.ctx, tenant.accountId)
      await pauseAccount(door.ctx, tenant.accountId, 'test')
      const mail = { to: 'x@remote.example', subject: 'x', text: 'x' }
      expectRefusal(await asks(access_token, `${mailboxPath(tenant.address)}/send`, 'POST', mail), [
        403,
        'account_paused',
      ])
      await resumeAccount(door.ctx, tenant.accountId)
      expect(await taken(access_token)).to.equal('taken')
    })
  })

  describe('the challenge at /api/mcp', () => {
    const scope = 'scope="mail:read mail:send mail:write mailboxes:read mailboxes:write"'
    const metadata = () => `resource_metadata="${door.ctx.baseUrl}/.well-known/oauth-protected-resource/api/mcp"`
    const challengeOf = (response: Response) => String(response.headers.get('www-authenticate'))

    it('without a token says where to authorize, and for which scopes', async () => {
      const response = await callMcp({})
      expect([response.status, challengeOf(response)]).to.deep.equal([401, `Bearer ${metadata()}, ${scope}`])
    })

    for (const [what, token] of [
      ['a wrong token', 'svc_oat_none'],
      ['a wrong key', 'svc_live_none'],
    ] as const)
      it(`with ${what} says that it is not valid`, async () => {
        const response = await callMcp({ authorization: `Bearer ${token}` })
        expect(response.status).to.equal(401)
        expect(challengeOf(response)).to.equal(`Bearer error="invalid_token", ${metadata()}, ${scope}`)
      })

    it('with a wrong key in the path says that it is not valid', async () => {
      const response = await callMcp({}, 'get_account_summary', {}, '/api/mcp/svc_live_none')
      expect(response.status).to.equal(401)
      expect(challengeOf(response)).to.equal(`Bearer error="invalid_token", ${metadata()}, ${scope}`)
    })

    describe('asks a program for the scopes of', () => {
      const mailbox = () => `mailroom://mailbox/${tenant.address}`
      const ref = { type: 'ref/prompt', name: 'triage_inbox' }
      const argument = (name: string) => ({ ref, argument: { name, value: '' } })
      type Case = readonly [what: string, has: string, method: string, params: () => Json, missing: string | null]
      const cases: readonly Case[] = [
        ['a call', 'mailboxes:read', 'tools/call', () => ({ name: 'list_messages', arguments: {} }), 'mail:read'],
        ['a resource', 'mailboxes:read', 'resources/read', () => ({ uri: mailbox() }), 'mail:read'],
        ['a resource of no mail', 'mailboxes:read', 'resources/read', () => ({ uri: 'mailroom://events' }), null],
        ['an unknown resource', 'mailboxes:read', 'resources/read', () => ({ uri: 'mailroom://none/1' }), null],
        ['a prompt', 'mail:read', 'prompts/get', () => ({ name: 'answer_newest_unread' }), 'mail:send'],
        ['an unknown prompt', 'mail:read', 'prompts/get', () => ({ name: 'none' }), null],
        ['a completed address', 'mail:read', 'completion/complete', () => argument('mailbox'), 'mailboxes:read'],
        ['a completed folder', 'mailboxes:read', 'completion/complete', () => argument('folder'), 'mail:read'],
        [
          'an argument without completion',
          'mailboxes:read',
          'completion/complete',
          () => argument('constructor'),
          null,
        ],
        ['a watched mailbox', 'mailboxes:read', 'resources/subscribe', () => ({ uri: mailbox() }), 'mail:read'],
        [
          'a subscription',
          'mailboxes:read',
          'subscriptions/listen',
          () => ({ notifications: { resourceSubscriptions: ['mailroom://events', mailbox()] } }),
          'mail:read',
        ],
        [
          'nonsense',
          'mail:read',
          'subscriptions/listen',
          () => ({ notifications: { resourceSubscriptions: 7 } }),
          null,
        ],
      ]
      const tokens = new Map<string, string>()
      const tokenWith = async (scope: string) => {
        const token = tokens.get(scope) ?? (await connect({ asked: { scope } })).access_token
        tokens.set(scope, token)
        return token
      }
      const request = (token: string, method: string, params: Json) =>
        fetch(`${door.http}/api/mcp`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            authorization: `Bearer ${token}`,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        })
      for (const [what, has, method, params, missing] of cases)
        it(`${what}${missing === null ? ': nothing' : ', beside those that it has'}`, async () => {
          const response = await request(await tokenWith(has), method, params())
          if (missing === null) {
            expect([response.status, response.headers.get('www-authenticate')]).to.deep.equal([200, null])
            return
          }
          expect(response.status).to.equal(403)
          expect(challengeOf(response)).to.match(
            new RegExp(
              `^Bearer error="insufficient_scope", ${metadata()}, scope="${has}[a-z: ]* ?${missing}[a-z: ]*"$`,
            ),
          )
          expect(await response.json()).to.include({ code: 'insufficient_scope', requiredScope: missing })
        })

      it('nothing if it uses a key, whose scopes never change', async () => {
        const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mailboxes:read'] })
        for (const [what, , method, params] of cases) {
          const response = await request(apiKey, method, params())
          expect([response.status, response.headers.get('www-authenticate')], what).to.deep.equal([200, null])
        }
      })
    })
  })

  describe('a connected program', () => {
    type Listed = { readonly grants: readonly (Json & { readonly id: string })[] }
    const listed = async (person: SignedIn) => (await person.ask<Listed>('GET', '/api/v1/grants')).body.grants

    it('is listed for who connected it and for owners, and disconnected at once in every process', async () => {
      const member = await newPerson(door, { accountId: tenant.accountId, role: 'member' })
      const reader = await newPerson(door, { accountId: tenant.accountId, role: 'reader' })
      const { access_token, refresh_token } = await connect({ person: member })
      await connect({ person: reader })
      await asks(access_token)
      const [own, ...more] = await listed(member)
      expect(more).to.deep.equal([])
      expect(own).to.deep.include({
        name: 'Test program',
        clientId,
        redirectsTo: 'program.example',
        person: { id: member.id, email: member.email, name: 'Ann' },
        scopes: ['mail:read', 'mail:send', 'mailboxes:read'],
        mailboxes: null,
      })
      const id = String(own?.id)
      expect((await listed(owner)).map((grant) => grant.id)).to.include(id)
      expectRefusal(await reader.ask('DELETE', `/api/v1/grants/${id}`), [404, 'not_found'])
      const foreign = await newPerson(door, { accountId: (await makeTenant(door, { name: 'foreign' })).accountId })
      expectRefusal(await foreign.ask('DELETE', `/api/v1/grants/${id}`), [404, 'not_found'])
      expectRefusal(await owner.ask('DELETE', `/api/v1/keys/${id}`), [404, 'not_found'])
      expectRefusal(await client(door.http, tenant.key)('GET', '/api/v1/grants'), [403, 'forbidden'])
      const second = await door.another()
      Object.assign(second.ctx, { baseUrl: door.ctx.baseUrl })
      try {
        const there = async () => (await client(second.http, access_token)('GET', '/api/v1/account')).status
        expect(await there()).to.equal(200)
        expect((await member.ask('DELETE', `/api/v1/grants/${id}`)).status).to.equal(200)
        expect([await taken(access_token), await there()]).to.deep.equal(['401 invalid_access_token', 401])
      } finally {
        await second.close()
      }
      expect((await refresh(refresh_token)).body.error).to.equal('invalid_grant')
      expect(await listed(member)).to.deep.equal([])
      expectRefusal(await member.ask('DELETE', `/api/v1/grants/${id}`), [404, 'not_found'])
      const [reading] = await listed(reader)
      expect((await reader.ask('DELETE', `/api/v1/grants/${reading?.id}`)).status).to.equal(200)
    })

    it('loses the endpoints that it created when it ends, whatever it reaches', async () => {
      const { access_token } = await connect()
      const made = await asks(access_token, '/api/v1/webhooks', 'POST', {
        url: 'https://hook.example/',
        events: ['message.received'],
      })
      expect(made.status).to.equal(201)
      const endpoint = () => client(door.http, tenant.key)('GET', `/api/v1/webhooks/${made.body.id}`)
      expect((await endpoint()).body.enabled).to.equal(true)
      await sendForm(at('/oauth/revoke'), { token: access_token, client_id: clientId })
      expect((await endpoint()).body.enabled).to.equal(false)
    })

    it('ends when the program revokes any of its tokens', async () => {
      for (const which of ['access_token', 'refresh_token'] as const) {
        const tokens = await connect()
        const revoke = (token: string, client_id = clientId) => sendForm(at('/oauth/revoke'), { token, client_id })
        await revoke(tokens[which], await register())
        expect(await taken(tokens.access_token), 'another program').to.equal('taken')
        expect((await revoke(tokens[which])).status).to.equal(200)
        expect(await taken(tokens.access_token), which).to.equal('401 invalid_access_token')
        expect((await refresh(tokens.refresh_token)).body.error).to.equal('invalid_grant')
        expect((await revoke('unknown')).status).to.equal(200)
      }
    })

    it('has no more than the role of its person, and ends when the person leaves', async () => {
      const person = await newPerson(door, { accountId: tenant.accountId, role: 'member' })
      const tokens = await connect({ person })
      const send = () => asks(tokens.access_token, `${mailboxPath(tenant.address)}/send`, 'POST', {})
      expectRefusal(await send(), [400, 'validation_error'])
      await owner.ask('PATCH', `/api/v1/account/members/${person.id}`, { role: 'reader' })
      expectRefusal(await send(), [403, 'insufficient_scope'])
      expectRefusal(
        await asks(tokens.access_token, '/api/v1/webhooks', 'POST', { url: 'https://x.example/', events: [] }),
        [403, 'forbidden'],
      )
      const refreshed = (await refresh(tokens.refresh_token)).body
      expect(refreshed.scope).to.equal('mail:read mailboxes:read')
      await removeMember(door.ctx, { accountId: tenant.accountId, personId: person.id })
      expect(await taken(String(refreshed.access_token))).to.equal('401 invalid_access_token')
      await joinAccount(door.ctx, { accountId: tenant.accountId, personId: person.id, role: 'owner' })
      expect(await taken(String(refreshed.access_token))).to.equal('401 invalid_access_token')
      expect((await refresh(String(refreshed.refresh_token))).body.error).to.equal('invalid_grant')
    })

    const connected = async () =>
      (await owner.ask<{ grants: readonly Json[] }>('GET', '/api/v1/grants')).body.grants.length
    const asksAgain = async (id: string) => {
      const before = await connected()
      expectRefusal(await owner.ask('DELETE', `/api/v1/account/members/${id}`), [404, 'not_found'])
      expect(await connected()).to.equal(before - 1)
    }
    for (const [what, next] of [
      ['the removal is asked for again', asksAgain],
      ['the person comes back', async () => undefined],
    ] as const)
      it(`ends with the membership, also after a crash in between, when ${what}`, async () => {
        const person = await newPerson(door, { accountId: tenant.accountId, role: 'member' })
        const membership = { accountId: tenant.accountId, personId: person.id }
        const tokens = await connect({ person })
        const made = await person.ask<{ password: string }>('POST', `${mailboxPath(tenant.address)}/app-passwords`, {
          name: 'phone',
        })
        expect(made.status).to.equal(201)
        const logsIn = () =>
          logIn(door.ctx, {
            user: tenant.address,
            password: made.body.password,
            scope: 'mail:read',
            peerAddress: '192.0.2.1',
          }).then(
            () => 'logged in',
            ({ code }) => code,
          )
        expect(await logsIn()).to.equal('logged in')
        const { body } = await asks(tokens.access_token, '/api/v1/webhooks', 'POST', {
          url: 'https://hook.example/',
          events: ['message.received'],
        })
        const isHeard = async () =>
          (await client(door.http, tenant.key)('GET', `/api/v1/webhooks/${body.id}`)).body.enabled
        expect(await isHeard()).to.equal(true)
        // The state that a killed process leaves.
        await store.removeMember(door.ctx.store, membership)
        forgetCallers(door.ctx, { accountIds: [tenant.accountId] })
        expect(await isHeard()).to.equal(false)
        await next(person.id)
        await joinAccount(door.ctx, { ...membership, role: 'member' })
        expect(await taken(tokens.access_token)).to.equal('401 invalid_access_token')
        expect((await refresh(tokens.refresh_token)).body.error).to.equal('invalid_grant')
        expect(await logsIn()).to.equal('invalid_api_key')
      })
  })
})
