import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { eraseUnclaimed } from '../../core/personal/erase.ts'
import { dayMs, after as later, minuteMs } from '../../core/process/clock.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { eventually } from '../eventually.ts'
import { type Answer, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { sendMail } from '../peers/send-mail.ts'
import { contextOf, type Service } from '../start/service.ts'
import { type Shared, useSharedService } from '../start/shared-service.ts'

type Call = ReturnType<typeof client>
type Signup = { address: string; api_key: string; claim_url: string; expires_at: string; mcp_url: string }
type Summary = { message_id: string; subject: string }
type Newcomer = Signup & { readonly call: Call; readonly path: string }

const bin = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))

describe('an unclaimed account', () => {
  let service: Service
  let mailsBy: Shared['mailsBy']
  let account: Newcomer

  useSharedService((shared) => {
    ;({ service, mailsBy } = shared)
  })
  before(async () => {
    account = await newcomer('unclaimed')
  })

  async function newcomer(name: string): Promise<Newcomer> {
    const { body, status } = await client(service.http)<Signup>('POST', '/api/v1/signup', { name })
    expect(status, JSON.stringify(body)).to.equal(201)
    return { ...body, call: client(service.http, body.api_key), path: mailboxPath(body.address) }
  }

  /** Delivers a message to the mailbox. Returns its message id. */
  async function receive({ address }: Newcomer, headers: readonly string[]): Promise<string> {
    const raw = Buffer.from([...headers, `To: ${address}`, '', 'Hello.', ''].join('\r\n'))
    const { response } = await sendMail(service.smtp, { from: 'bounces@mailer.test', to: address, raw })
    return /msg_[0-9a-z]{26}/.exec(response)?.[0] ?? ''
  }

  const send = ({ call, path }: Newcomer, body: object) =>
    call<ErrorBody>('POST', `${path}/send`, { text: 'Hi', ...body })
  const refused = (answer: Answer<ErrorBody>) => expect([answer.status, answer.body.code], JSON.stringify(answer.body))
  const claimRequired = [403, 'CLAIM_REQUIRED']

  it('may not write to new recipients, not even by cc, bcc, Reply-To, the reverse path, a plus address or its own name', async () => {
    const message = await receive(account, [
      'From: "Carol" <Carol@Remote.TEST>',
      'Reply-To: other@remote.test',
      'Cc: copied@remote.test',
      'Subject: One',
    ])
    const to = 'carol@remote.test'
    for (const body of [
      { to: 'stranger@remote.test' },
      { to: 'other@remote.test' },
      { to: 'copied@remote.test' },
      { to: 'bounces@mailer.test' },
      { to: 'carol+x@remote.test' },
      { to: account.address },
      { to, cc: 'stranger@remote.test' },
      { to, bcc: ['stranger@remote.test'] },
      { to: [to, 'stranger@remote.test'] },
      { to: 'delivered@simulator.invalid' },
      { to: 'stranger@remote.test', inReplyTo: message },
      { to: 'Carol <carol@remote.test>, stranger@remote.test' },
      { to: 'stranger@remote.test <carol@remote.test>', cc: 'x@remote.test' },
    ]) {
      const answer = await send(account, body)
      if (answer.status === 400) expect(answer.body.code).to.equal('validation_error')
      else refused(answer).to.deep.equal(claimRequired)
    }
    const all = await account.call<ErrorBody>('POST', `${account.path}/messages/${message}/reply`, {
      all: true,
      text: 'To all',
    })
    refused(all).to.deep.equal(claimRequired)
    for (const field of ['cc', 'bcc'])
      refused(
        await account.call<ErrorBody>('POST', `${account.path}/messages/${message}/reply`, {
          text: 'x',
          [field]: 'stranger@remote.test',
        }),
      ).to.deep.equal(claimRequired)
    expect(mailsBy(account.address)).to.deep.equal([])
  })

  it('may not use its own sent or moved mail as received mail to reply to', async () => {
    const { body } = await account.call<{ messages: Summary[] }>('GET', `${account.path}/messages`)
    expect(body.messages).to.have.length(1)
    const raw = Buffer.from('From: a@remote.test, stranger@remote.test\r\nSubject: Two authors\r\n\r\nHi\r\n')
    await sendMail(service.smtp, { from: 'a@remote.test', to: account.address, raw })
    refused(await send(account, { to: 'stranger@remote.test' })).to.deep.equal(claimRequired)
  })

  it('may reply to a sender five times a day, in whatever letter case the address is written', async () => {
    const message = await receive(account, ['From: Dora <Dora@Remote.Test>', 'Subject: Five'])
    const reply = () => account.call<ErrorBody>('POST', `${account.path}/messages/${message}/reply`, { text: 'Thanks' })
    for (let n = 1; n <= 3; n++) expect((await reply()).status, `reply ${n}`).to.equal(202)
    expect((await send(account, { to: 'DORA@remote.test' })).status).to.equal(202)
    expect((await send(account, { to: 'Dora <dora@remote.test>', inReplyTo: message })).status).to.equal(202)
    const sixth = await reply()
    refused(sixth).to.deep.equal(claimRequired)
    expect((sixth.body as unknown as { error: string }).error).to.contain('5 replies a day')
    await eventually('five mails', async () => mailsBy(account.address).length >= 5)
    expect(mailsBy(account.address).map(({ to }) => to)).to.deep.equal(Array(5).fill(['dora@remote.test']))
  })

  it('allows five of twenty simultaneous replies', async () => {
    const crowd = await newcomer('crowd')
    await receive(crowd, ['From: eve@remote.test', 'Subject: Crowd'])
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(crowd, { to: 'eve@remote.test' })))
    expect(answers.filter(({ status }) => status === 202)).to.have.length(5)
    for (const answer of answers.filter(({ status }) => status !== 202)) refused(answer).to.deep.equal(claimRequired)
  })

  it('is reminded of the claim by every answer', async () => {
    const { call, path, address, api_key: key, expires_at: expires } = account
    const message = (await call<{ messages: Summary[] }>('GET', `${path}/messages`)).body.messages[0]?.message_id
    const asks: readonly (readonly [string, string, unknown?, Record<string, string>?])[] = [
      ['GET', '/api/v1/account'],
      ['GET', `${path}/messages`],
      ['GET', '/api/v1/mailboxes?before=nonsense'],
      ['GET', '/api/v1/nothing'],
      ['PUT', path],
      ['GET', mailboxPath('nobody@remote.test')],
      ['GET', `${path}/messages/msg_x`],
      ['POST', `${path}/send`, { to: 'stranger@remote.test', text: 'x' }],
      ['POST', `${path}/send`, { unknown: 1 }],
      ['POST', `${path}/send`, { to: 'x@remote.test', text: 'x' }, { 'content-type': 'text/plain' }],
      ['POST', `${path}/send`, { to: 'x@remote.test', text: 'x' }, { 'idempotency-key': 'k'.repeat(257) }],
      ['PATCH', path, { displayName: 'x'.repeat(1_100_000) }],
      ['POST', '/api/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      ['POST', '/api/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'nothing', arguments: {} } }],
      ['GET', '/api/mcp'],
    ]
    for (const [method, where, body, headers] of asks) {
      const answer = await call(method, where, body, headers)
      const told = [answer.headers.get('x-service-claim'), answer.headers.get('x-service-claim-expires')]
      expect(told, `${method} ${where} ${answer.status}`).to.deep.equal(['required', expires])
    }
    const raw = await fetch(`${service.http}${path}/messages/${message}/raw`, { headers: { 'x-api-key': key } })
    expect(raw.headers.get('x-service-claim')).to.equal('required')
    const range = await fetch(`${service.http}${path}/messages/${message}/raw`, {
      headers: { 'x-api-key': key, range: 'bytes=9999999-' },
    })
    expect([range.status, range.headers.get('x-service-claim')]).to.deep.equal([416, 'required'])
    expect(Date.parse(expires) - Date.now()).to.be.within(7 * dayMs - 5 * minuteMs, 7 * dayMs)
    expect(address).to.equal('agent@unclaimed.agents.localhost')
  })

  describe('with its claim link', () => {
    const claim = (link: string, owner: string) =>
      promisify(execFile)(process.execPath, [bin, 'account', 'claim', link, owner], {
        env: { ...process.env, MAILROOM_DATA: service.data },
      })
    let fresh: string

    it('gets a new link that voids the old one, and is not claimed by merely opening it', async () => {
      const minted = await account.call<{ claim_url: string; expires_at: string }>('POST', '/api/v1/account/claim')
      expect(minted.status).to.equal(201)
      expect(minted.body.expires_at).to.equal(account.expires_at)
      fresh = minted.body.claim_url
      expect(fresh).to.not.equal(account.claim_url)
      for (const [link, status] of [
        [account.claim_url, 404],
        [fresh, 200],
      ] as const) {
        const page = await fetch(link)
        expect([page.status, page.headers.get('referrer-policy')]).to.deep.equal([status, 'no-referrer'])
        // Only the page of a valid link contains the token, to return to the link after the sign-in.
        const token = link.slice(link.lastIndexOf('/') + 1)
        expect((await page.text()).includes(token)).to.equal(status === 200)
      }
      expect((await account.call('GET', '/api/v1/account')).body).to.include({ status: 'unclaimed' })
      const old = await claim(account.claim_url, 'owner@people.test').catch((error: unknown) => error)
      expect(old).to.include({ code: 1 })
      expect((old as { stderr: string }).stderr).to.contain('replaced by a newer one')
    })

    it('is claimed once: the key stays, the reminders end, and fifty sends a day are allowed', async () => {
      const { stdout } = await claim(fresh, 'Owner@People.test')
      expect(JSON.parse(stdout)).to.include({ status: 'active', owner: 'owner@people.test', name: 'unclaimed' })
      const again = await claim(fresh, 'thief@people.test').catch((error: unknown) => error)
      expect(again).to.include({ code: 1 })
      const shown = await account.call<Json>('GET', '/api/v1/account')
      expect(shown.body).to.include({ status: 'active', owner: 'owner@people.test' })
      expect(shown.body).to.not.have.property('claimExpiresAt')
      expect(shown.headers.has('x-service-claim')).to.equal(false)
      const minted = await account.call<ErrorBody>('POST', '/api/v1/account/claim')
      refused(minted).to.deep.equal([409, 'conflict'])
      expect((await send(account, { to: 'stranger@remote.test' })).status).to.equal(202)
    })

    it('is then refused its fifty-first send of the day, even if all come at once', async () => {
      // Sent to simulated recipients, because they do not count against the rate per minute.
      const answers = await Promise.all(
        Array.from({ length: 53 }, (_, n) => send(account, { to: `delivered+${n}@simulator.invalid` })),
      )
      expect(answers.filter(({ status }) => status === 202)).to.have.length(49)
      const over = answers.find(({ status }) => status !== 202)!
      refused(over).to.deep.equal([429, 'shared_domain_send_limit'])
      expect(Number(over.headers.get('retry-after'))).to.be.within(1, 86_400)
    })
  })

  describe('that nobody claims', () => {
    let ctx: Context
    let gone: Newcomer
    before(async () => {
      gone = await newcomer('forgotten')
      await receive(gone, ['From: frank@remote.test', 'Subject: Soon gone'])
    })
    after(() => closeContext(ctx))

    it('lives until the last minute of its seven days', async () => {
      const end = Date.parse(gone.expires_at)
      let at = later(new Date(end), -minuteMs)
      ctx = await contextOf(service, { now: () => at })
      await eraseUnclaimed(ctx)
      expect((await gone.call('GET', '/api/v1/account')).status).to.equal(200)
      at = new Date(end)
      expect(await eraseUnclaimed(ctx)).to.be.at.least(1)
      expect(await eraseUnclaimed(ctx)).to.equal(0)
    })

    it('is then removed: key, address, claim link and name', async () => {
      refused(await gone.call<ErrorBody>('GET', '/api/v1/account')).to.deep.equal([401, 'invalid_api_key'])
      const raw = Buffer.from('Subject: Late\r\n\r\nHello?\r\n')
      const attempt = (to: string) =>
        eventually(`${to} is unknown`, () =>
          sendMail(service.smtp, { from: 'frank@remote.test', to, raw }).then(
            () => null,
            (error: { responseCode: number; response: string }) => error,
          ),
        )
      for (const to of [gone.address, 'agent+x@forgotten.agents.localhost', 'postmaster@forgotten.agents.localhost'])
        expect((await attempt(to)).response).to.match(/^550 5\.1\.1 /)
      const again = await client(service.http)<ErrorBody>('POST', '/api/v1/signup', { name: 'forgotten' })
      refused(again).to.deep.equal([409, 'conflict'])
    })

    it('is removed without touching the claimed account', async () => {
      expect((await account.call('GET', '/api/v1/account')).status).to.equal(200)
    })
  })
})
