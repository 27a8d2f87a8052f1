/** Every error code of the contract, produced through the public API, with all fields of the error object. */
import { expect } from 'chai'
import { revokeKey } from '../../core/access/keys.ts'
import { takeRolling, takeUsage } from '../../core/access/usage.ts'
import { claimByToken } from '../../core/account/accounts.ts'
import { suspendAccount } from '../../core/account/holds.ts'
import { pauseSending } from '../../core/account/reputation.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { dayMs, minuteMs } from '../../core/process/clock.ts'
import { type FailureCode, failures } from '../../schemas/failures.ts'
import type { AgentsPlanName, MailPlanName } from '../../schemas/plans.ts'
import { agentScopes } from '../../schemas/scopes.ts'
import { toBinary } from '../../store/bytes.ts'
import { eventually } from '../eventually.ts'
import { type Answer, type Call, client, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { makeCustomer, makePartner } from '../start/partners.ts'

/** The codes of interface.md, Errors, and the one that decisions.md adds. */
const contract: { readonly [code in FailureCode]: number } = {
  missing_api_key: 401,
  invalid_api_key: 401,
  api_key_expired: 401,
  invalid_access_token: 401,
  unauthorized: 401,
  plan_required: 402,
  AGENT_EMAIL_LIMIT: 402,
  AGENT_INBOX_LIMIT: 402,
  insufficient_scope: 403,
  partner_key_not_allowed: 403,
  account_paused: 403,
  account_suspended: 403,
  sending_paused: 403,
  send_limit_reached: 403,
  domain_not_on_account: 403,
  domain_not_verified: 403,
  shared_domain_phone_required: 403,
  CLAIM_REQUIRED: 403,
  agent_inbox_only: 403,
  forbidden: 403,
  validation_error: 400,
  invalid_sender: 400,
  idempotency_key_invalid: 400,
  invalid_request: 400,
  attachments_too_large: 413,
  payload_too_large: 413,
  mailbox_not_found: 404,
  domain_not_found: 404,
  alias_not_found: 404,
  email_not_found: 404,
  template_not_found: 404,
  not_found: 404,
  idempotency_in_progress: 409,
  idempotency_key_reused: 422,
  template_paused: 409,
  conflict: 409,
  missing_template_variables: 422,
  all_recipients_suppressed: 422,
  batch_too_large: 422,
  unprocessable: 422,
  rate_limited: 429,
  mailbox_creation_limit: 429,
  send_rate_limited: 429,
  shared_domain_send_limit: 429,
  send_failed: 502,
  internal_error: 500,
  unavailable: 503,
}

const to = 'delivered@simulator.invalid'

describe('error codes', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let errorsPage: string
  let tenants = 0

  before(async () => {
    door = await openDoor()
    tenant = await makeTenant(door, { name: 'tenant' })
    call = client(door.http, tenant.key)
    errorsPage = await (await fetch(`${door.http}/docs/errors`)).text()
  })
  after(() => door?.close())

  type Plans = { plan?: MailPlanName | null; agentsPlan?: AgentsPlanName | null }
  const fresh = async (plans: Plans = {}) => {
    const made = await makeTenant(door, { name: `tenant${++tenants}`, ...plans })
    return { ...made, call: client(door.http, made.key), send: sender(client(door.http, made.key), made.address) }
  }
  const sender =
    (by: Call, address: string) =>
    (body: Json = {}, headers = {}) =>
      by('POST', `${mailboxPath(address)}/send`, { to, subject: 's', text: 't', ...body }, headers)
  const send = (body: Json = {}, headers = {}) => sender(call, tenant.address)(body, headers)
  const recipients = (count: number) => Array.from({ length: count }, (_, n) => ({ email: `r${n}@remote.example` }))
  const used = (owner: string, counter: string, by: number) =>
    takeUsage(door.ctx, { owner, period: 'month', counter, by, limit: null })
  const withKey = async (key: Partial<Parameters<typeof makeKey>[1]>) =>
    client(door.http, (await makeKey(door.ctx, { accountId: tenant.accountId, ...key })).apiKey)
  const withCredential = (credential: string) =>
    client(door.http)('GET', '/api/v1/account', undefined, { authorization: credential })
  const template = (alias: string, more: Json = {}) =>
    call('POST', '/api/v1/templates', { alias, subject: 's', text: '{{name}}', ...more })
  const signUp = async () => {
    const { body } = await client(door.http)<{ [field: string]: string }>('POST', '/api/v1/signup', {})
    const { address = '', api_key: key = '', claim_url: url = '' } = body
    const own = client(door.http, key)
    const claim = () =>
      claimByToken(door.ctx, { token: url.slice(url.lastIndexOf('/') + 1), owner: 'a@people.example' })
    return { call: own, send: sender(own, address), claim }
  }

  /** Makes a DKIM key unreadable. Returns a function that restores it. */
  async function breakSigning(address: string): Promise<() => Promise<unknown>> {
    const { domains } = door.ctx.store
    const domain = { _id: address.slice('agent@'.length) }
    const { dkim } = (await domains.findOne(domain))!
    await domains.updateOne(domain, { $set: { 'dkim.0.privateKey': toBinary(Buffer.from('no key')) } })
    return () => domains.updateOne(domain, { $set: { dkim } })
  }

  const produced: { readonly [code in FailureCode]: () => Promise<Answer> } = {
    missing_api_key: () => client(door.http)('GET', '/api/v1/account'),
    invalid_api_key: async () => {
      const { apiKey, key } = await makeKey(door.ctx, { accountId: tenant.accountId })
      await revokeKey(door.ctx, { accountId: tenant.accountId, keyId: key.id })
      return withCredential(`Bearer ${apiKey}`)
    },
    api_key_expired: async () => (await withKey({ expiresAt: new Date(Date.now() - 1) }))('GET', '/api/v1/account'),
    invalid_access_token: () => withCredential('Bearer svc_oat_none'),
    unauthorized: () => withCredential('Basic dXNlcjpwYXNz'),
    plan_required: async () => {
      const own = await fresh({ plan: null, agentsPlan: 'free' })
      return own.call('POST', '/api/v1/mailboxes', { address: own.address.replace('agent', 'ann'), kind: 'person' })
    },
    AGENT_EMAIL_LIMIT: async () => {
      const own = await fresh({ plan: null, agentsPlan: 'free' })
      await used(own.accountId, 'agentEmails', 3_300)
      return own.send()
    },
    AGENT_INBOX_LIMIT: async () => {
      const own = await fresh({ plan: null, agentsPlan: 'free' })
      const make = (name: string) =>
        own.call('POST', '/api/v1/mailboxes', { address: own.address.replace('agent', name) })
      for (const name of ['two', 'three']) expect((await make(name)).status).to.equal(201)
      return make('four')
    },
    insufficient_scope: async () => (await withKey({ scopes: ['mail:read'] }))('GET', '/api/v1/mailboxes'),
    partner_key_not_allowed: async () => {
      const { liveKey, live } = await makePartner(door, 'reseller')
      expect((await live('GET', '/api/partner/customers')).status).to.equal(200)
      return withCredential(`Bearer ${liveKey}`)
    },
    account_paused: async () => {
      const { live } = await makePartner(door, 'pauses')
      const { id, call: own, address } = await makeCustomer(door, live, { name: 'Unpaid' })
      expect((await live('POST', `/api/partner/customers/${id}/pause`, {})).status).to.equal(200)
      return sender(own, address)()
    },
    account_suspended: async () => {
      const own = await fresh()
      await suspendAccount(door.ctx, own.accountId, 'spam')
      return own.call('GET', '/api/v1/account')
    },
    sending_paused: async () => {
      const own = await fresh()
      await pauseSending(door.ctx, own.accountId, 'too many bounces')
      return own.send()
    },
    send_limit_reached: async () => {
      const own = await fresh({ plan: 'starter', agentsPlan: null })
      await used(own.accountId, 'sent', 3_000)
      return own.send()
    },
    domain_not_on_account: () => send({ from: 'agent@elsewhere.example' }),
    domain_not_verified: async () => {
      await createDomain(door.ctx, { domain: 'pending.example', accountId: tenant.accountId, verified: false })
      return call('POST', '/api/v1/mailboxes', { address: 'agent@pending.example' })
    },
    shared_domain_phone_required: async () => {
      const own = await signUp()
      await own.claim()
      const { signup } = door.ctx.settings
      Object.assign(signup, { phoneRequired: true })
      try {
        return await own.send()
      } finally {
        Object.assign(signup, { phoneRequired: false })
      }
    },
    CLAIM_REQUIRED: async () => (await signUp()).send(),
    agent_inbox_only: async () => {
      await call('POST', '/api/v1/mailboxes', { address: 'ann@tenant.example', kind: 'person' })
      return call('GET', `${mailboxPath('ann@tenant.example')}/drafts`)
    },
    forbidden: async () => {
      const own = await withKey({ kind: 'agent', scopes: agentScopes, mailboxIds: [tenant.mailboxId] })
      return own('DELETE', mailboxPath(tenant.address))
    },
    validation_error: () => send({ to: 'nobody' }),
    invalid_sender: () => send({ from: 'nobody' }),
    idempotency_key_invalid: () => send({}, { 'idempotency-key': 'x'.repeat(257) }),
    invalid_request: () => send({}, { 'content-type': 'text/plain' }),
    attachments_too_large: () =>
      send({
        attachments: Array.from({ length: 11 }, () => ({ name: 'a', contentType: 'text/plain', content: 'YQ==' })),
      }),
    payload_too_large: () => template('large', { text: 'x'.repeat(1024 * 1024) }),
    mailbox_not_found: () => call('GET', mailboxPath('nobody@tenant.example')),
    domain_not_found: () =>
      call('POST', '/api/v1/webhooks', {
        url: 'https://hooks.example/',
        events: ['message.received'],
        scope: { domains: ['elsewhere.example'] },
      }),
    alias_not_found: () => call('DELETE', '/api/v1/aliases/nobody@tenant.example'),
    email_not_found: () => call('GET', `/api/v1/emails/em_${'0'.repeat(26)}`),
    template_not_found: () => call('GET', '/api/v1/templates/none'),
    not_found: () => call('GET', '/api/v1/nothing'),
    idempotency_in_progress: () => {
      let tries = 0
      return eventually('two requests at once', async () => {
        const headers = { 'idempotency-key': `at once ${++tries}` }
        const answers = await Promise.all(Array.from({ length: 10 }, () => send({}, headers)))
        return answers.find(({ body }) => body.code === 'idempotency_in_progress')
      })
    },
    idempotency_key_reused: async () => {
      await send({}, { 'idempotency-key': 'first' })
      return send({ text: 'another' }, { 'idempotency-key': 'first' })
    },
    template_paused: async () => {
      await template('paused', { status: 'paused' })
      return call('POST', '/api/v1/emails', { from: tenant.address, to, template: 'paused', variables: { name: 'x' } })
    },
    conflict: () => call('POST', '/api/v1/mailboxes', { address: tenant.address }),
    missing_template_variables: async () => {
      await template('welcome')
      return call('POST', '/api/v1/emails', { from: tenant.address, to, template: 'welcome' })
    },
    all_recipients_suppressed: async () => {
      await call('POST', '/api/v1/suppressions', { email: 'gone@remote.example' })
      return send({ to: 'gone@remote.example' })
    },
    batch_too_large: () =>
      call('POST', `${mailboxPath(tenant.address)}/send-batch`, {
        subject: 's',
        text: 't',
        idempotencyKey: 'k',
        recipients: recipients(1_001),
      }),
    unprocessable: async () => {
      const own = await fresh()
      await door.ctx.store.folders.updateOne({ mailboxId: own.mailboxId, role: 'inbox' }, { $set: { bytes: 2 ** 40 } })
      return own.call('POST', `${mailboxPath(own.address)}/drafts`, { text: 'x' })
    },
    rate_limited: async () => {
      const own = await signUp()
      const ask = () => own.call('POST', '/api/v1/account/claim')
      for (let n = 0; n < 10; n++) expect((await ask()).status).to.equal(201)
      return ask()
    },
    mailbox_creation_limit: async () => {
      const { accountId } = tenant
      const { apiKey, key } = await makeKey(door.ctx, { accountId })
      for (let n = 0; n < 500; n += 50)
        await Promise.all(
          Array.from({ length: 50 }, () =>
            takeRolling(door.ctx, {
              owner: `${accountId}:${key.id}`,
              counter: 'mailboxes',
              limit: 500,
              windowMs: dayMs,
            }),
          ),
        )
      return client(door.http, apiKey)('POST', '/api/v1/mailboxes', { address: 'more@tenant.example' })
    },
    send_rate_limited: async () => {
      const own = await fresh({ plan: 'starter', agentsPlan: null })
      await used(own.accountId, 'sent', 1)
      const many = { to: recipients(10).map(({ email }) => email) }
      // A minute may end between two sends.
      return eventually('a full minute', async () => {
        const answer = await own.send(many)
        return answer.status === 202 ? null : answer
      })
    },
    shared_domain_send_limit: async () => {
      const own = await signUp()
      await own.claim()
      const { body } = await own.call<{ id: string }>('GET', '/api/v1/account')
      await takeUsage(door.ctx, { owner: body.id, period: 'day', counter: 'sharedSends', by: 50, limit: null })
      return own.send()
    },
    send_failed: async () => {
      const own = await fresh()
      await breakSigning(own.address)
      return own.send()
    },
    internal_error: async () => {
      const raw = 'From: a@remote.example\n\nHello\n'
      const id = await deliver(door.ctx, { to: tenant.address, raw })
      const message = await door.ctx.store.messages.findOne({ _id: id })
      await door.ctx.store.blobs.updateOne(
        { _id: `${message?.blob.id}#0` },
        { $set: { zstd: true, data: toBinary(Buffer.from('no zstd')) } },
      )
      return call('GET', `${mailboxPath(tenant.address)}/messages/${id}`)
    },
    unavailable: async () => {
      const { signup } = door.ctx.settings
      Object.assign(signup, { enabled: false })
      try {
        return await client(door.http)('POST', '/api/v1/signup', {})
      } finally {
        Object.assign(signup, { enabled: true })
      }
    },
  }

  /** The additional fields of an answer with this code. */
  const extra: { readonly [code in FailureCode]?: object } = {
    validation_error: { param: 'to' },
    insufficient_scope: { requiredScope: 'mailboxes:read' },
    missing_template_variables: { missing: ['name'] },
  }

  it('the table has the codes of the contract with their statuses', () => {
    const statuses = Object.fromEntries(Object.entries(failures).map(([code, { http }]) => [code, http]))
    expect(statuses).to.deep.equal(contract)
  })

  for (const [code, produce] of Object.entries(produced) as [FailureCode, () => Promise<Answer>][])
    it(`${code} is returned by the API with all its fields`, async () => {
      const { status, headers, body } = await produce()
      const { error, fix, retryAfter, ...rest } = body
      expect(rest, JSON.stringify(body)).to.deep.equal({
        success: false,
        code,
        docs: `${door.ctx.baseUrl}/docs/errors#${code}`,
        statusCode: contract[code],
        ...extra[code],
      })
      expect(status).to.equal(contract[code])
      for (const text of [error, fix]) expect(text).to.match(/^["A-Z].*[.?]$/)
      expect(errorsPage).to.include(`id="${code}"`)
      const waits = status === 429 || status === 503 || code === 'idempotency_in_progress'
      expect(headers.get('retry-after')).to.equal(waits ? String(retryAfter) : null)
      if (waits) expect(retryAfter).to.be.a('number').within(1, dayMs)
      expect(headers.get('www-authenticate')).to.equal(status === 401 ? 'Bearer' : null)
      expect(headers.get('x-request-id')).to.be.a('string')
    })

  it('a failed send goes out once if it is repeated with the same Idempotency-Key', async () => {
    const own = await fresh()
    const headers = { 'idempotency-key': 'again' }
    const mend = await breakSigning(own.address)
    for (let n = 0; n < 2; n++) expect((await own.send({}, headers)).body.code).to.equal('send_failed')
    await mend()
    // The process caches domains for a while.
    door.advance(10 * minuteMs)
    const sent = await own.send({}, headers)
    expect([sent.status, (await own.send({}, headers)).body.id]).to.deep.equal([202, sent.body.id])
    const { body } = await own.call<{ emails: readonly Json[] }>('GET', '/api/v1/emails')
    expect(body.emails).to.have.length(1)
    expect((await own.call<{ sends: Json }>('GET', '/api/v1/usage')).body.sends).to.include({ used: 1 })
  })
})
