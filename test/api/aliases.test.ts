import { expect } from 'chai'
import { recipientsOf } from '../../core/receive/recipient-cache.ts'
import { findRecipient } from '../../core/receive/recipients.ts'
import { type Call, client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'

type Alias = { alias: string; targets: string[]; createdAt: string }

describe('api: aliases', () => {
  let door: Door
  let tenant: Tenant
  let stranger: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    stranger = await makeTenant(door, { name: 'stranger' })
    for (const address of ['second@tenant.example', 'third@tenant.example'])
      await call('POST', '/api/v1/mailboxes', { address })
  })
  after(() => door?.close())

  const create = (alias: string, targets: readonly string[] = [tenant.address], key = tenant.key) =>
    client(door.http, key)<Alias & ErrorBody>('POST', '/api/v1/aliases', { alias, targets })
  const list = async () =>
    (await call<{ aliases: Alias[]; next: null }>('GET', '/api/v1/aliases?limit=200')).body.aliases
  const reached = async (address: string) => {
    recipientsOf(door.ctx).owners.forget(() => true)
    return (await findRecipient(door.ctx, address)).mailboxes.map((mailbox) => mailbox.address)
  }
  const unknown = (address: string) =>
    reached(address).then(
      (found) => found.join(),
      (error: { code: string }) => error.code,
    )

  it('are created, listed and deleted; mail reaches each mailbox once', async () => {
    const made = await create('Sales@Tenant.example', [tenant.address, 'second@tenant.example', tenant.address])
    expect(made.status).to.equal(201)
    expect(made.body).to.deep.include({
      alias: 'sales@tenant.example',
      targets: [tenant.address, 'second@tenant.example'],
    })
    expect((await list()).map(({ alias }) => alias)).to.deep.equal(['sales@tenant.example'])
    expect(await reached('sales@tenant.example')).to.deep.equal([tenant.address, 'second@tenant.example'])
    expect(await reached('sales+spring@tenant.example')).to.deep.equal([tenant.address, 'second@tenant.example'])
    const deleted = await call('DELETE', '/api/v1/aliases/sales@tenant.example')
    expect(deleted.body).to.deep.equal({ success: true, deleted: true })
    expect(await unknown('sales@tenant.example')).to.equal('mailbox_not_found')
    expect(await list()).to.deep.equal([])
  })

  it('match exactly before by plus tag, and by plus tag before the catch-all; role addresses go to the first mailbox', async () => {
    await create('*@tenant.example', ['third@tenant.example'])
    expect(await reached('whoever@tenant.example')).to.deep.equal(['third@tenant.example'])
    expect(await reached('agent+tag@tenant.example')).to.deep.equal([tenant.address])
    // An address with a plus tag cannot become an alias; it always reaches the mailbox of its base address.
    expect((await create('agent+tag@tenant.example')).body).to.include({ code: 'validation_error', param: 'alias' })
    await create('whoever@tenant.example', ['second@tenant.example'])
    expect(await reached('whoever@tenant.example')).to.deep.equal(['second@tenant.example'])
    expect(await reached('postmaster@tenant.example')).to.deep.equal([tenant.address])
    await call('DELETE', `/api/v1/aliases/${encodeURIComponent('*@tenant.example')}`)
    await call('DELETE', '/api/v1/aliases/whoever@tenant.example')
    expect(await unknown('whoever@tenant.example')).to.equal('mailbox_not_found')
  })

  it('the trace header names the address to which a message was sent', async () => {
    await create('support@tenant.example')
    const raw = 'From: a@remote.example\nSubject: x\n\nx\n'
    const id = await deliver(door.ctx, { to: 'support+urgent@tenant.example', raw })
    const response = await fetch(`${door.http}${mailboxPath(tenant.address)}/messages/${id}/raw?trace=true`, {
      headers: { 'x-api-key': tenant.key },
    })
    expect(await response.text()).to.match(/^Delivered-To: support\+urgent@tenant\.example\r$/m)
  })

  it('can be used as sender by their own mailbox only', async () => {
    await create('second-only@tenant.example', ['second@tenant.example'])
    const send = (from: string) =>
      call<ErrorBody & { id: string }>('POST', `${mailboxPath(tenant.address)}/send`, {
        from,
        to: 'x@remote.example',
        subject: 'x',
        text: 'x',
      })
    expect((await send('support@tenant.example')).status).to.equal(202)
    expect((await send('Support <support+a@tenant.example>')).status).to.equal(202)
    expect((await send('second-only@tenant.example')).body.code).to.equal('forbidden')
    await create('*@tenant.example')
    for (const from of ['ceo@tenant.example', '*@tenant.example', 'Everybody <*+a@tenant.example>'])
      expect((await send(from)).body.code, from).to.equal('forbidden')
    await call('DELETE', `/api/v1/aliases/${encodeURIComponent('*@tenant.example')}`)
  })

  const refusals: readonly (readonly [string, string, readonly string[], number, string])[] = [
    ['no address', 'nonsense', ['agent@tenant.example'], 400, 'validation_error'],
    ['a plus', 'a+b@tenant.example', ['agent@tenant.example'], 400, 'validation_error'],
    ['a star in an address', 'sales*@tenant.example', ['agent@tenant.example'], 400, 'validation_error'],
    ['a report address', 'reports-0123456789abcdef@tenant.example', ['agent@tenant.example'], 400, 'validation_error'],
    ['no target', 'x@tenant.example', [], 400, 'validation_error'],
    ['too many targets', 'x@tenant.example', Array(51).fill('agent@tenant.example'), 400, 'validation_error'],
    ['a foreign domain', 'x@stranger.example', ['agent@tenant.example'], 403, 'domain_not_on_account'],
    ['the shared domain', 'x@agents.localhost', ['agent@tenant.example'], 403, 'domain_not_on_account'],
    ['a foreign catch-all', '*@stranger.example', ['agent@tenant.example'], 403, 'domain_not_on_account'],
    ['an unknown target', 'x@tenant.example', ['none@tenant.example'], 404, 'mailbox_not_found'],
    ['a foreign target', 'x@tenant.example', ['agent@stranger.example'], 404, 'mailbox_not_found'],
    ['a mailbox', 'second@tenant.example', ['agent@tenant.example'], 409, 'conflict'],
    ['an alias that is there', 'support@tenant.example', ['agent@tenant.example'], 409, 'conflict'],
  ]
  for (const [what, alias, targets, status, code] of refusals) {
    it(`refuses ${what}`, async () => {
      const answer = await create(alias, targets)
      expect([answer.status, answer.body.code]).to.deep.equal([status, code])
    })
  }

  it('reserve their address: no mailbox can be created there, nor as a catch-all', async () => {
    const made = (address: string) => call<ErrorBody>('POST', '/api/v1/mailboxes', { address })
    expect((await made('support@tenant.example')).body.code).to.equal('conflict')
    expect((await made('*@tenant.example')).body.code).to.equal('validation_error')
  })

  it('cannot be managed by agent keys or other tenants', async () => {
    const agent = await makeKey(door.ctx, {
      accountId: tenant.accountId,
      kind: 'agent',
      scopes: ['mail:read', 'mailboxes:write'],
      mailboxIds: [tenant.mailboxId],
    })
    const asAgent = client(door.http, agent.apiKey)
    expect((await asAgent<ErrorBody>('GET', '/api/v1/aliases')).body).to.include({
      code: 'insufficient_scope',
      requiredScope: 'aliases:read',
    })
    const made = await create('agents@tenant.example', [tenant.address], agent.apiKey)
    expect(made.body).to.include({ code: 'insufficient_scope', requiredScope: 'aliases:write' })
    const theirs = client(door.http, stranger.key)
    expect((await theirs<{ aliases: Alias[] }>('GET', '/api/v1/aliases')).body.aliases).to.deep.equal([])
    const deleted = await theirs<ErrorBody>('DELETE', '/api/v1/aliases/support@tenant.example')
    expect([deleted.status, deleted.body.code]).to.deep.equal([404, 'alias_not_found'])
    expect(await reached('support@tenant.example')).to.deep.equal([tenant.address])
  })

  it('do not include mailbox addresses, which cannot be deleted as aliases', async () => {
    expect((await call<ErrorBody>('DELETE', `/api/v1/aliases/${tenant.address}`)).body.code).to.equal('alias_not_found')
    expect((await call<ErrorBody>('DELETE', '/api/v1/aliases/nonsense')).body.code).to.equal('alias_not_found')
  })

  it('lose a deleted mailbox, and are deleted with their last one', async () => {
    await call('POST', '/api/v1/mailboxes', { address: 'leaving@tenant.example' })
    await create('both@tenant.example', ['leaving@tenant.example', tenant.address])
    await create('alone@tenant.example', ['leaving@tenant.example'])
    await call('DELETE', mailboxPath('leaving@tenant.example'))
    const aliases = await list()
    expect(aliases.find(({ alias }) => alias === 'both@tenant.example')?.targets).to.deep.equal([tenant.address])
    expect(aliases.some(({ alias }) => alias === 'alone@tenant.example')).to.equal(false)
    expect(await reached('both@tenant.example')).to.deep.equal([tenant.address])
    expect((await create('alone@tenant.example')).status).to.equal(201)
  })

  it('are paged newest first, and limited in number', async () => {
    const other = await makeTenant(door, { name: 'many' })
    for (let n = 0; n < 3; n++) await create(`a${n}@many.example`, [other.address], other.key)
    const asked = client(door.http, other.key)
    const first = await asked<{ aliases: Alias[]; next: string }>('GET', '/api/v1/aliases?limit=2')
    const second = await asked<{ aliases: Alias[]; next: null }>(
      'GET',
      `/api/v1/aliases?limit=2&before=${first.body.next}`,
    )
    expect([...first.body.aliases, ...second.body.aliases].map(({ alias }) => alias)).to.deep.equal([
      'a2@many.example',
      'a1@many.example',
      'a0@many.example',
    ])
    expect(second.body.next).to.equal(null)
    await door.ctx.store.accounts.updateOne({ _id: other.accountId }, { $set: { aliases: 1_000 } })
    expect((await create('more@many.example', [other.address], other.key)).body.code).to.equal('conflict')
    await asked('DELETE', '/api/v1/aliases/a0@many.example')
    expect((await create('more@many.example', [other.address], other.key)).status).to.equal(201)
  })

  it('take effect in another process within 2 seconds of a change', async () => {
    const { ctx } = door
    await findRecipient(ctx, 'agent+cached@tenant.example')
    await create('*@tenant.example', ['third@tenant.example'])
    const known = await findRecipient(ctx, 'somebody@tenant.example')
    expect(known.mailboxes.map(({ address }) => address)).to.deep.equal(['third@tenant.example'])
    await create('somebody@tenant.example', ['second@tenant.example'])
    await door.noticed()
    const now = await findRecipient(ctx, 'somebody@tenant.example')
    expect(now.mailboxes.map(({ address }) => address)).to.deep.equal(['second@tenant.example'])
  })
})
