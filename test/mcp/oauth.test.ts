import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import * as current from '@modelcontextprotocol/client'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { hourMs } from '../../core/process/clock.ts'
import { openPublisher, type Publisher } from '../peers/documents.ts'
import { newProof, sendForm, sendJson, urlOf } from '../peers/oauth.ts'
import { expectAccessible, openWindow } from '../start/browser.ts'
import { type Door, deliver, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { type KnownPerson, makePerson, testPassword } from '../start/people.ts'

/** What a program keeps: the same for the clients of both generations of the SDK. */
type Kept = {
  client?: Awaited<ReturnType<current.OAuthClientProvider['clientInformation']>>
  tokens?: current.OAuthTokens
  verifier?: string
  discovered?: current.OAuthDiscoveryState
  /** Where the person is to go. */
  asks?: URL
}

describe('mcp: OAuth with the clients of the official SDK', () => {
  let door: Door
  let tenant: Tenant
  let person: KnownPerson
  let messageId: string
  let publisher: Publisher
  /** Where programs on the computer are told the answer, in the URL or by a form; they lead on to a page elsewhere. */
  const listener = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', callback)
    const form = await text(request)
    if (url.pathname !== '/callback') {
      response.end('Connected.')
      return
    }
    listener.emit('told', request.method, form === '' ? url.searchParams : new URLSearchParams(form))
    response.writeHead(303, { location: `http://localhost:${url.port}/connected` }).end()
  })
  let callback: string

  before(async () => {
    door = await openDoor({ isNamed: true })
    Object.assign(door.ctx.settings.webhooks, { allowPrivate: true })
    tenant = await makeTenant(door, { name: 'tenant' })
    person = await makePerson(door, { role: 'owner', accountId: tenant.accountId })
    messageId = await deliver(door.ctx, {
      to: tenant.address,
      raw: 'From: a@remote.example\nTo: agent@tenant.example\nSubject: Your code\n\nIt is 471104.\n',
    })
    publisher = await openPublisher()
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    callback = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`
  })
  after(async () => {
    await publisher?.close()
    listener.closeAllConnections()
    await new Promise((resolve) => listener.close(resolve))
    await door?.close()
  })

  const mcpUrl = () => new URL('/api/mcp', door.ctx.baseUrl)

  const providerOf = (kept: Kept, clientMetadataUrl?: string): current.OAuthClientProvider => ({
    redirectUrl: callback,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientMetadata: {
      client_name: 'SDK client',
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    state: () => 'the state',
    clientInformation: () => kept.client,
    saveClientInformation(client) {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens
    },
    invalidateCredentials() {
      delete kept.tokens
    },
    redirectToAuthorization(url) {
      kept.asks = url
    },
    saveCodeVerifier(verifier) {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState(discovered) {
      kept.discovered = discovered
    },
    discoveryState: () => kept.discovered,
  })

  /** Lets the person sign in and decide in a browser. Returns what the program is told. */
  async function decide(
    asks: URL,
    choose: (page: Page) => Promise<void>,
    options: Parameters<typeof openWindow>[0] = {},
  ): Promise<URLSearchParams> {
    const window = await openWindow(options)
    try {
      const { page } = window
      const told = once(listener, 'told') as Promise<[method: string, parameters: URLSearchParams]>
      await page.goto(asks.href)
      await page.getByLabel('E-mail address').fill(person.email)
      await page.getByLabel('Password').fill(testPassword)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: 'Connect SDK client?' }).waitFor()
      await choose(page)
      const [method, parameters] = await told
      await page.getByText('Connected.').waitFor()
      expect(method).to.equal(asks.searchParams.get('response_mode') === 'form_post' ? 'POST' : 'GET')
      return parameters
    } finally {
      await window.close()
    }
  }

  const connect = (page: Page) => page.getByRole('button', { name: 'Connect', exact: true }).click()

  async function readCode(client: {
    callTool(request: { name: string; arguments: { [name: string]: unknown } }): Promise<object>
  }) {
    const result = await client.callTool({
      name: 'read_message',
      arguments: { mailbox: tenant.address, message_id: messageId },
    })
    return JSON.stringify(result)
  }

  it('1.x: from nothing to a read message by registering, then refresh and revocation', async () => {
    const kept: Kept = {}
    const open = () => new StreamableHTTPClientTransport(mcpUrl(), { authProvider: providerOf(kept) })
    const first = open()
    const refused = await new Client({ name: 'test', version: '1' }).connect(first).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(UnauthorizedError)
    const told = await decide(kept.asks!, async (page) => {
      await expectAccessible(page, 'consent')
      expect(await page.getByRole('note').textContent()).to.include('any program there can call itself SDK client')
      await page.getByLabel('Only those selected below').check()
      await connect(page)
      expect(await page.locator('#mailboxes-error').textContent()).to.include('No mailbox is chosen.')
      await expectAccessible(page, 'consent refused')
      await page.getByLabel(tenant.address).check()
      await page.getByLabel('mail:send').uncheck()
      await connect(page)
    })
    expect([told.get('state'), told.get('iss')]).to.deep.equal(['the state', door.ctx.baseUrl])
    await first.finishAuth(told.get('code') ?? '')
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(open())
    expect(await readCode(client)).to.include('471104')
    expect(kept.tokens?.scope).to.equal('mail:read mail:write mailboxes:read mailboxes:write')
    // The token ends, and the client goes on with the next one by itself.
    const before = kept.tokens
    door.advance(hourMs + 1)
    expect(await readCode(client)).to.include('471104')
    expect(kept.tokens?.access_token).not.to.equal(before?.access_token)
    expect(kept.tokens?.refresh_token).not.to.equal(before?.refresh_token)
    await sendForm(new URL('/oauth/revoke', door.ctx.baseUrl).href, {
      token: kept.tokens?.refresh_token,
      client_id: kept.client?.client_id,
    })
    delete kept.asks
    expect(await readCode(client).catch((error: unknown) => error)).to.be.instanceOf(Error)
    expect(kept.asks, 'the person is asked again').to.be.instanceOf(URL)
    await client.close()
  })

  it('2.x: from nothing to a read message by what it publishes, disconnected on our page', async () => {
    const kept: Kept = {}
    const url = publisher.publish('/client.json', (own) => ({
      body: JSON.stringify({
        client_id: own,
        client_name: 'SDK client',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
      }),
    }))
    const open = () => new current.StreamableHTTPClientTransport(mcpUrl(), { authProvider: providerOf(kept, url) })
    const first = open()
    const newClient = () => new current.Client({ name: 'test', version: '1' })
    const refused = await newClient()
      .connect(first)
      .catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(current.UnauthorizedError)
    const told = await decide(kept.asks!, connect, { javaScriptEnabled: false })
    // Another server's answer is none of ours (RFC 9207).
    const mixed = new URLSearchParams({ ...Object.fromEntries(told), iss: 'https://evil.example' })
    expect(await first.finishAuth(mixed).catch((error: unknown) => error)).to.be.instanceOf(Error)
    expect(kept.tokens).to.equal(undefined)
    await first.finishAuth(told)
    expect(kept.client?.client_id).to.equal(url)
    const client = newClient()
    await client.connect(open())
    expect(await readCode(client)).to.include('471104')
    const window = await openWindow()
    const { page } = window
    await page.goto(new URL('/settings/programs', door.ctx.baseUrl).href)
    await page.getByLabel('E-mail address').fill(person.email)
    await page.getByLabel('Password').fill(testPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Connected programs' }).waitFor()
    await expectAccessible(page, 'programs')
    await page.getByRole('button', { name: 'Disconnect SDK client' }).click()
    expect(await page.getByRole('status').textContent()).to.include('The program is disconnected')
    await window.close()
    expect(await readCode(client).catch((error: unknown) => error)).to.be.instanceOf(Error)
    await client.close()
  })

  for (const [how, javaScriptEnabled] of [
    ['by itself', true],
    ['by a button where scripts are turned off', false],
  ] as const)
    it(`a program that wants its answer by POST gets it ${how}`, async () => {
      const at = (path: string) => new URL(path, door.ctx.baseUrl).href
      const registered = await sendJson(at('/oauth/register'), { client_name: 'SDK client', redirect_uris: [callback] })
      const client_id = String(registered.body.client_id)
      const { verifier, challenge } = newProof()
      const resource = mcpUrl().href
      const asks = urlOf(at('/oauth/authorize'), {
        client_id,
        redirect_uri: callback,
        resource,
        response_type: 'code',
        response_mode: 'form_post',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
      const goOn = async (page: Page) => {
        await connect(page)
        if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()
      }
      const told = await decide(new URL(asks), goOn, { javaScriptEnabled })
      expect(told.get('iss')).to.equal(door.ctx.baseUrl)
      const { body } = await sendForm(at('/oauth/token'), {
        grant_type: 'authorization_code',
        client_id,
        redirect_uri: callback,
        code: told.get('code') ?? undefined,
        code_verifier: verifier,
        resource,
      })
      expect(body.access_token).to.match(/^svc_oat_/)
    })
})
