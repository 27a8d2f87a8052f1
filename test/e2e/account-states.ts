/** Tests that every door answers to an account in each state as the table of schemas/account-states.ts says. */
import { expect } from 'chai'
import { callersChanged } from '../../core/access/known-callers.ts'
import { getAccount } from '../../core/account/accounts.ts'
import { pauseAccount, resumeAccount, suspendAccount, unsuspendAccount } from '../../core/account/holds.ts'
import { createAppPassword, listAppPasswords, revokeAppPassword } from '../../core/account/login.ts'
import { pauseSending, resumeSending } from '../../core/account/reputation.ts'
import { eraseUnclaimed } from '../../core/personal/erase.ts'
import { dayMs } from '../../core/process/clock.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { type AccountState, type Act, accountStates, refusalIn } from '../../schemas/account-states.ts'
import { failures } from '../../schemas/failures.ts'
import { eventually } from '../eventually.ts'
import { type Answer, client, type Json, mailboxPath } from '../peers/rest.ts'
import { SmtpClient } from '../peers/smtp-client.ts'
import { makeTenant, type Tenant } from '../start/door.ts'
import { makeCustomer, makePartner, type Partner } from '../start/partners.ts'
import { contextOf, type Service } from '../start/service.ts'

type Subject = { readonly accountId: string; readonly address: string; readonly key: string; readonly password: string }
type Setting = { readonly states: readonly AccountState[]; make(name: string): Promise<Subject> }

const stranger = 'delivered@simulator.invalid'
let letters = 0

