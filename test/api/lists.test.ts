import { expect } from 'chai'
import { type Call, client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'

type Lists = { readonly [name: string]: readonly string[] }
const empty = { sendAllow: [], sendBlock: [], receiveAllow: [], receiveBlock: [] }

describe('the lists of a mailbox', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let path: string
  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    path = `${mailboxPath(tenant.address)}/lists`
  })
  after(() => door.close())
  afterEach(() => call('PUT', path, empty))

  const lists = async () => {
    const { success: _, ...all } = (await call('GET', path)).body
    return all as Lists
  }

  it('are empty at first', async () => expect(await lists()).to.deep.equal(empty))

  it('are kept in canonical form, each entry once', async () => {
    const { status } = await call('PUT', path, {
      sendAllow: ['Bob@Example.COM', 'bob@example.com', 'bücher.example', '*.Example.org'],
    })
    expect(status).to.equal(200)
    expect(await lists()).to.deep.equal({
      ...empty,
      sendAllow: ['bob@example.com', 'xn--bcher-kva.example', '*.example.org'],
    })
  })

  it('stay unchanged if a request does not name them', async () => {
    await call('PUT', path, { sendBlock: ['a.example'], receiveBlock: ['b.example'] })
    await call('PUT', path, { receiveBlock: [] })
    expect(await lists()).to.deep.equal({ ...empty, sendBlock: ['a.example'] })
  })

  describe('are refused with', () => {
    const many = Array.from({ length: 501 }, (_, n) => `d${n}.example`)
    const cases: readonly (readonly [string, object, string])[] = [
      [
        'an entry that is neither address nor domain',
        { receiveAllow: ['a.example', 'not a domain'] },
        'receiveAllow[1]',
      ],
      ['an address without a local part', { sendBlock: ['@a.example'] }, 'sendBlock[0]'],
      ['a star elsewhere', { sendBlock: ['a.*.example'] }, 'sendBlock[0]'],
      ['a single word', { sendBlock: ['bob'] }, 'sendBlock[0]'],
      ['a star for the local part', { sendBlock: ['a.example', '*@a.example'] }, 'sendBlock[1]'],
      ['a star alone', { sendBlock: ['*'] }, 'sendBlock[0]'],
      ['an empty entry', { sendBlock: [''] }, 'sendBlock[0]'],
      ['an entry that is not a string', { sendBlock: [1] }, 'sendBlock[0]'],
      ['too many entries', { sendBlock: many }, 'sendBlock'],
      ['a list that does not exist', { block: [] }, 'block'],
    ]
    for (const [name, body, param] of cases) {
      it(name, async () => {
        const { status, body: error } = await call<ErrorBody>('PUT', path, body)
        expect([status, error.code, error.param]).to.deep.equal([400, 'validation_error', param])
      })
    }
  })

  it('are read by an agent of the mailbox, but not changed', async () => {
    const { accountId, mailboxId } = tenant
    const { apiKey } = await makeKey(door.ctx, {
      accountId,
      kind: 'agent',
      scopes: ['mailboxes:read', 'mailboxes:write'],
      mailboxIds: [mailboxId],
    })
    const agent = client(door.http, apiKey)
    expect((await agent('GET', path)).status).to.equal(200)
    const { status, body } = await agent<ErrorBody>('PUT', path, { receiveBlock: ['a.example'] })
    expect([status, body.code]).to.deep.equal([403, 'forbidden'])
  })

  it('of another account are not found', async () => {
    const other = await makeTenant(door, { name: 'stranger' })
    const stranger = client(door.http, other.key)
    for (const method of ['GET', 'PUT']) {
      const { body } = await stranger<ErrorBody>(
        method,
        path,
        method === 'PUT' ? { sendBlock: ['a.example'] } : undefined,
      )
      expect(body.code).to.equal('mailbox_not_found')
    }
  })

  describe('keep the mailbox from sending', () => {
    const cases: readonly (readonly [string, Lists, string, boolean])[] = [
      ['to a blocked address', { sendBlock: ['bob@b.example'] }, 'bob@b.example', false],
      ['to a blocked address with a tag', { sendBlock: ['bob@b.example'] }, 'bob+x@b.example', false],
      ['to a blocked domain', { sendBlock: ['b.example'] }, 'bob@b.example', false],
      ['below a blocked domain', { sendBlock: ['*.b.example'] }, 'bob@mail.b.example', false],
      ['not to the domain above', { sendBlock: ['*.b.example'] }, 'bob@b.example', true],
      ['to somebody who is not on the list of those allowed', { sendAllow: ['c.example'] }, 'bob@b.example', false],
      ['not to somebody who is', { sendAllow: ['b.example'] }, 'bob@b.example', true],
      [
        'to somebody who is on both',
        { sendAllow: ['b.example'], sendBlock: ['bob@b.example'] },
        'bob@b.example',
        false,
      ],
    ]
    for (const [name, change, to, goes] of cases) {
      it(name, async () => {
        await call('PUT', path, change)
        const { status, body } = await call<ErrorBody & { error: string }>(
          'POST',
          `${mailboxPath(tenant.address)}/send`,
          {
            to,
            subject: 'Hi',
            text: 'Hi',
          },
        )
        expect(status).to.equal(goes ? 202 : 403)
        if (goes) return
        expect(body.code).to.equal('forbidden')
        expect(body.error).to.include(to)
      })
    }

    it('to a Reply-To: the reply goes to the author', async () => {
      const raw = 'From: a@author.example\nReply-To: b@elsewhere.example\nSubject: Hi\nMessage-ID: <list@x>\n\nHi\n'
      const id = await deliver(door.ctx, { to: tenant.address, raw })
      await call('PUT', path, { sendBlock: ['elsewhere.example'] })
      const { body } = await call<{ recipients: readonly { email: string }[] }>(
        'POST',
        `${mailboxPath(tenant.address)}/messages/${id}/reply`,
        { text: 'Hello' },
      )
      expect(body.recipients.map(({ email }) => email)).to.deep.equal(['a@author.example'])
    })
  })

  it('keep mail out, or put it into Spam if another recipient accepts it', async () => {
    await call('PUT', path, { receiveBlock: ['remote.example'] })
    const raw = 'From: a@author.example\nSubject: Hi\n\nblocked by its envelope\n'
    await door.noticed()
    const refused = await deliver(door.ctx, { to: tenant.address, raw }).catch((error: { code: string }) => error.code)
    expect(refused).to.equal('forbidden')
  })
})
