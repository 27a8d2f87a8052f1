import { expect } from 'chai'
import { createDomain } from '../../../core/domains/claims.ts'
import { minuteMs } from '../../../core/process/clock.ts'
import type { Context } from '../../../core/process/context.ts'
import { servedRevision, servedZone, zoneChanged, zonesForgotten } from '../../../core/zones/served-zones.ts'
import { publishTxt, withdrawTxt } from '../../../core/zones/system-records.ts'
import { newId } from '../../../schemas/ids.ts'
import { eventually } from '../../eventually.ts'
import { type Door, makeTenant, openDoor, type Tenant } from '../../start/door.ts'

describe('served zones', () => {
  let door: Door
  let ctx: Context
  let other: Awaited<ReturnType<Door['another']>>
  let [one, two]: Tenant[] = []

  before(async () => {
    door = await openDoor()
    ctx = door.ctx
    other = await door.another()
    one = await makeTenant(door, { name: 'one' })
    two = await makeTenant(door, { name: 'two' })
  })
  after(async () => {
    await other?.close()
    await door?.close()
  })

  /** Puts an address record into an account's zone of a domain. */
  async function put(tenant: Tenant, domain: string, value: string, name = '@'): Promise<void> {
    const { accountId } = tenant
    const at = ctx.clock.now()
    const shared = { domain, accountId, priority: null, purpose: null, createdAt: at }
    const record = { ...shared, _id: newId('rec', at), name, type: 'A', value, ttlSeconds: 60 } as const
    await ctx.store.zoneRecords.insertOne(record)
    await zoneChanged(ctx, { domain, accountId })
  }
  async function claim({ accountId }: Tenant, domain: string): Promise<void> {
    const createdAt = ctx.clock.now()
    const _id = newId('clm', createdAt)
    await ctx.store.domainClaims.insertOne({
      _id,
      accountId,
      domain,
      dkim: [],
      token: 'token',
      defaultDisplayName: null,
      createdAt,
      watch: { looks: [], lookedAt: null, dueAt: createdAt, pauseMs: 0, rev: 0 },
    })
    zonesForgotten(ctx, [domain])
  }
  /** What the process serves for a name: the origin, and the addresses in it. */
  async function seen(name: string, by = ctx): Promise<string | null> {
    const zone = await servedZone(by, name)
    const texts = zone?.records.flatMap(({ name: at, type, data }) => (type === 'A' ? `${at}=${String(data)}` : []))
    return zone === null ? null : [zone.origin, ...(texts ?? [])].join(' ')
  }

  it('are chosen by the closest enclosing name, without waiting if cached', async () => {
    await put(one!, 'one.example', '192.0.2.1', 'www')
    for (const name of ['one.example', 'www.one.example', 'a.b.one.example'])
      expect(await seen(name), name).to.equal('one.example www.one.example=192.0.2.1')
    for (const name of ['example', 'one.example.org', 'xone.example', 'nobody.example'])
      expect(await seen(name), name).to.equal(null)
    expect(servedZone(ctx, 'x.one.example')).to.equal(await servedZone(ctx, 'one.example'))
    expect(servedZone(ctx, 'x.nobody.example')).to.equal(null)
  })

  it('are reloaded by every process after a change, with a higher serial', async () => {
    const before = await servedZone(other.ctx, 'one.example')
    await put(one!, 'one.example', '192.0.2.2')
    expect(await seen('one.example')).to.include('one.example=192.0.2.2')
    const after = await servedZone(ctx, 'one.example')
    expect(after!.serial).to.be.above(before!.serial)
    await eventually(
      'the other process serves it',
      async () => (await seen('one.example', other.ctx)) === (await seen('one.example')),
    )
    await zoneChanged(ctx, { domain: 'one.example', accountId: one!.accountId })
    expect((await servedZone(ctx, 'one.example'))!.serial).to.equal(after!.serial + 1)
  })

  it('are reloaded within seconds if the change note is lost', async () => {
    const deaf: Context = { ...ctx, changes: { ...ctx.changes, publish: () => undefined }, store: { ...ctx.store } }
    await seen('one.example', deaf)
    await put(one!, 'one.example', '192.0.2.3', 'late')
    const isThere = async () => (await seen('late.one.example', deaf))?.includes('192.0.2.3') ?? false
    door.advance(6_000)
    expect(await isThere()).to.equal(true)
  })

  it('are refreshed before they expire, so that frequent queries never wait', async () => {
    let now = ctx.machineClock.now()
    const deaf: Context = {
      ...ctx,
      changes: { ...ctx.changes, listen: () => () => undefined },
      store: { ...ctx.store },
      machineClock: { now: () => now },
    }
    const later = (ms: number) => {
      now = new Date(now.getTime() + ms)
    }
    const isThere = (value: string) =>
      eventually(value, async () => (await seen('one.example', deaf))?.includes(value) ?? false)
    await seen('one.example', deaf)
    await put(one!, 'one.example', '192.0.2.4', 'ahead')
    later(3_500)
    await isThere('ahead.one.example=192.0.2.4')
    // The state that a crash leaves before the serial is raised.
    await ctx.store.zoneRecords.updateOne({ name: 'ahead' }, { $set: { value: '192.0.2.5' } })
    for (let n = 0; n < 6; n += 1) {
      later(4_000)
      expect(servedZone(deaf, 'one.example')).to.not.be.instanceOf(Promise)
      await eventually('a look ahead', () => servedRevision(deaf, now.getTime() + 4_000) !== null)
    }
    await isThere('ahead.one.example=192.0.2.5')
  })

  const cases: readonly [string, () => Promise<void>, string, boolean][] = [
    ['of a single claim', () => claim(one!, 'alone.example'), 'alone.example', true],
    ['of two claims', () => claim(two!, 'alone.example'), 'alone.example', false],
    ["of a claim below another account's domain", () => claim(two!, 'sub.one.example'), 'sub.one.example', false],
    ['of a claim below an own domain', () => claim(two!, 'sub.two.example'), 'sub.two.example', true],
    [
      "of a claim below another account's claim",
      async () => {
        await claim(one!, 'wish.example')
        await claim(two!, 'sub.wish.example')
      },
      'sub.wish.example',
      false,
    ],
  ]
  for (const [name, make, domain, isServed] of cases)
    it(`${isServed ? 'include' : 'do not include'} the zone ${name}`, async () => {
      await make()
      for (const tenant of [one!, two!]) await put(tenant, domain, '192.0.2.9')
      const zone = await servedZone(ctx, domain)
      expect(zone?.origin === domain).to.equal(isServed)
    })

  it('of a verified domain are those of its owner, whoever else claims it', async () => {
    await claim(two!, 'one.example')
    await put(two!, 'one.example', '203.0.113.1')
    expect(await seen('one.example')).to.not.include('203.0.113.1')
  })

  it('end with the domain', async () => {
    await createDomain(ctx, { domain: 'brief.example', accountId: one!.accountId, verified: true })
    await put(one!, 'brief.example', '192.0.2.4')
    expect(await seen('brief.example')).to.include('192.0.2.4')
    await ctx.store.domains.deleteOne({ _id: 'brief.example' })
    zonesForgotten(ctx, ['brief.example'])
    expect(await seen('brief.example')).to.equal(null)
  })

  it('include the proof of a name for as long as it is published', async () => {
    const name = '_acme-challenge.mx.one.example'
    expect(await publishTxt(ctx, name, ['first', 'second'])).to.equal(true)
    const texts = async () =>
      (await servedZone(other.ctx, name))?.records.flatMap((record) =>
        record.name === name && record.type === 'TXT' ? record.data.join('') : [],
      )
    await eventually('it is published', async () => (await texts())?.join() === 'first,second')
    await withdrawTxt(ctx, name, 'first')
    await eventually('it is withdrawn, and the other stays', async () => (await texts())?.join() === 'second')
    await withdrawTxt(ctx, name, 'second')
    await eventually('both are withdrawn', async () => (await texts())?.length === 0)
    expect(await publishTxt(ctx, '_acme-challenge.nobody.example', ['x'])).to.equal(false)
    await withdrawTxt(ctx, '_acme-challenge.nobody.example', 'x')
  })

  it('drop a proof that was never withdrawn', async () => {
    await zoneChanged(ctx, { domain: 'two.example', accountId: two!.accountId })
    await publishTxt(ctx, '_acme-challenge.two.example', ['left'])
    const proofs = async () =>
      (await servedZone(ctx, 'two.example'))?.records.filter(({ name }) => name.startsWith('_acme'))
    expect(await proofs()).to.have.length(1)
    door.advance(61 * minuteMs)
    expect(await proofs()).to.have.length(0)
  })
})
