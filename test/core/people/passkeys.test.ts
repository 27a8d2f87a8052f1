import { expect } from 'chai'
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  hasPasskeys,
  listPasskeys,
  personOfPasskey,
  removePasskey,
} from '../../../core/people/passkeys.ts'
import { minuteMs } from '../../../core/process/clock.ts'
import type { Context } from '../../../core/process/context.ts'
import type { Failure } from '../../../schemas/failures.ts'
import { type Ceremony, createAuthenticator } from '../../peers/authenticator.ts'
import { type Door, openDoor } from '../../start/door.ts'

describe('passkeys', () => {
  let door: Door
  let ctx: Context
  let people = 0
  const here: Ceremony = { origin: 'https://mail.example.com', rpId: 'mail.example.com' }

  before(async () => {
    door = await openDoor()
    ctx = { ...door.ctx, baseUrl: here.origin }
  })
  after(() => door?.close())

  const person = (personId = `usr_${++people}`) => ({ personId, email: 'anna@example.com', name: 'Anna' })
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'done',
      (error: Failure) => error.code,
    )

  /** A person with a passkey to sign in with. */
  async function withPasskey() {
    const own = person()
    const device = createAuthenticator()
    const options = await beginPasskey(ctx, { ...own, binding: 'session' })
    await addPasskey(ctx, { ...own, binding: 'session', name: 'Laptop', credential: device.create(options, here) })
    return { personId: own.personId, device }
  }

  it('work for domains with https, and for the local machine', () => {
    const cases = [
      ['https://mail.example.com', true],
      ['https://mail.example.com:8443', true],
      ['http://localhost:8080', true],
      ['http://mail.localhost', true],
      ['http://mail.example.com', false],
      ['http://127.0.0.1:8080', false],
      ['https://192.0.2.1', false],
      ['https://[2001:db8::1]', false],
      ['http://localhost.example.com', false],
    ] as const
    for (const [baseUrl, works] of cases) expect(hasPasskeys({ baseUrl }), baseUrl).to.equal(works)
  })

  it('are offered with the person and the domain', async () => {
    const options = await beginPasskey(ctx, { ...person('usr_offered'), binding: 'session' })
    expect(options.rp).to.deep.equal({ name: 'Mailroom', id: 'mail.example.com' })
    expect(Buffer.from(options.user.id, 'base64url').toString()).to.equal('usr_offered')
    expect(options.user.name).to.equal('anna@example.com')
    expect(options.authenticatorSelection).to.include({ residentKey: 'required', userVerification: 'required' })
  })

  type Answer = { readonly told?: Partial<Ceremony>; readonly binding?: string; readonly laterMs?: number }
  const answers: readonly (readonly [string, boolean, Answer])[] = [
    ['what was asked', true, {}],
    ['nine minutes later', true, { laterMs: 9 * minuteMs }],
    ['with the largest count', true, { told: { counter: 0xffffffff } }],
    ['eleven minutes later', false, { laterMs: 11 * minuteMs }],
    ['in another session or attempt', false, { binding: 'another' }],
    ['at another origin', false, { told: { origin: 'https://evil.example' } }],
    ['at a subdomain', false, { told: { origin: 'https://a.mail.example.com' } }],
    ['at another port', false, { told: { origin: 'https://mail.example.com:8443' } }],
    ['at the origin without https', false, { told: { origin: 'http://mail.example.com' } }],
    ['for another domain', false, { told: { rpId: 'example.com' } }],
    ['without knowing the person', false, { told: { isVerified: false } }],
    ['of the other ceremony', false, { told: { type: 'payment.get' } }],
  ]
  for (const [name, isTaken, { told, binding = 'own', laterMs = 0 }] of answers) {
    it(`${isTaken ? 'are' : 'are not'} added by an answer ${name}`, async () => {
      const own = person()
      const options = await beginPasskey(ctx, { ...own, binding: 'own' })
      const credential = createAuthenticator().create(options, { ...here, ...told })
      door.advance(laterMs)
      const added = codeOf(addPasskey(ctx, { ...own, binding, name: 'Phone', credential }))
      expect(await added).to.equal(isTaken ? 'done' : 'validation_error')
      expect(await listPasskeys(ctx, own.personId)).to.have.length(isTaken ? 1 : 0)
    })

    it(`${isTaken ? 'sign' : 'do not sign'} in by an answer ${name}`, async () => {
      const { personId, device } = await withPasskey()
      const options = await beginPasskeySignIn(ctx, { binding: 'own' })
      const credential = device.get(options, { ...here, ...told })
      door.advance(laterMs)
      expect(await personOfPasskey(ctx, { binding, credential })).to.equal(isTaken ? personId : null)
    })
  }

  it('accept an answer once, even if it is sent several times at once', async () => {
    const { personId, device } = await withPasskey()
    const options = await beginPasskeySignIn(ctx, { binding: 'own' })
    const credential = device.get(options, here)
    const found = await Promise.all([1, 2, 3].map(() => personOfPasskey(ctx, { binding: 'own', credential })))
    expect(found.filter((each) => each !== null)).to.deep.equal([personId])
    const again = device.get(options, here)
    expect(await personOfPasskey(ctx, { binding: 'own', credential: again }), 'another answer').to.equal(null)
  })

  it('accept the answer for a new passkey once', async () => {
    const own = person()
    const options = await beginPasskey(ctx, { ...own, binding: 'own' })
    const add = () =>
      codeOf(
        addPasskey(ctx, {
          ...own,
          binding: 'own',
          name: 'Phone',
          credential: createAuthenticator().create(options, here),
        }),
      )
    expect([await add(), await add()]).to.deep.equal(['done', 'validation_error'])
  })

  it('do not accept the answer of one ceremony in the other', async () => {
    const own = person()
    const forSignIn = await beginPasskeySignIn(ctx, { binding: 'own' })
    const credential = createAuthenticator().create(forSignIn, here)
    const added = addPasskey(ctx, { ...own, binding: 'own', name: 'Phone', credential })
    expect(await codeOf(added)).to.equal('validation_error')
  })

  it('are refused when their counter decreases, as that of a copy does', async () => {
    const { personId, device } = await withPasskey()
    const signIn = async (counter: number) => {
      const options = await beginPasskeySignIn(ctx, { binding: 'own' })
      return personOfPasskey(ctx, { binding: 'own', credential: device.get(options, { ...here, counter }) })
    }
    expect([await signIn(7), await signIn(7), await signIn(3), await signIn(8)]).to.deep.equal([
      personId,
      null,
      null,
      personId,
    ])
  })

  it('may have no counter at all', async () => {
    const own = person()
    const device = createAuthenticator()
    const uncounted = { ...here, counter: 0 }
    const options = await beginPasskey(ctx, { ...own, binding: 's' })
    await addPasskey(ctx, { ...own, binding: 's', name: 'Phone', credential: device.create(options, uncounted) })
    for (let n = 0; n < 2; n++) {
      const asked = await beginPasskeySignIn(ctx, { binding: 'own' })
      const credential = device.get(asked, uncounted)
      expect(await personOfPasskey(ctx, { binding: 'own', credential })).to.equal(own.personId)
    }
  })

  it('are not accepted from a stranger, and neither are invalid answers', async () => {
    const { device } = await withPasskey()
    const options = await beginPasskeySignIn(ctx, { binding: 'own' })
    const stranger = createAuthenticator().get(options, here)
    const forged = { ...stranger, id: device.id, rawId: device.id }
    const junk = [stranger, forged, null, undefined, 'x', 7, [], {}, { id: 7 }, { id: device.id }, { id: { $gt: '' } }]
    for (const credential of junk) expect(await personOfPasskey(ctx, { binding: 'own', credential })).to.equal(null)
    for (const credential of junk)
      expect(
        await codeOf(addPasskey(ctx, { ...person(), binding: 'own', name: 'x', credential })),
        JSON.stringify(credential),
      ).to.equal('validation_error')
  })

  it('are listed with their names and last use, and can be removed only by their person', async () => {
    const { personId, device } = await withPasskey()
    const asked = await beginPasskeySignIn(ctx, { binding: 'own' })
    await personOfPasskey(ctx, { binding: 'own', credential: device.get(asked, here) })
    const [passkey] = await listPasskeys(ctx, personId)
    expect(passkey).to.deep.equal({
      id: device.id,
      name: 'Laptop',
      createdAt: passkey?.createdAt,
      lastUsedAt: passkey?.lastUsedAt,
    })
    expect(passkey?.lastUsedAt).to.be.a('date')
    expect(await codeOf(removePasskey(ctx, { personId: 'usr_other', id: device.id }))).to.equal('not_found')
    await removePasskey(ctx, { personId, id: device.id })
    expect(await listPasskeys(ctx, personId)).to.deep.equal([])
    const options = await beginPasskeySignIn(ctx, { binding: 'own' })
    expect(await personOfPasskey(ctx, { binding: 'own', credential: device.get(options, here) })).to.equal(null)
  })

  it('are limited to twenty per person', async () => {
    const own = person()
    const add = async () => {
      const options = await beginPasskey(ctx, { ...own, binding: 's' })
      const credential = createAuthenticator().create(options, here)
      await addPasskey(ctx, { ...own, binding: 's', name: 'Phone', credential })
      return options.excludeCredentials?.length
    }
    const early = await beginPasskey(ctx, { ...own, binding: 's' })
    for (let n = 0; n < 20; n++) expect(await add()).to.equal(n)
    expect(await codeOf(add())).to.equal('conflict')
    const device = createAuthenticator()
    const added = addPasskey(ctx, { ...own, binding: 's', name: 'Late', credential: device.create(early, here) })
    expect(await codeOf(added)).to.equal('conflict')
    const options = await beginPasskeySignIn(ctx, { binding: 'own' })
    expect(await personOfPasskey(ctx, { binding: 'own', credential: device.get(options, here) })).to.equal(null)
  })
})
