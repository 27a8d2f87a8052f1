import { expect } from 'chai'
import { Secret, TOTP } from 'otpauth'
import {
  type AppSecret,
  beginTotp,
  confirmTotp,
  removeTotp,
  secondFactorOf,
  takeCode,
  unconfirmedTotp,
} from '../../../core/people/totp.ts'
import { minuteMs, secondMs } from '../../../core/process/clock.ts'
import type { Context } from '../../../core/process/context.ts'
import type { Failure } from '../../../schemas/failures.ts'
import { type Door, openDoor } from '../../start/door.ts'

describe('codes of an authenticator app', () => {
  let door: Door
  let ctx: Context
  let people = 0

  before(async () => {
    door = await openDoor()
    ctx = door.ctx
  })
  after(() => door?.close())
  // Each test starts at the first second of a step, with codes that have never been accepted.
  beforeEach(() => door.advance(5 * minuteMs + 30_000 - (ctx.clock.now().getTime() % 30_000)))

  const newPerson = () => `usr_${++people}`
  const codeAt = ({ secret }: AppSecret, stepsAway = 0) =>
    TOTP.generate({
      secret: Secret.fromBase32(secret),
      timestamp: ctx.clock.now().getTime() + stepsAway * 30 * secondMs,
    })
  const nextStep = () => door.advance(30 * secondMs)
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'done',
      (error: Failure) => error.code,
    )

  /** A person with a confirmed app, one step after its first code. */
  async function withApp() {
    const personId = newPerson()
    const app = await beginTotp(ctx, { personId, label: 'anna@example.com' })
    const recovery = await confirmTotp(ctx, { personId, code: codeAt(app) })
    nextStep()
    return { personId, app, recovery, take: (code: string) => takeCode(ctx, { personId, code }) }
  }

  it('are those of RFC 6238, appendix B', () => {
    const secret = Secret.fromLatin1('12345678901234567890')
    const codes = [
      [59, '94287082'],
      [1111111109, '07081804'],
      [1111111111, '14050471'],
      [1234567890, '89005924'],
      [2000000000, '69279037'],
      [20000000000, '65353130'],
    ] as const
    for (const [seconds, code] of codes)
      expect(TOTP.generate({ secret, digits: 8, timestamp: seconds * 1_000 })).to.equal(code)
  })

  it('are made from a secret that is given to the app as text and as a URI', async () => {
    const { secret, uri } = await beginTotp(ctx, { personId: newPerson(), label: 'anna@example.com' })
    expect(secret).to.match(/^[A-Z2-7]{32}$/)
    expect(uri).to.equal(
      `otpauth://totp/Mailroom:anna%40example.com?issuer=Mailroom&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    )
  })

  it('have their secret stored encrypted', async () => {
    const personId = newPerson()
    const { secret } = await beginTotp(ctx, { personId, label: 'anna@example.com' })
    const stored = await ctx.store.authenticators.findOne({ _id: personId })
    expect(Buffer.from(stored!.secret.buffer).toString('latin1')).not.to.contain(secret)
  })

  type App = Awaited<ReturnType<typeof withApp>>
  const cases: readonly (readonly [string, boolean, (own: App) => string])[] = [
    ['the code of this step', true, ({ app }) => codeAt(app)],
    ['the code of the step after', true, ({ app }) => codeAt(app, 1)],
    ['it with a space in the middle', true, ({ app }) => codeAt(app).replace(/^.../, '$& ')],
    ['it with spaces around', true, ({ app }) => ` ${codeAt(app)}\n`],
    ['it with a hyphen', true, ({ app }) => codeAt(app).replace(/^.../, '$&-')],
    ['a recovery code', true, ({ recovery }) => recovery[0]!],
    ['the last recovery code', true, ({ recovery }) => recovery[9]!],
    ['it in capitals', true, ({ recovery }) => recovery[1]!.toUpperCase()],
    ['it without its hyphen', true, ({ recovery }) => recovery[2]!.replace('-', '')],
    ['it with letters for digits', true, ({ recovery }) => recovery[3]!.replaceAll('0', 'O').replaceAll('1', 'l')],
    ['the code that confirmed the app', false, ({ app }) => codeAt(app, -1)],
    ['the code of two steps ago', false, ({ app }) => codeAt(app, -2)],
    ['the code of two steps ahead', false, ({ app }) => codeAt(app, 2)],
    ['the code of an hour ahead', false, ({ app }) => codeAt(app, 120)],
    ['nothing', false, () => ''],
    ['spaces', false, () => '      '],
    ['five digits of it', false, ({ app }) => codeAt(app).slice(1)],
    ['seven digits', false, ({ app }) => `${codeAt(app)}0`],
    [
      'it with another last digit',
      false,
      ({ app }) => codeAt(app).replace(/.$/, (last) => `${(Number(last) + 1) % 10}`),
    ],
    [
      'it in Arabic digits',
      false,
      ({ app }) => codeAt(app).replaceAll(/\d/g, (d) => String.fromCharCode(0x660 + Number(d))),
    ],
    ['the secret', false, ({ app }) => app.secret],
    ['half a recovery code', false, ({ recovery }) => recovery[4]!.slice(0, 5)],
    ['two halves of two recovery codes', false, ({ recovery }) => recovery[5]!.slice(0, 6) + recovery[6]!.slice(6)],
    ['a very long text', false, () => '1'.repeat(100_000)],
  ]
  for (const [name, isTaken, code] of cases)
    it(`are ${isTaken ? 'accepted' : 'refused'}: ${name}`, async () => {
      const own = await withApp()
      expect(await own.take(code(own))).to.equal(isTaken)
    })

  it('are accepted once', async () => {
    const { app, take } = await withApp()
    expect([await take(codeAt(app)), await take(codeAt(app))]).to.deep.equal([true, false])
  })

  it('are refused if older than an accepted one', async () => {
    const { app, take } = await withApp()
    expect([await take(codeAt(app, 1)), await take(codeAt(app))]).to.deep.equal([true, false])
  })

  it('are accepted for one of several simultaneous requests', async () => {
    const { app, recovery, take } = await withApp()
    for (const code of [codeAt(app), recovery[0]!]) {
      const taken = await Promise.all(Array.from({ length: 5 }, () => take(code)))
      expect(taken.filter(Boolean)).to.have.length(1)
    }
  })

  it('can be replaced by ten recovery codes, each accepted once', async () => {
    const { personId, recovery, take } = await withApp()
    expect(new Set(recovery).size).to.equal(10)
    for (const code of recovery) expect([await take(code), await take(code)]).to.deep.equal([true, false])
    expect((await secondFactorOf(ctx, personId))?.recoveryCodesLeft).to.equal(0)
  })

  it('are refused if they belong to another person', async () => {
    const [anna, ben] = [await withApp(), await withApp()]
    expect([await ben.take(codeAt(anna.app)), await ben.take(anna.recovery[0]!)]).to.deep.equal([false, false])
  })

  it('are refused for fifteen minutes after ten wrong ones, even the right one', async () => {
    const { app, take } = await withApp()
    const wrong = await Promise.all(Array.from({ length: 12 }, () => codeOf(take('wrong'))))
    expect(wrong.filter((each) => each === 'rate_limited')).to.have.length(2)
    expect(await codeOf(take(codeAt(app)))).to.equal('rate_limited')
    door.advance(15 * minuteMs)
    expect(await take(codeAt(app))).to.equal(true)
  })

  it('reset the count of wrong codes when a right one is given', async () => {
    const { app, take } = await withApp()
    for (let n = 0; n < 9; n++) await take('wrong')
    expect(await take(codeAt(app))).to.equal(true)
    expect(await codeOf(take('wrong'))).to.equal('done')
  })

  it('are not required until the app is confirmed', async () => {
    const personId = newPerson()
    const app = await beginTotp(ctx, { personId, label: 'anna@example.com' })
    expect(await secondFactorOf(ctx, personId)).to.equal(null)
    expect(await unconfirmedTotp(ctx, { personId, label: 'anna@example.com' })).to.deep.equal(app)
    expect(await codeOf(confirmTotp(ctx, { personId, code: '000000' }))).to.equal('validation_error')
    expect(await secondFactorOf(ctx, personId)).to.equal(null)
    await confirmTotp(ctx, { personId, code: codeAt(app) })
    expect(await secondFactorOf(ctx, personId)).to.include({ recoveryCodesLeft: 10 })
    expect(await unconfirmedTotp(ctx, { personId, label: 'anna@example.com' })).to.equal(null)
  })

  it('can get another secret as long as none is confirmed', async () => {
    const personId = newPerson()
    const first = await beginTotp(ctx, { personId, label: 'a@example.com' })
    const second = await beginTotp(ctx, { personId, label: 'a@example.com' })
    expect(await codeOf(confirmTotp(ctx, { personId, code: codeAt(first) }))).to.equal('validation_error')
    expect(await codeOf(confirmTotp(ctx, { personId, code: codeAt(second) }))).to.equal('done')
    expect(await codeOf(beginTotp(ctx, { personId, label: 'a@example.com' }))).to.equal('conflict')
  })

  it('can get new recovery codes, which void the older ones', async () => {
    const { personId, app, recovery, take } = await withApp()
    const fresh = await confirmTotp(ctx, { personId, code: codeAt(app) })
    expect([await take(recovery[0]!), await take(fresh[0]!)]).to.deep.equal([false, true])
  })

  it('are needed to remove the app, or a recovery code is', async () => {
    for (const code of [({ app }: App) => codeAt(app), ({ recovery }: App) => recovery[0]!]) {
      const own = await withApp()
      expect(await codeOf(removeTotp(ctx, { personId: own.personId, code: '000000' }))).to.equal('validation_error')
      await removeTotp(ctx, { personId: own.personId, code: code(own) })
      expect(await secondFactorOf(ctx, own.personId)).to.equal(null)
      expect(await codeOf(confirmTotp(ctx, { personId: own.personId, code: code(own) }))).to.equal('conflict')
    }
  })
})
