import { expect } from 'chai'
import { makeLink } from '../../core/people/mailed-links.ts'
import { resetLinkOf, resetPassword } from '../../core/people/password-change.ts'
import { verifyEmail } from '../../core/people/sign-up.ts'
import { dayMs, hourMs, minuteMs } from '../../core/process/clock.ts'
import { findPeople, findPersonByEmail } from '../../store/people.ts'
import { browser, expectRefusal } from '../peers/person.ts'
import { type Call, client, mailboxPath } from '../peers/rest.ts'
import { type Door, openTenant, type Tenant } from '../start/door.ts'
import { dyingAtEachWrite } from '../start/dying.ts'
import { carryOutgoing } from '../start/outgoing.ts'
import { makePerson, signedIn } from '../start/people.ts'

const password = 'correct horse battery'

describe('api: people', () => {
  let door: Door
  let tenant: Tenant
  /** Calls with the key of the account whose mailbox receives the mail of all people here. */
  let call: Call
  let visitor: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant({ monitorCommands: true }))
    visitor = client(door.http)
    await call('POST', '/api/v1/aliases', { alias: '*@tenant.example', targets: [tenant.address] })
  })
  after(() => door?.close())

  let addresses = 0
  const address = () => `person${++addresses}@tenant.example`

  type Mail = {
    readonly message_id: string
    readonly subject: string
    readonly text: string
    readonly headers: string[][]
  }

  /** The messages to an address, newest first. */
  async function mailsTo(to: string): Promise<readonly Mail[]> {
    await carryOutgoing(door.ctx)
    const path = `${mailboxPath(tenant.address)}/messages`
    const { body } = await call<{ messages: Mail[] }>('GET', `${path}?to=${encodeURIComponent(to)}`)
    const read = await Promise.all(body.messages.map(({ message_id }) => call<Mail>('GET', `${path}/${message_id}`)))
    return read.map((answer) => answer.body)
  }

  /** The token of the link in the newest message to an address. */
  async function tokenTo(to: string): Promise<string> {
    const [mail] = await mailsTo(to)
    return /\/([\w-]{43})$/m.exec(mail?.text ?? '')?.[1] ?? `no link in ${mail?.text}`
  }

  const signUp = (email: string, more: object = {}) =>
    visitor('POST', '/api/v1/people', { email, password, name: 'Ann', ...more })
  const verify = (token: string) => visitor('POST', '/api/v1/people/verify', { token })
  const signIn = (email: string, given = password) => visitor('POST', '/api/v1/session', { email, password: given })

  /** A person who has signed up and verified the address. */
  async function person(email = address()): Promise<string> {
    await signUp(email)
    expect((await verify(await tokenTo(email))).status).to.equal(200)
    return email
  }

  describe('sign-up', () => {
    it('mails a link whose token creates the person, who can then sign in', async () => {
      const email = address()
      const answer = await signUp(email)
      expect([answer.status, answer.body]).to.deep.equal([202, { success: true, next: 'verify' }])
      expect(await findPersonByEmail(door.ctx.store, email)).to.equal(null)
      expectRefusal(await signIn(email), [401, 'unauthorized'])
      const verified = await verify(await tokenTo(email))
      expect([verified.status, verified.body.email]).to.deep.equal([200, email])
      const begun = await signIn(email)
      expect(begun.status).to.equal(201)
      expect(begun.body).to.deep.include({ account: null, accounts: [] })
      expect(begun.body.person).to.deep.include({ email, name: 'Ann' })
    })

    it('sends the message from the postmaster, signed and marked so that no program replies', async () => {
      const email = address()
      await signUp(email)
      const [mail] = await mailsTo(email)
      const field = (name: string) => mail?.headers.find(([each]) => each?.toLowerCase() === name)?.[1]
      expect(field('auto-submitted')).to.equal('auto-generated')
      expect(field('from')).to.equal('Mailroom <postmaster@agents.localhost>')
      expect(field('dkim-signature')).to.include('d=agents.localhost')
      expect(mail?.text).to.include(`${door.ctx.baseUrl}/verify/`)
    })

    it('gives the same answer for a known address, and mails another text', async () => {
      const email = await person()
      const [known, unknown] = [await signUp(email, { password: 'another password' }), await signUp(address())]
      expect([known.status, known.body]).to.deep.equal([unknown.status, unknown.body])
      const [mail] = await mailsTo(email)
      expect(mail?.subject).to.equal('You have already signed up')
      expect(mail?.text).not.to.include('/verify/')
      expect((await signIn(email)).status).to.equal(201)
      expectRefusal(await signIn(email, 'another password'), [401, 'unauthorized'])
    })

    it('treats all spellings of an address as one', async () => {
      const email = await person()
      expect((await signIn(email.toUpperCase())).status).to.equal(201)
      await signUp(email.toUpperCase().replace('TENANT', 'Tenant'))
      expect((await mailsTo(email))[0]?.subject).to.equal('You have already signed up')
    })

    it('keeps the first verified of two sign-ups of one address, and voids the other', async () => {
      const email = address()
      await signUp(email)
      const first = await tokenTo(email)
      await signUp(email, { password: 'another password' })
      const second = await tokenTo(email)
      expect(second).not.to.equal(first)
      const answers = await Promise.all([verify(first), verify(second)])
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404])
    })

    const bad: readonly (readonly [string, object, string | undefined])[] = [
      ['no address', { email: 'nobody' }, 'email'],
      ['an address with a line break', { email: 'a@b.example\r\nBcc: c@d.example' }, 'email'],
      ['an empty address', { email: '' }, 'email'],
      ['a short password', { password: '1234567' }, 'password'],
      ['a long password', { password: 'x'.repeat(201) }, 'password'],
      ['no name', { name: '' }, 'name'],
      ['a blank name', { name: ' \u3000 ' }, 'name'],
      ['a name of two lines', { name: 'Ann\u2028Your account ends' }, 'name'],
      ['a name that clears a screen', { name: 'Ann\u009b2J' }, 'name'],
      ['a name with a right-to-left override', { name: 'Ann\u202eknab' }, 'name'],
      ['an invisible name', { name: '\u200b\ufeff \u2060' }, 'name'],
      ['a name of two lines', { name: 'a\nb' }, 'name'],
      ['an unknown field', { admin: true }, 'admin'],
    ]
    for (const [what, more, param] of bad)
      it(`${what} is refused`, async () => {
        const answer = await signUp(address(), more)
        expectRefusal(answer, [400, 'validation_error'])
        expect(answer.body.param).to.equal(param)
      })

    const good: readonly (readonly [string, string])[] = [
      ['8 characters', '12345678'],
      ['200 characters', 'x'.repeat(200)],
      ['spaces', 'a b c d e f'],
      ['characters of two UTF-16 units', '🐎'.repeat(8)],
    ]
    for (const [what, given] of good)
      it(`a password of ${what} is accepted`, async () => {
        const email = address()
        await signUp(email, { password: given })
        await verify(await tokenTo(email))
        expect((await signIn(email, given)).status).to.equal(201)
        expectRefusal(await signIn(email, `${given} `), [401, 'unauthorized'])
      })

    it('a password typed in another normal form is the same', async () => {
      const email = address()
      await signUp(email, { password: 'caf\u00e9 au lait' })
      await verify(await tokenTo(email))
      expect((await signIn(email, 'cafe\u0301 au lait')).status).to.equal(201)
    })
  })

  describe('a mailed link', () => {
    it('works once', async () => {
      const email = address()
      await signUp(email)
      const token = await tokenTo(email)
      expect((await verify(token)).status).to.equal(200)
      expectRefusal(await verify(token), [404, 'not_found'])
    })

    it('of a sign-up stays valid until the person is there, wherever the process dies', async () => {
      const email = address()
      await signUp(email)
      const token = await tokenTo(email)
      await dyingAtEachWrite(
        async () => (await door.another()).ctx,
        async (at) => {
          if ((await findPersonByEmail(at.store, email)) === null) await verifyEmail(at, token)
        },
        async () => undefined,
      )
      expect((await signIn(email)).status).to.equal(201)
      expectRefusal(await verify(token), [404, 'not_found'])
    })

    it('works for one of several simultaneous requests', async () => {
      const email = await person()
      await visitor('POST', '/api/v1/people/reset', { email })
      const token = await tokenTo(email)
      const answers = await Promise.all(
        ['one password', 'two password', 'three password'].map((given) =>
          visitor('POST', '/api/v1/people/reset', { token, password: given }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404, 404])
    })

    it('does not work for another purpose', async () => {
      const email = await person()
      await visitor('POST', '/api/v1/people/reset', { email })
      const token = await tokenTo(email)
      expectRefusal(await verify(token), [404, 'not_found'])
      const other = address()
      await signUp(other)
      const answer = await visitor('POST', '/api/v1/people/reset', { token: await tokenTo(other), password })
      expectRefusal(answer, [404, 'not_found'])
    })

    for (const token of ['', 'x', 't'.repeat(43), 'svc_live_x'])
      it(`the made-up token "${token}" is not found`, async () => {
        expectRefusal(await verify(token), [404, 'not_found'])
        expectRefusal(await visitor('POST', '/api/v1/people/reset', { token, password }), [404, 'not_found'])
      })

    it('of a sign-up is valid for a day, of a reset for an hour', async () => {
      const [fresh, email] = [address(), await person()]
      await signUp(fresh)
      await visitor('POST', '/api/v1/people/reset', { email })
      const [toVerify, toReset] = [await tokenTo(fresh), await tokenTo(email)]
      door.advance(hourMs)
      expectRefusal(await visitor('POST', '/api/v1/people/reset', { token: toReset, password }), [404, 'not_found'])
      door.advance(dayMs - hourMs)
      expectRefusal(await verify(toVerify), [404, 'not_found'])
    })
  })

  describe('sign-in', () => {
    it('sets a cookie that scripts cannot read and other sites cannot send', async () => {
      const { headers } = await signIn(await person())
      expect(headers.get('set-cookie')).to.match(
        /^mailroom_session=[\w]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
      )
    })

    it('over TLS marks the cookie as secure', async () => {
      const email = await person()
      const secure = { ...door.ctx, baseUrl: 'https://mail.example' }
      const { signIn: begin } = await import('../../core/people/sign-in.ts')
      const { sessionCookie } = await import('../../operations/session-cookie.ts')
      const begun = await begin(secure, { email, password, peerAddress: '192.0.2.7', userAgent: '' })
      expect(sessionCookie(secure, begun)).to.match(/; Secure$/)
    })

    it('gives the same error for a wrong password, an unknown address and no address', async () => {
      const email = await person()
      const answers = await Promise.all([signIn(email, 'wrong password'), signIn(address()), signIn('nobody')])
      const [first, ...others] = answers.map(({ status, body }) => [status, body])
      expect(first?.[0]).to.equal(401)
      for (const each of others) expect(each).to.deep.equal(first)
    })

    it('does not continue an earlier session', async () => {
      const email = await person()
      const [one, two] = [browser(door.http), browser(door.http)]
      await one.ask('POST', '/api/v1/session', { email, password })
      await two.ask('POST', '/api/v1/session', { email, password })
      expect(one.cookie).not.to.equal(two.cookie)
      await one.ask('DELETE', '/api/v1/session')
      expect((await two.ask('GET', '/api/v1/session')).status).to.equal(200)
    })
  })

  describe('a forgotten password', () => {
    it('is replaced by a mailed link; every session ends, and the person is notified', async () => {
      const email = await person()
      const { ask } = browser(door.http)
      await ask('POST', '/api/v1/session', { email, password })
      const asked = await visitor('POST', '/api/v1/people/reset', { email })
      expect([asked.status, asked.body.status]).to.deep.equal([202, 'requested'])
      const changed = await visitor('POST', '/api/v1/people/reset', {
        token: await tokenTo(email),
        password: 'a new password',
      })
      expect([changed.status, changed.body.status]).to.deep.equal([200, 'changed'])
      expectRefusal(await ask('GET', '/api/v1/session'), [401, 'unauthorized'])
      expectRefusal(await signIn(email), [401, 'unauthorized'])
      expect((await signIn(email, 'a new password')).status).to.equal(201)
      expect((await mailsTo(email))[0]?.subject).to.equal('Your password was changed')
    })

    it('ends sessions that the old password is just starting', async () => {
      const email = await person()
      await visitor('POST', '/api/v1/people/reset', { email })
      const token = await tokenTo(email)
      const changing = visitor('POST', '/api/v1/people/reset', { token, password: 'a new password' })
      // Passwords are compared two at a time, so the later ones are compared with the new password.
      const late = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const { ask } = browser(door.http)
          await ask('POST', '/api/v1/session', { email, password })
          return ask
        }),
      )
      expect((await changing).status).to.equal(200)
      for (const ask of late) expectRefusal(await ask('GET', '/api/v1/session'), [401, 'unauthorized'])
      expect((await signIn(email, 'a new password')).status).to.equal(201)
    })

    it('leaves no earlier session and no other link, wherever the process dies that replaces it', async () => {
      const { ctx } = door
      let last: { readonly id: string; readonly passwordHash: string; readonly ask: Call; readonly other: string }
      let changed = 0
      const deaths = await dyingAtEachWrite(
        async () => (await door.another()).ctx,
        async (at) => {
          const made = await makePerson(door)
          const known = (await findPersonByEmail(ctx.store, made.email))!
          const { passwordHash } = known
          const link = resetLinkOf(known)
          const [token, other] = [await makeLink(ctx, link), await makeLink(ctx, link)].map(
            (url) => url.split('/').at(-1) ?? '',
          )
          last = { id: made.id, passwordHash, ask: (await signedIn(door, made)).ask, other: other! }
          await resetPassword(at, { token: token!, password: 'a new password', peerAddress: '192.0.2.1' })
        },
        async () => {
          const [person] = await findPeople(ctx.store, [last.id])
          if (person?.passwordHash === last.passwordHash) return
          changed += 1
          expectRefusal(await last.ask('GET', '/api/v1/session'), [401, 'unauthorized'])
          const late = { token: last.other, password: 'a third password' }
          expectRefusal(await visitor('POST', '/api/v1/people/reset', late), [404, 'not_found'])
        },
      )
      expect([deaths > 3, changed > 1]).to.deep.equal([true, true])
    })

    it('has its link valid until the new password is set, wherever the process dies', async () => {
      const { ctx } = door
      const made = await makePerson(door)
      const known = (await findPersonByEmail(ctx.store, made.email))!
      const token = (await makeLink(ctx, resetLinkOf(known))).split('/').at(-1) ?? ''
      const isChanged = async () =>
        (await findPersonByEmail(ctx.store, made.email))?.passwordHash !== known.passwordHash
      await dyingAtEachWrite(
        async () => (await door.another()).ctx,
        async (at) => {
          if (!(await isChanged()))
            await resetPassword(at, { token, password: 'a new password', peerAddress: '192.0.2.1' })
        },
        async () => undefined,
      )
      expect((await signIn(made.email, 'a new password')).status).to.equal(201)
      expectRefusal(await visitor('POST', '/api/v1/people/reset', { token, password: 'a third password' }), [
        404,
        'not_found',
      ])
    })

    it('has the same answer for an unknown address, and no mail is sent', async () => {
      const [known, unknown] = [await person(), address()]
      const answers = await Promise.all(
        [known, unknown].map((email) => visitor('POST', '/api/v1/people/reset', { email })),
      )
      expect(answers[0]?.body).to.deep.equal(answers[1]?.body)
      expect(answers.map(({ status }) => status)).to.deep.equal([202, 202])
      expect((await mailsTo(known))[0]?.subject).to.equal('Choose a new password')
      expect(await mailsTo(unknown)).to.deep.equal([])
    })

    it('has its other links voided once one is used', async () => {
      const email = await person()
      await visitor('POST', '/api/v1/people/reset', { email })
      const first = await tokenTo(email)
      await visitor('POST', '/api/v1/people/reset', { email })
      await visitor('POST', '/api/v1/people/reset', { token: await tokenTo(email), password: 'a new password' })
      const late = await visitor('POST', '/api/v1/people/reset', { token: first, password: 'a third password' })
      expectRefusal(late, [404, 'not_found'])
    })

    const incomplete: readonly (readonly [string, object])[] = [
      ['nothing', {}],
      ['a token alone', { token: 't' }],
      ['a password alone', { password }],
      ['everything', { email: 'a@b.example', token: 't', password }],
    ]
    for (const [what, body] of incomplete)
      it(`with ${what} nothing changes`, async () => {
        expectRefusal(await visitor('POST', '/api/v1/people/reset', body), [400, 'validation_error'])
      })

    it('keeps its link valid after an unacceptable new password', async () => {
      const email = await person()
      await visitor('POST', '/api/v1/people/reset', { email })
      const token = await tokenTo(email)
      expectRefusal(await visitor('POST', '/api/v1/people/reset', { token, password: 'short' }), [
        400,
        'validation_error',
      ])
      expect((await visitor('POST', '/api/v1/people/reset', { token, password: 'long enough' })).status).to.equal(200)
    })
  })

  describe('the own name and password', () => {
    it('the name changes at once', async () => {
      const email = await person()
      const { ask } = browser(door.http)
      await ask('POST', '/api/v1/session', { email, password })
      const { body } = await ask('PATCH', '/api/v1/people/me', { name: 'Beth' })
      expect(body.person).to.deep.include({ email, name: 'Beth' })
    })

    it('a change of both is applied whole or not at all', async () => {
      const email = await person()
      const { ask } = browser(door.http)
      const named = (await ask<{ person: { name: string } }>('POST', '/api/v1/session', { email, password })).body
        .person
      const both = { name: 'Carla', password: 'a new password' }
      for (const more of [{}, { currentPassword: 'wrong password' }])
        expect((await ask('PATCH', '/api/v1/people/me', { ...both, ...more })).status).to.be.oneOf([400, 401])
      expect((await ask('GET', '/api/v1/session')).body.person).to.deep.equal(named)
      const { body } = await ask('PATCH', '/api/v1/people/me', { ...both, currentPassword: password })
      expect(body.person).to.deep.equal({ ...named, name: 'Carla' })
    })

    it('a new password needs the current one, and ends the other sessions', async () => {
      const email = await person()
      const [here, there] = [browser(door.http), browser(door.http)]
      for (const { ask } of [here, there]) await ask('POST', '/api/v1/session', { email, password })
      const change = (more: object) => here.ask('PATCH', '/api/v1/people/me', { password: 'a new password', ...more })
      expectRefusal(await change({}), [400, 'validation_error'])
      const wrong = await change({ currentPassword: 'wrong password' })
      expectRefusal(wrong, [401, 'unauthorized'])
      expect(wrong.body.error).to.equal('The current password is wrong.')
      expect((await there.ask('GET', '/api/v1/session')).status).to.equal(200)
      const before = here.cookie
      expect((await change({ currentPassword: password })).status).to.equal(200)
      expect(here.cookie).not.to.equal(before)
      expect((await here.ask('GET', '/api/v1/session')).status).to.equal(200)
      expectRefusal(await there.ask('GET', '/api/v1/session'), [401, 'unauthorized'])
      expectRefusal(await browser(door.http, before).ask('GET', '/api/v1/session'), [401, 'unauthorized'])
      expect((await signIn(email, 'a new password')).status).to.equal(201)
    })
  })

  describe('limits', () => {
    it('after too many failed sign-ins from an address even the right password is refused there', async () => {
      const email = await person()
      const { logins } = door.ctx.settings.limits
      const before = { ...logins }
      // Failures of earlier tests count too, for ten minutes.
      door.advance(10 * minuteMs)
      Object.assign(logins, { failuresPerAddress: 5, slowMs: 0 })
      try {
        for (let n = 0; n < 4; n++) expectRefusal(await signIn(email, 'wrong password'), [401, 'unauthorized'])
        expect((await signIn(email)).status).to.equal(201)
        expectRefusal(await signIn(address(), 'wrong password'), [401, 'unauthorized'])
        expectRefusal(await signIn(email), [429, 'rate_limited'])
        door.advance(15 * minuteMs)
        expect((await signIn(email)).status).to.equal(201)
      } finally {
        Object.assign(logins, before)
      }
    })

    it('an address gets at most five messages an hour, whether it is known or not', async () => {
      door.advance(hourMs)
      const [known, unknown] = [await person(), address()]
      door.advance(hourMs)
      for (const email of [known, unknown]) {
        const ask = (n: number) => (n % 2 === 0 ? visitor('POST', '/api/v1/people/reset', { email }) : signUp(email))
        for (let n = 0; n < 5; n++) expect((await ask(n)).status, `${email} ${n}`).to.equal(202)
        const refused = await ask(5)
        expectRefusal(refused, [429, 'rate_limited'])
        expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 3_600)
        expectRefusal(await ask(6), [429, 'rate_limited'])
      }
      door.advance(hourMs)
      expect((await visitor('POST', '/api/v1/people/reset', { email: known })).status).to.equal(202)
    })

    it('the requests of one network are limited', async () => {
      door.advance(hourMs)
      const limit = door.ctx.settings.limits.people.mailsPerNetworkPerHour
      const asked = await Promise.all(
        Array.from({ length: limit + 3 }, () => visitor('POST', '/api/v1/people/reset', { email: address() })),
      )
      const statuses = asked.map(({ status }) => status)
      expect(statuses.filter((status) => status === 202)).to.have.length(limit)
      expect(statuses.filter((status) => status === 429)).to.have.length(3)
      door.advance(hourMs)
    })
  })
})
