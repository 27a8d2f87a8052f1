import { expect } from 'chai'
import { revokeKey } from '../../core/access/keys.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { agentScopes } from '../../schemas/scopes.ts'
import { eventually } from '../eventually.ts'
import { client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { sendMail } from '../peers/send-mail.ts'
import { makeKey, makeTenant, type Tenant } from '../start/door.ts'
import { contextOf, type Service } from '../start/service.ts'
import { useSharedService } from '../start/shared-service.ts'
import { describeAccountStates } from './account-states.ts'

type Call = ReturnType<typeof client>
type Summary = { message_id: string; attachments: { id: string }[] }

const letter = (to: string) =>
  Buffer.from(
    [
      'From: carol@remote.test',
      `To: ${to}`,
      'Subject: Private',
      'Message-ID: <private@remote.test>',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b1',
      '',
      '--b1',
      'Content-Type: text/plain',
      '',
      'Not for strangers.',
      '--b1',
      'Content-Type: application/pdf; name=plan.pdf',
      'Content-Disposition: attachment; filename=plan.pdf',
      '',
      'the plan',
      '--b1--',
      '',
    ].join('\r\n'),
  )

describe('tenancy', () => {
  let service: Service
  let ctx: Context
  let own: Tenant
  let foreign: Tenant
  let call: Call
  let foreignCall: Call
  /** Ids of records in the other account. */
  let ids: { address: string; message: string; attachment: string; webhook: string }

  useSharedService((shared) => {
    service = shared.service
  })
  before(async () => {
    ctx = await contextOf(service)
    own = await makeTenant({ ctx, http: service.http }, { name: 'own' })
    foreign = await makeTenant({ ctx, http: service.http }, { name: 'foreign' })
    call = client(service.http, own.key)
    foreignCall = client(service.http, foreign.key)
    await sendMail(service.smtp, { from: 'carol@remote.test', to: foreign.address, raw: letter(foreign.address) })
    const message = await eventually('the mail', async () => {
      const { body } = await foreignCall<{ messages: Summary[] }>('GET', `${mailboxPath(foreign.address)}/messages`)
      return body.messages[0]
    })
    const webhook = await foreignCall<{ id: string }>('POST', '/api/v1/webhooks', {
      url: 'https://hooks.example/x',
      events: ['message.received'],
    })
    ids = {
      address: foreign.address,
      message: message.message_id,
      attachment: message.attachments[0]?.id ?? '',
      webhook: webhook.body.id,
    }
  })
  after(async () => {
    if (ctx !== undefined) await closeContext(ctx)
  })

  it('lists nothing of another account, whatever cursor or filter is tried', async () => {
    for (const path of ['/api/v1/mailboxes', '/api/v1/webhooks', '/api/v1/events'])
      expect(JSON.stringify((await call('GET', path)).body)).to.not.contain('foreign')
    const theirs = await foreignCall<{ events: { cursor: string }[] }>('GET', '/api/v1/events')
    const cursor = theirs.body.events[0]?.cursor
    for (const query of [`before=${cursor}`, `after=${cursor}`, `mailbox=${ids.address}`])
      expect(JSON.stringify((await call('GET', `/api/v1/events?${query}`)).body)).to.not.contain('foreign')
  })

  it('makes no mailbox on a domain of another account', async () => {
    const theirs = await call<ErrorBody>('POST', '/api/v1/mailboxes', { address: 'spy@foreign.example' })
    const nobodys = await call<ErrorBody>('POST', '/api/v1/mailboxes', { address: 'spy@nobody.example' })
    expect([theirs.status, theirs.body.code]).to.deep.equal([403, 'domain_not_on_account'])
    expect({ ...theirs.body, error: '' }).to.deep.equal({ ...nobodys.body, error: '' })
  })

  describe('an agent key', () => {
    let agent: Call
    let keyId: string
    const made = 'made@own.example'

    before(async () => {
      const { apiKey, key } = await makeKey(ctx, { accountId: own.accountId, kind: 'agent', scopes: agentScopes })
      agent = client(service.http, apiKey)
      keyId = key.id
    })

    it('sees no mailbox that it neither made nor was granted', async () => {
      expect((await agent<{ mailboxes: Json[] }>('GET', '/api/v1/mailboxes')).body.mailboxes).to.deep.equal([])
      const answer = await agent<ErrorBody>('GET', mailboxPath(own.address))
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'mailbox_not_found'])
    })

    it('makes and deletes its own, which other keys of the account see', async () => {
      expect((await agent('POST', '/api/v1/mailboxes', { address: made })).body).to.include({ createdBy: keyId })
      const { body } = await agent<{ mailboxes: { address: string }[] }>('GET', '/api/v1/mailboxes')
      expect(body.mailboxes.map(({ address }) => address)).to.deep.equal([made])
      expect((await call('GET', mailboxPath(made))).status).to.equal(200)
    })

    it('may not choose a mailbox for a person', async () => {
      const answer = await agent<ErrorBody>('POST', '/api/v1/mailboxes', { address: 'p@own.example', kind: 'person' })
      expect([answer.status, answer.body.code]).to.deep.equal([403, 'forbidden'])
    })

    it('deletes only what it created, even when it was granted more', async () => {
      const granted = await makeKey(ctx, {
        accountId: own.accountId,
        kind: 'agent',
        scopes: agentScopes,
        mailboxIds: [own.mailboxId],
      })
      const second = client(service.http, granted.apiKey)
      const refused = await second<ErrorBody>('DELETE', mailboxPath(own.address))
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'forbidden'])
      expect((await second<ErrorBody>('DELETE', mailboxPath(made))).body.code).to.equal('mailbox_not_found')
      expect((await agent('DELETE', mailboxPath(made))).body).to.include({ deleted: true })
      expect((await agent<ErrorBody>('GET', mailboxPath(made))).body.code).to.equal('mailbox_not_found')
      const again = await call<ErrorBody>('POST', '/api/v1/mailboxes', { address: made })
      expect([again.status, again.body.code]).to.deep.equal([409, 'conflict'])
    })

    it('sees only events of its mailboxes and its own webhooks, which are disabled when the key is revoked', async () => {
      const wanted = { url: 'https://hooks.example/agent', events: ['mailbox.created'] }
      const { body } = await agent<{ id: string }>('POST', '/api/v1/webhooks', wanted)
      const seen = await agent<{ webhooks: { id: string }[] }>('GET', '/api/v1/webhooks')
      expect(seen.body.webhooks.map(({ id }) => id)).to.deep.equal([body.id])
      const { body: events } = await agent<{ events: { data: { address: string } }[] }>('GET', '/api/v1/events')
      expect(events.events.map(({ data }) => data.address)).to.deep.equal([made, made])
      await revokeKey(ctx, { accountId: own.accountId, keyId })
      expect((await agent<ErrorBody>('GET', '/api/v1/webhooks')).body.code).to.equal('invalid_api_key')
      expect((await call('GET', `/api/v1/webhooks/${body.id}`)).body).to.include({ enabled: false })
    })
  })

  it('shows events and accepts endpoints only as the scopes of the key allow', async () => {
    const { apiKey } = await makeKey(ctx, { accountId: foreign.accountId, scopes: ['mail:send'] })
    const narrow = client(service.http, apiKey)
    expect((await narrow<{ events: Json[] }>('GET', '/api/v1/events')).body.events).to.deep.equal([])
    const hook = { url: 'https://hooks.example/x', events: ['message.received'] }
    const refused = await narrow<ErrorBody>('POST', '/api/v1/webhooks', hook)
    expect(refused.body).to.include({ code: 'insufficient_scope', requiredScope: 'mail:read' })
    const led = await narrow<ErrorBody>('PATCH', `/api/v1/webhooks/${ids.webhook}`, {
      url: 'https://elsewhere.example/',
    })
    expect(led.body).to.include({ code: 'insufficient_scope', requiredScope: 'mail:read' })
    const webhook = await foreignCall('GET', `/api/v1/webhooks/${ids.webhook}`)
    expect(webhook.body).to.include({ url: 'https://hooks.example/x' })
  })

  describeAccountStates(() => ({ service, ctx, own }))

  describe('credentials', () => {
    const never = new Date(Date.now() - 1000)
    const bad: readonly (readonly [name: string, headers: Record<string, string>, status: number, code: string])[] = [
      ['none', {}, 401, 'missing_api_key'],
      ['an empty one', { authorization: 'Bearer' }, 401, 'missing_api_key'],
      ['a wrong one', { authorization: `Bearer svc_live_${'A'.repeat(43)}` }, 401, 'invalid_api_key'],
      ['one of another kind', { authorization: 'Bearer hunter2' }, 401, 'invalid_api_key'],
      ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, 401, 'unauthorized'],
      ['a wrong X-API-Key', { 'x-api-key': 'svc_live_x' }, 401, 'invalid_api_key'],
      ['an access token', { authorization: 'Bearer svc_oat_abc' }, 401, 'invalid_access_token'],
      ['a partner key', { authorization: 'Bearer svc_partner_live_abc' }, 403, 'partner_key_not_allowed'],
      ['a partner test key', { 'x-api-key': 'svc_partner_test_abc' }, 403, 'partner_key_not_allowed'],
    ]
    for (const [name, headers, status, code] of bad) {
      it(`refuses ${name}, at REST and at MCP`, async () => {
        const rest = await client(service.http)<ErrorBody>('GET', '/api/v1/mailboxes', undefined, headers)
        expect([rest.status, rest.body.code]).to.deep.equal([status, code])
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
        const mcp = await client(service.http)('POST', '/api/mcp', body, headers)
        expect(mcp.status).to.equal(status)
        expect(JSON.stringify(mcp.body)).to.contain(code)
      })
    }

    it('accepts X-API-Key as well, and the scheme in any letter case', async () => {
      const same: readonly Record<string, string>[] = [{ 'x-api-key': own.key }, { authorization: `bearer ${own.key}` }]
      for (const headers of same)
        expect((await client(service.http)('GET', '/api/v1/account', undefined, headers)).status).to.equal(200)
    })

    it('rejects a key at once when it is revoked or expires', async () => {
      const { apiKey, key } = await makeKey(ctx, { accountId: own.accountId })
      const used = client(service.http, apiKey)
      expect((await used('GET', '/api/v1/account')).status).to.equal(200)
      await revokeKey(ctx, { accountId: own.accountId, keyId: key.id })
      expect((await used<ErrorBody>('GET', '/api/v1/account')).body).to.include({ code: 'invalid_api_key' })
      const old = await makeKey(ctx, { accountId: own.accountId, expiresAt: never })
      const expired = await client(service.http, old.apiKey)<ErrorBody>('GET', '/api/v1/account')
      expect([expired.status, expired.body.code]).to.deep.equal([401, 'api_key_expired'])
    })
  })

  const privateUrls = [
    'http://hooks.example/x',
    'https://127.0.0.1/x',
    'https://127.1/x',
    'https://2130706433/x',
    'https://0.0.0.0/x',
    'https://localhost/x',
    'https://localhost./x',
    'https://a.localhost/x',
    'https://[::1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://[fd00::1]/x',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/x',
    'https://192.168.1.1/x',
    'https://172.16.0.1/x',
    'https://100.64.0.1/x',
    'https://user:pass@hooks.example/x',
    'ftp://hooks.example/x',
    'hooks.example',
  ]
  for (const url of privateUrls) {
    it(`refuses a webhook to ${url}`, async () => {
      const answer = await call<ErrorBody>('POST', '/api/v1/webhooks', { url, events: ['message.received'] })
      expect(answer.status, JSON.stringify(answer.body)).to.equal(400)
      expect(answer.body).to.include({ code: 'validation_error', param: 'url' })
      const change = await foreignCall<ErrorBody>('PATCH', `/api/v1/webhooks/${ids.webhook}`, { url })
      expect(change.body).to.include({ code: 'validation_error', param: 'url' })
    })
  }
})