/** Adds the tests; they call `given` when they run. */
export function describeAccountStates(given: () => { service: Service; ctx: Context; own: Tenant }): void {
  describe('the states of an account', () => {
    const customers = new Map<string, { readonly id: string; readonly partner: Partner }>()

    async function claimed(name: string): Promise<Subject> {
      const { ctx, service } = given()
      const tenant = await makeTenant({ ctx, http: service.http }, { name })
      const account = await getAccount(ctx, tenant.accountId)
      return { ...tenant, ...(await createAppPassword(ctx, { account, address: tenant.address, name })) }
    }
    async function signedUp(name: string): Promise<Subject> {
      const { body } = await client(given().service.http)<{ address: string; api_key: string }>(
        'POST',
        '/api/v1/signup',
        { name },
      )
      const { body: account } = await client(given().service.http, body.api_key)<{ id: string }>(
        'GET',
        '/api/v1/account',
      )
      return { accountId: account.id, address: body.address, key: body.api_key, password: body.api_key }
    }
    /** An account as its partner created it. */
    async function customer(name: string): Promise<Subject> {
      const { ctx, service } = given()
      const partner = await makePartner({ ctx, http: service.http }, name)
      const made = await makeCustomer({ http: service.http }, partner.live, { name, agentsPlan: 'scale' })
      customers.set(made.accountId, { id: made.id, partner })
      const account = await getAccount(ctx, made.accountId)
      return { ...made, ...(await createAppPassword(ctx, { account, address: made.address, name })) }
    }
    const held =
      (make: (name: string) => Promise<Subject>, ...holds: ((ctx: Context, id: string, why: string) => unknown)[]) =>
      async (name: string) => {
        const subject = await make(name)
        await hear(subject)
        for (const hold of holds) await hold(given().ctx, subject.accountId, 'a test')
        return subject
      }
    const settings: readonly Setting[] = [
      { states: ['active'], make: held(claimed) },
      { states: ['unclaimed'], make: held(signedUp) },
      { states: ['sendingPaused', 'active'], make: held(claimed, pauseSending) },
      { states: ['paused', 'active'], make: held(customer, pauseByPartner) },
      { states: ['suspended', 'active'], make: held(claimed, suspendAccount) },
      { states: ['paused', 'sendingPaused', 'active'], make: held(claimed, pauseSending, pauseAccount) },
      { states: ['suspended', 'paused', 'active'], make: held(claimed, pauseAccount, suspendAccount) },
      { states: ['suspended', 'unclaimed'], make: held(signedUp, suspendAccount) },
      { states: ['paused', 'unclaimed'], make: held(signedUp, pauseAccount) },
      { states: ['moved'], make: held(signedUp, move) },
      { states: ['removed'], make: held(signedUp, remove) },
    ]

    /** Sends the account a message from the tenant `own`, to whom the account may then reply. */
    async function hear({ address, key }: Subject): Promise<void> {
      const { service, own } = given()
      const letter = { to: address, subject: `Letter ${++letters}`, text: 'Hello' }
      await client(service.http, own.key)('POST', `${mailboxPath(own.address)}/send`, letter)
      const call = client(service.http, key)
      await eventually('the letter', async () => {
        const { body } = await call<{ messages: readonly Json[] }>('GET', `${mailboxPath(address)}/messages`)
        return body.messages[0]
      })
    }

    async function pauseByPartner(_: Context, accountId: string): Promise<void> {
      const { id, partner } = customers.get(accountId)!
      const { body } = await partner.live('POST', `/api/partner/customers/${id}/pause`, {})
      expect(body.status).to.equal('paused')
    }

    /** Puts the account into the state that it has briefly while a person merges it into another account. */
    async function move({ store }: Context, accountId: string): Promise<void> {
      await store.accounts.updateOne(
        { _id: accountId },
        { $set: { status: 'moved' }, $unset: { claimHash: '', claimExpiresAt: '' } },
      )
      await callersChanged(given().ctx, { accountIds: [accountId] })
    }

    async function remove(): Promise<void> {
      const later = await contextOf(given().service, { now: () => new Date(Date.now() + 8 * dayMs) })
      await eraseUnclaimed(later)
      await closeContext(later)
    }

    type Door = { readonly name: string; readonly first: Act; ask(subject: Subject, act: Act): Promise<string> }
    const to = (act: Act) => (act === 'reply' ? given().own.address : stranger)
    const told = ({ status, body }: Answer) => (status < 300 ? 'done' : `${status} ${body.code}`)
    const asRest = (code: keyof typeof failures | null) => (code === null ? 'done' : `${failures[code].http} ${code}`)

    async function rest({ address, key }: Subject, act: Act): Promise<string> {
      const call = client(given().service.http, key)
      if (act === 'ask') return told(await call('GET', '/api/v1/account'))
      return told(await call('POST', `${mailboxPath(address)}/send`, { to: to(act), text: `Text ${++letters}` }))
    }

    async function mcp({ address, key }: Subject, act: Act): Promise<string> {
      const params =
        act === 'ask'
          ? { name: 'get_account_summary', arguments: {} }
          : { name: 'send_message', arguments: { mailbox: address, to: to(act), text: `Text ${++letters}` } }
      const answer = await client(given().service.http, key)<{ result?: { structuredContent: Json } }>(
        'POST',
        '/api/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      )
      const content = answer.body.result?.structuredContent
      const status = Number(content?.statusCode ?? answer.status)
      return told({ ...answer, status, body: content ?? answer.body })
    }

    const logIn = async ({ address, password }: Subject) => {
      const session = await SmtpClient.hello(given().service.submission ?? '')
      const { text, code } = await session.say(
        `AUTH PLAIN ${Buffer.from(`\0${address}\0${password}`).toString('base64')}`,
      )
      return { session, code, text }
    }
    const mail = (subject: Subject, act: Act) =>
      `From: ${subject.address}\r\nTo: ${to(act)}\r\nSubject: Mail ${++letters}\r\n\r\nHello\r\n`
    const asSmtp = (code: keyof typeof failures | null) => (code === null ? 'done' : failures[code].smtp)
    const toldBySmtp = ({ code, text }: { code: number; text: string }) =>
      code < 300 ? 'done' : (/^\d{3} \d\.\d\.\d+/.exec(text)?.[0] ?? text)

    async function submission(subject: Subject, act: Act): Promise<string> {
      const { session, ...reply } = await logIn(subject)
      try {
        if (act === 'logIn' || reply.code !== 235) return toldBySmtp(reply)
        return toldBySmtp(await session.send([to(act)], mail(subject, act), { from: subject.address }))
      } finally {
        session.destroy()
      }
    }

    async function inbound(subject: Subject): Promise<string> {
      const session = await SmtpClient.hello(given().service.smtp)
      try {
        await session.say('MAIL FROM:<a@remote.test>')
        return toldBySmtp(await session.say(`RCPT TO:<${subject.address}>`))
      } finally {
        session.destroy()
      }
    }

    const doors: readonly (Door & { readonly acts: readonly Act[]; readonly expected: typeof asRest })[] = [
      { name: 'REST', first: 'ask', acts: ['ask', 'reply', 'send'], ask: rest, expected: asRest },
      { name: 'MCP', first: 'ask', acts: ['ask', 'reply', 'send'], ask: mcp, expected: asRest },
      { name: 'submission', first: 'logIn', acts: ['logIn', 'reply', 'send'], ask: submission, expected: asSmtp },
      { name: 'SMTP', first: 'receive', acts: ['receive'], ask: inbound, expected: asSmtp },
    ]

    it('every state of the table is tested', () => {
      const tried = new Set(settings.flatMap(({ states }) => states))
      expect([...tried].sort()).to.deep.equal(Object.keys(accountStates).sort())
    })

    for (const [n, { states, make }] of settings.entries())
      it(`${states.join(', ')}: each door answers to each act as the table says`, async () => {
        const subject = await make(`states${n}`)
        for (const { name, first, acts, ask, expected } of doors)
          for (const act of acts) {
            const code = refusalIn(states, first) ?? refusalIn(states, act)
            expect(await ask(subject, act), `${name}, ${act}`).to.equal(expected(code))
          }
      })

    it('ending one state restores only what that state took away', async () => {
      const { ctx } = given()
      const subject = await claimed('ended')
      const { accountId } = subject
      await pauseSending(ctx, accountId, 'a test')
      await pauseAccount(ctx, accountId, 'a test')
      await suspendAccount(ctx, accountId, 'a test')
      expect(await suspendAccount(ctx, accountId, 'again')).to.equal(false)
      const sends: string[] = []
      for (const end of [unsuspendAccount, resumeAccount, (c: Context, id: string) => resumeSending(c, id, 'a test')]) {
        sends.push(await rest(subject, 'send'))
        expect(await end(ctx, accountId)).to.equal(true)
        expect(await end(ctx, accountId)).to.equal(false)
      }
      sends.push(await rest(subject, 'send'))
      expect(sends).to.deep.equal(['403 account_suspended', '403 account_paused', '403 sending_paused', 'done'])
      const { body } = await client(given().service.http, subject.key)<{ events: readonly Json[] }>(
        'GET',
        '/api/v1/events',
      )
      const events = body.events.map(({ type }) => type).filter((type) => String(type).startsWith('account.'))
      expect(events).to.deep.equal(['account.sending_resumed', 'account.sending_paused'])
    })

    it('a logged-in SMTP client can no longer send once the password is revoked or the account has ended', async () => {
      const { ctx } = given()
      const subject = await claimed('ends')
      const { address, accountId } = subject
      const account = await getAccount(ctx, accountId)
      const other = { ...subject, ...(await createAppPassword(ctx, { account, address, name: 'other' })) }
      const sessions = await Promise.all([logIn(subject), logIn(other)])
      const send = async (n: 0 | 1) => {
        const { session } = sessions[n]
        const begun = await session.say(`MAIL FROM:<${address}>`)
        if (begun.code !== 250) return toldBySmtp(begun)
        await session.say('RSET')
        return toldBySmtp(await session.send([stranger], mail(subject, 'send'), { from: address }))
      }
      expect([await send(0), await send(1)]).to.deep.equal(['done', 'done'])
      const uses = async () => {
        const passwords = await listAppPasswords(ctx, { account, address })
        return passwords.every(({ lastUsed }) => lastUsed?.address === '127.0.0.1') && passwords.length
      }
      expect(await eventually('the logins in the list', uses)).to.equal(2)
      await revokeAppPassword(ctx, { account, address, keyId: other.keyId })
      expect([await send(0), await send(1)]).to.deep.equal(['done', failures.invalid_api_key.smtp])
      await suspendAccount(ctx, accountId, 'a test')
      expect(await send(0)).to.equal(failures.account_suspended.smtp)
      for (const { session } of sessions) session.destroy()
    })
  })
}
