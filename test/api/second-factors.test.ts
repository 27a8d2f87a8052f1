import { expect } from 'chai'
import { Secret, TOTP } from 'otpauth'
import { createAuthenticator } from '../peers/authenticator.ts'
import { browser, expectRefusal, type Person } from '../peers/person.ts'
import { client, mailboxPath } from '../peers/rest.ts'
import { type Door, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { carryOutgoing } from '../start/outgoing.ts'
import { makePerson, signedIn } from '../start/people.ts'

describe('api: second factors', () => {
  let door: Door
  let tenant: Tenant
  const totp = '/api/v1/people/me/totp'
  const passkeys = '/api/v1/people/me/passkeys'

  before(async () => {
    door = await openDoor({ isNamed: true })
    tenant = await makeTenant(door, { name: 'tenant' })
  })
  after(() => door?.close())

  const newcomer = async () => signedIn(door, await makePerson(door))
  const codeOf = (secret: string) =>
    TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: door.ctx.clock.now().getTime() })
  const nextCode = (secret: string) => {
    door.advance(30_000)
    return codeOf(secret)
  }
  const here = () => ({ origin: door.ctx.baseUrl, rpId: 'localhost' })

  /** Adds an authenticator app. Returns its secret and the recovery codes. */
  async function addApp({ ask }: Person) {
    const { secret } = (await ask<{ secret: string }>('POST', totp)).body
    const answer = await ask<{ recoveryCodes: string[] }>('POST', totp, { code: codeOf(secret) })
    expect(answer.status).to.equal(201)
    return { secret, recoveryCodes: answer.body.recoveryCodes }
  }

  it('an app is added, and removed with one of its codes', async () => {
    const person = await newcomer()
    expect((await person.ask('GET', totp)).body).to.deep.equal({ success: true, enabled: false, recoveryCodesLeft: 0 })
    const { secret, recoveryCodes } = await addApp(person)
    expect(recoveryCodes).to.have.length(10)
    expect((await person.ask('GET', totp)).body).to.include({ enabled: true, recoveryCodesLeft: 10 })
    expectRefusal(await person.ask('POST', totp), [409, 'conflict'])
    expectRefusal(await person.ask('DELETE', totp), [400, 'validation_error'])
    expectRefusal(await person.ask('DELETE', `${totp}?code=123`), [400, 'validation_error'])
    expect((await person.ask('DELETE', `${totp}?code=${nextCode(secret)}`)).body).to.include({ deleted: true })
    expect((await person.ask('GET', totp)).body).to.include({ enabled: false })
    const again = await person.ask('DELETE', `${totp}?code=${nextCode(secret)}`)
    expectRefusal(again, [409, 'conflict'])
    expect(again.body.error).to.equal('There is no authenticator app to remove.')
  })

  it('new recovery codes are made with a code', async () => {
    const person = await newcomer()
    const { secret, recoveryCodes } = await addApp(person)
    const { body } = await person.ask<{ recoveryCodes: string[] }>('POST', totp, { code: nextCode(secret) })
    expect(body.recoveryCodes).to.have.length(10).and.not.include(recoveryCodes[0])
    expectRefusal(await person.ask('DELETE', `${totp}?code=${recoveryCodes[0]}`), [400, 'validation_error'])
    expect((await person.ask('DELETE', `${totp}?code=${body.recoveryCodes[0]}`)).status).to.equal(200)
  })

  it('the refusal of a wrong code names the field', async () => {
    const person = await newcomer()
    await person.ask('POST', totp)
    const answer = await person.ask('POST', totp, { code: '000000' })
    expect(answer.body).to.include({ code: 'validation_error', param: 'code' })
  })

  it('a passkey is added, listed and removed', async () => {
    const person = await newcomer()
    const device = createAuthenticator()
    const asked = await person.ask<{ options: { challenge: string } }>('POST', passkeys)
    expect(asked.status).to.equal(200)
    const credential = device.create(asked.body.options, here())
    const added = await person.ask('POST', passkeys, { credential, name: 'Laptop' })
    expect(added.status).to.equal(201)
    expect(added.body).to.include({ id: device.id, name: 'Laptop', lastUsedAt: null })
    const { body } = await person.ask<{ passkeys: { id: string }[] }>('GET', passkeys)
    expect(body.passkeys.map(({ id }) => id)).to.deep.equal([device.id])
    expectRefusal(await person.ask('POST', passkeys, { credential }), [400, 'validation_error'])
    expectRefusal(await (await newcomer()).ask('DELETE', `${passkeys}/${device.id}`), [404, 'not_found'])
    expect((await person.ask('DELETE', `${passkeys}/${device.id}`)).status).to.equal(200)
    expectRefusal(await person.ask('DELETE', `${passkeys}/${device.id}`), [404, 'not_found'])
  })

  async function addPasskeyOf({ ask }: Person) {
    const device = createAuthenticator()
    const { body } = await ask<{ options: { challenge: string } }>('POST', passkeys)
    expect((await ask('POST', passkeys, { credential: device.create(body.options, here()) })).status).to.equal(201)
    return device
  }

  it('a passkey works only in the session that requested the challenge', async () => {
    const known = await makePerson(door)
    const [one, two] = [await signedIn(door, known), await signedIn(door, known)]
    const { body } = await one.ask<{ options: { challenge: string } }>('POST', passkeys)
    const credential = createAuthenticator().create(body.options, here())
    expect((await two.ask('POST', passkeys, { credential })).body).to.include({ param: 'credential' })
  })

  describe('signing in', () => {
    const session = '/api/v1/session'

    it('needs a code of the app besides the password, and accepts it once', async () => {
      const known = await makePerson(door)
      const { email, password } = known
      const { secret, recoveryCodes } = await addApp(await signedIn(door, known))
      const code = nextCode(secret)
      const visitor = client(door.http)
      const signIn = (more: object) => visitor('POST', session, { email, password, ...more })
      expect((await signIn({})).body).to.include({ code: 'validation_error', param: 'code' })
      expectRefusal(await signIn({ code: '12345' }), [401, 'unauthorized'])
      expectRefusal(await signIn({ code, password: 'another password' }), [401, 'unauthorized'])
      expect((await signIn({ code })).status).to.equal(201)
      expectRefusal(await signIn({ code }), [401, 'unauthorized'])
      expect((await signIn({ code: recoveryCodes[0] })).status).to.equal(201)
      expectRefusal(await signIn({ code: recoveryCodes[0] }), [401, 'unauthorized'])
    })

    it('does not ask for a code of an unconfirmed app', async () => {
      const known = await makePerson(door)
      await (await signedIn(door, known)).ask('POST', totp)
      const { email, password } = known
      expect((await client(door.http)('POST', session, { email, password })).status).to.equal(201)
    })

    it('accepts a passkey instead of password and code', async () => {
      const known = await makePerson(door)
      const device = await addPasskeyOf(await signedIn(door, known))
      const visitor = client(door.http)
      const begin = async () =>
        (await visitor<{ attempt: string; options: { challenge: string } }>('POST', `${session}/passkey`)).body
      const [one, two] = [await begin(), await begin()]
      const credential = device.get(one.options, here())
      const signIn = (passkey: object, more = {}) => visitor('POST', session, { passkey, ...more })
      expectRefusal(await signIn({ attempt: two.attempt, credential }), [401, 'unauthorized'])
      const answer = await signIn({ attempt: one.attempt, credential })
      expect([answer.status, answer.body.person]).to.deep.equal([
        201,
        { id: known.id, email: known.email, name: 'Ann' },
      ])
      expectRefusal(await signIn({ attempt: one.attempt, credential }), [401, 'unauthorized'])
      expectRefusal(await signIn({ attempt: two.attempt, credential }, { code: '1' }), [400, 'validation_error'])
      expectRefusal(await visitor('POST', session, {}), [400, 'validation_error'])
    })
  })

  it('sessions are listed, and can be ended one by one only by their person', async () => {
    const known = await makePerson(door)
    const [one, two] = [await signedIn(door, known), await signedIn(door, known)]
    const list = async ({ ask }: Person) =>
      (await ask<{ sessions: { id: string; current: boolean }[] }>('GET', '/api/v1/sessions')).body.sessions
    const sessions = await list(one)
    expect(sessions.map(({ current }) => current)).to.deep.equal([false, true])
    const path = `/api/v1/sessions/${sessions[0]?.id}`
    expectRefusal(await (await newcomer()).ask('DELETE', path), [404, 'not_found'])
    expect((await one.ask('DELETE', path)).body).to.include({ deleted: true })
    expectRefusal(await two.ask('GET', '/api/v1/session'), [401, 'unauthorized'])
    expect(await list(one)).to.have.length(1)
    door.advance((door.ctx.settings.sessions.idleHours + 1) * 3_600_000)
    expect(await list(await signedIn(door, known))).to.have.length(1)
  })

  it('sessions show the browser they started with and the one used last', async () => {
    const { email, password } = await makePerson(door)
    const long = `Firefox/${'9'.repeat(300)}`
    const begun = await client(door.http)('POST', '/api/v1/session', { email, password }, { 'user-agent': 'Laptop/1' })
    const { ask } = browser(door.http, begun.headers.get('set-cookie')?.split(';')[0])
    type Device = { address: string; userAgent: string }
    const list = async (userAgent: string) => {
      const answer = await ask<{ sessions: { createdFrom: Device; usedFrom: Device; usedAt: string }[] }>(
        'GET',
        '/api/v1/sessions',
        undefined,
        { 'user-agent': userAgent },
      )
      return answer.body.sessions[0]
    }
    const address = '127.0.0.1'
    const laptop = { address, userAgent: 'Laptop/1' }
    const first = await list('Phone/1')
    expect([first?.createdFrom, first?.usedFrom]).to.deep.equal([laptop, laptop])
    // The last use is recorded only every few minutes, with its time.
    for (const [userAgent, noted] of [
      ['Phone/1', 'Phone/1'],
      [long, long.slice(0, 200)],
      ['', ''],
      ['<b>Phone</b>', '<b>Phone</b>'],
    ] as const) {
      door.advance(6 * 60_000)
      const at = door.ctx.clock.now().toISOString()
      const shown = await list(userAgent)
      expect([shown?.createdFrom, shown?.usedFrom], userAgent).to.deep.equal([laptop, { address, userAgent: noted }])
      expect(shown?.usedAt)
        .to.be.a('string')
        .and.satisfy((usedAt: string) => usedAt >= at)
      expect((await list('Other/1'))?.usedFrom.userAgent).to.equal(noted)
    }
  })

  it('a person is notified by mail of each change to how they sign in, and of nothing else', async () => {
    const call = client(door.http, tenant.key)
    await call('POST', '/api/v1/aliases', { alias: '*@tenant.example', targets: [tenant.address] })
    const known = await makePerson(door, { email: 'told@tenant.example' })
    const person = await signedIn(door, known)
    const told: string[] = []
    const tell = async (subject?: string) => {
      if (subject !== undefined) told.unshift(subject)
      await carryOutgoing(door.ctx)
      const path = `${mailboxPath(tenant.address)}/messages?to=${known.email}`
      const { body } = await call<{ messages: { subject: string }[] }>('GET', path)
      expect(body.messages.map((each) => each.subject)).to.deep.equal(told)
    }
    const { secret } = (await person.ask<{ secret: string }>('POST', totp)).body
    await tell()
    await person.ask('POST', totp, { code: '000000' })
    await tell()
    await person.ask('POST', totp, { code: codeOf(secret) })
    await tell('An authenticator app was added')
    await person.ask('POST', totp)
    await person.ask('POST', totp, { code: '000000' })
    await tell()
    await person.ask('POST', totp, { code: nextCode(secret) })
    await tell('Your recovery codes were replaced')
    await person.ask('DELETE', `${totp}?code=000000`)
    await tell()
    await person.ask('DELETE', `${totp}?code=${nextCode(secret)}`)
    await tell('Your authenticator app was removed')
    // An app that was never confirmed changed nothing.
    const { secret: unused } = (await person.ask<{ secret: string }>('POST', totp)).body
    await person.ask('DELETE', `${totp}?code=${nextCode(unused)}`)
    await tell()
    await person.ask('POST', passkeys)
    await person.ask('POST', passkeys, { credential: {} })
    await tell()
    const device = await addPasskeyOf(person)
    await tell('A passkey was added')
    await person.ask('DELETE', `${passkeys}/x`)
    await (await newcomer()).ask('DELETE', `${passkeys}/${device.id}`)
    await tell()
    await person.ask('DELETE', `${passkeys}/${device.id}`)
    await tell('A passkey was removed')
    await person.ask('PATCH', '/api/v1/people/me', { password: 'another one', currentPassword: 'wrong' })
    await person.ask('PATCH', '/api/v1/people/me', { name: 'Beth' })
    await tell()
    await person.ask('PATCH', '/api/v1/people/me', { password: 'another one', currentPassword: known.password })
    await tell('Your password was changed')
  })

  const routes = [
    ['GET', totp],
    ['POST', totp],
    ['DELETE', `${totp}?code=123456`],
    ['GET', passkeys],
    ['POST', passkeys],
    ['DELETE', `${passkeys}/x`],
    ['GET', '/api/v1/sessions'],
    ['DELETE', '/api/v1/sessions/ses_x'],
  ] as const
  for (const [method, path] of routes)
    it(`${method} ${path} is for people alone`, async () => {
      expectRefusal(await client(door.http)(method, path), [401, 'unauthorized'])
      expectRefusal(await client(door.http, tenant.key)(method, path), [403, 'forbidden'])
    })
})
