import { createHash } from 'node:crypto'
import path from 'node:path'
import { expect } from 'chai'
import { answersPolicy, createResolver } from '../../../core/dns/resolver.ts'
import {
  confirmDelegation,
  replaceOldZoneKeys,
  rotateZoneKey,
  rotateZoneKeys,
} from '../../../core/domains/zone-key-rotation.ts'
import { dayMs, hourMs, minuteMs } from '../../../core/process/clock.ts'
import type { Context } from '../../../core/process/context.ts'
import { createKept } from '../../../core/process/kept.ts'
import { wireName } from '../../../core/zones/names.ts'
import { keysOf, zoneKeyDoc, zoneKeyText } from '../../../core/zones/zone-keys.ts'
import { types } from '../../../dns/codes.ts'
import type { Failure } from '../../../schemas/failures.ts'
import { resealCollection } from '../../../store/reseal.ts'
import { eventually } from '../../eventually.ts'
import { openUdp, question } from '../../peers/dns-client.ts'
import { type NameServer, startNameServer } from '../../peers/name-server.ts'
import { isSignedBy, tagOf, type WireRecord, wireRecords } from '../../peers/signed-records.ts'
import { type DnsDoor, openDnsDoor } from '../../start/dns.ts'
import { dyingAtEachWrite } from '../../start/dying.ts'
import { contextOf } from '../../start/service.ts'

const { A, DNSKEY, CDS, RRSIG } = types
const weekSeconds = 604_800
/** How long others may hold an old answer beyond its TTL: a node serves its cached zone for a day while the database is unavailable. */
const staleMs = 25 * hourMs
const dsTtlMs = 2 * dayMs
const stepMs = 6 * hourMs

describe('changing the key of a zone', () => {
  let dns: DnsDoor
  let parent: NameServer
  let nodes: readonly Node[]

  type Node = { readonly ctx: Context; readonly udp: Awaited<ReturnType<typeof openUdp>> }

  const nodeOf = async ({ ctx, server }: Pick<DnsDoor, 'ctx' | 'server'>): Promise<Node> => ({
    ctx: askingParent(ctx),
    udp: await openUdp(server.port),
  })
  const askingParent = (ctx: Context): Context => {
    const resolver = createResolver([parent.address], createKept(ctx.machineClock, answersPolicy))
    return Object.assign(ctx, { resolver })
  }

  before(async () => {
    parent = await startNameServer({})
    const settings = { dnssec: true, rateLimit: { answersPerSecond: 0, networkPerSecond: 0, slip: 2, exempt: [] } }
    dns = await openDnsDoor(settings)
    nodes = [await nodeOf(dns), await nodeOf(await dns.another(settings))]
  })
  after(async () => {
    for (const { udp } of nodes ?? []) udp.close()
    await dns?.close()
    await parent?.stop()
  })

  /** Makes an account with a zone whose record may be cached for a week. Returns the zone in the form that a rotation expects. */
  async function served(origin: string) {
    const record = { name: `www.${origin}`, type: 'A' as const, ttlSeconds: weekSeconds, data: '192.0.2.1' }
    const accountId = await dns.serve({ origin, accountId: null, serial: 1, records: [record] })
    return { origin, accountId }
  }
  type Owned = Awaited<ReturnType<typeof served>>

  const asked = async ({ udp }: Node, name: string, type: number) =>
    wireRecords(await udp.ask(question(name, type, { edns: { flags: 0x8000 } }))).filter(
      ({ section }) => section === 'answer',
    )
  const stateOf = async (zone: Owned) => (await zoneKeyDoc(dns.ctx, zone)).next?.state
  const dsOf = async (zone: Owned) => zoneKeyText(keysOf(dns.ctx, await zoneKeyDoc(dns.ctx, zone)).signing).ds
  const publish = (origin: string, ds: readonly string[]) => {
    parent.zone = { ...parent.zone, [`DS ${origin}`]: ds }
  }
  /** Advances the time by days; at each step one of the nodes does its part. */
  async function pass(days: number, each: (node: Node) => Promise<void> = async () => undefined) {
    for (let n = 0; n < (days * dayMs) / stepMs; n += 1) {
      dns.door.advance(stepMs)
      const node = nodes[n % nodes.length]!
      await rotateZoneKeys(node.ctx)
      await each(node)
    }
  }

  /** Everything that resolvers may have cached of a zone, in all possible combinations. */
  class Caches {
    readonly #origin: string
    readonly #seen = new Map<string, { kind: 'DS' | 'keys' | 'data'; records: readonly WireRecord[]; until: number }>()
    constructor(origin: string) {
      this.#origin = origin
    }

    /** Queries a node and the parent zone, and caches the answers. Throws if answers that may be cached together do not validate. */
    async look(node: Node): Promise<void> {
      const now = dns.ctx.machineClock.now()
      const keep = (kind: 'DS' | 'keys' | 'data', records: readonly WireRecord[], ttlMs: number) => {
        // Signatures are random, so they are compared by the keys that made them.
        const what = records.map(({ type, data }) =>
          type === RRSIG ? `by ${data.readUInt16BE(16)}` : data.toString('hex'),
        )
        this.#seen.set(`${kind} ${what.sort().join()}`, { kind, records, until: now.getTime() + ttlMs })
      }
      const www = await asked(node, `www.${this.#origin}`, A)
      keep('data', www, weekSeconds * 1_000 + staleMs)
      keep('keys', await asked(node, this.#origin, DNSKEY), hourMs + staleMs)
      const above = (parent.zone[`DS ${this.#origin}`] ?? []) as readonly string[]
      const data = above.map((text) => ({ owner: '', type: types.DS, ttl: 0, section: 'answer', data: dsData(text) }))
      keep('DS', data, dsTtlMs + dayMs)
      for (const [id, { until }] of this.#seen) if (until < now.getTime()) this.#seen.delete(id)
      for (const ds of this.#of('DS'))
        for (const keys of this.#of('keys')) for (const found of this.#of('data')) this.#validate(ds, keys, found, now)
    }

    #of(kind: string) {
      return [...this.#seen.values()].filter((each) => each.kind === kind).map(({ records }) => records)
    }

    #validate(ds: readonly WireRecord[], keys: readonly WireRecord[], found: readonly WireRecord[], at: Date): void {
      const zone = wireName(this.#origin)
      const dnskeys = keys.filter(({ type }) => type === DNSKEY).map(({ data }) => data)
      const isValid = (records: readonly WireRecord[], by: readonly Buffer[]) => {
        const set = records.filter(({ type }) => type !== RRSIG)
        const signatures = records.filter(({ type }) => type === RRSIG)
        return signatures.some(({ data }) => by.some((dnskey) => isSignedBy(set, data, { zone, dnskey, at })))
      }
      const vouched = dnskeys.filter((dnskey) => ds.some(({ data }) => data.equals(digestOf(zone, dnskey))))
      if (!isValid(keys, vouched)) throw new Error(`The keys do not validate at ${at.toISOString()}.`)
      if (!isValid(found, dnskeys)) throw new Error(`The record does not validate at ${at.toISOString()}.`)
    }
  }

  const dsData = (text: string) => {
    const [tag, algorithm, digestType, digest = ''] = text.split(' ')
    return Buffer.concat([
      Buffer.from([Number(tag) >> 8, Number(tag) & 255, Number(algorithm), Number(digestType)]),
      Buffer.from(digest, 'hex'),
    ])
  }
  const digestOf = (zone: string, dnskey: Buffer) => {
    const digest = createHash('sha256').update(zone, 'latin1').update(dnskey).digest('hex')
    return dsData(`${tagOf(dnskey)} 13 2 ${digest}`)
  }
  const textOf = (ds: Buffer) => `${ds.readUInt16BE(0)} ${ds[2]} ${ds[3]} ${ds.toString('hex', 4).toUpperCase()}`

  it('keeps every cached answer valid at all times if the parent zone follows CDS a day later', async () => {
    const zone = await served('always.example')
    const first = await dsOf(zone)
    publish(zone.origin, [first])
    const caches = new Caches(zone.origin)
    await caches.look(nodes[0]!)
    await rotateZoneKey(nodes[0]!.ctx, zone)
    const states: (string | undefined)[] = []
    const asksFor: string[] = []
    await pass(14, async (node) => {
      await caches.look(node)
      const [cds] = (await asked(node, zone.origin, CDS)).filter(({ type }) => type === CDS)
      asksFor.push(textOf(cds!.data))
      publish(zone.origin, [asksFor.at(-1 - dayMs / stepMs) ?? first])
      const state = await stateOf(zone)
      if (states.at(-1) !== state) states.push(state)
    })
    expect(states).to.deep.equal(['published', 'signing', 'vouched', undefined])
    expect(await dsOf(zone)).to.not.equal(first)
    expect(parent.zone[`DS ${zone.origin}`]).to.deep.equal([await dsOf(zone)])
    for (const node of nodes) {
      const keys = (await asked(node, zone.origin, DNSKEY)).filter(({ type }) => type === DNSKEY)
      expect(keys.map(({ data }) => textOf(digestOf(wireName(zone.origin), data)))).to.deep.equal([await dsOf(zone)])
    }
  })

  it('waits as long as the parent zone names the old key, at the end too', async () => {
    const zone = await served('waiting.example')
    const first = await dsOf(zone)
    publish(zone.origin, [first])
    await rotateZoneKey(nodes[0]!.ctx, zone)
    await pass(15)
    expect(await stateOf(zone)).to.equal('signing')
    const next = await dsOf(zone)
    publish(zone.origin, [first, next])
    await pass(0.5)
    expect(await stateOf(zone)).to.equal('vouched')
    publish(zone.origin, [first])
    await pass(15)
    expect(await stateOf(zone)).to.equal('vouched')
    const caches = new Caches(zone.origin)
    await caches.look(nodes[0]!)
    publish(zone.origin, [next])
    await pass(0.5)
    expect(await stateOf(zone)).to.equal(undefined)
  })

  it('continues on an administrator’s confirmation if the resolver cannot see the parent zone', async () => {
    const zone = await served('told.example')
    parent.zone = { ...parent.zone, [`DS ${zone.origin}`]: 'SERVFAIL' }
    await rotateZoneKey(nodes[0]!.ctx, zone)
    const confirm = () => confirmDelegation(nodes[1]!.ctx, zone)
    const refused = (error: Failure) => error.code
    expect(await confirm().then(String, refused)).to.equal('conflict')
    expect(await rotateZoneKey(nodes[0]!.ctx, zone).then(String, refused)).to.equal('conflict')
    await pass(10)
    expect(await stateOf(zone)).to.equal('signing')
    expect((await confirm()).next?.state).to.equal('vouched')
    await pass(10)
    expect(await stateOf(zone)).to.equal(undefined)
  })

  it('needs no confirmation if the parent zone names no key at all', async () => {
    const zone = await served('insecure.example')
    await rotateZoneKey(nodes[0]!.ctx, zone)
    await pass(11)
    expect(await stateOf(zone)).to.equal(undefined)
  })

  it('starts by itself after the days of the setting, for zones that are served', async () => {
    const zones = [await served('old.example'), await served('given-up.example')]
    for (const zone of zones) await zoneKeyDoc(dns.ctx, zone)
    await dns.ctx.store.domains.deleteOne({ _id: 'given-up.example' })
    const { ctx } = nodes[0]!
    const states = () => Promise.all(zones.map(stateOf))
    dns.door.advance(89 * dayMs)
    Object.assign(ctx.settings.dns, { keyDays: 90 })
    await replaceOldZoneKeys(ctx)
    expect(await states()).to.deep.equal([undefined, undefined])
    dns.door.advance(2 * dayMs)
    await replaceOldZoneKeys(ctx)
    Object.assign(ctx.settings.dns, { keyDays: 0 })
    expect(await states()).to.deep.equal(['published', undefined])
  })

  it('has both keys sealed again when the master key changes', async () => {
    const zone = await served('sealed.example')
    await rotateZoneKey(nodes[0]!.ctx, zone)
    const seen: string[] = []
    await resealCollection(dns.ctx.store, 'zoneKeys', (_sealed, { id, purpose }) => {
      if (id.endsWith(zone.origin)) seen.push(purpose)
      return null
    })
    expect(seen).to.deep.equal(Array(2).fill(`zone key ${zone.accountId}:${zone.origin}`))
  })

  it('continues wherever a process died, and stays valid meanwhile', async () => {
    const zone = await served('crash.example')
    publish(zone.origin, [await dsOf(zone)])
    const { ctx } = nodes[0]!
    const data = path.dirname(ctx.keyring.given().folder)
    const { db } = ctx.store
    const url = `mongodb://${encodeURIComponent(String(db.client.options.hosts[0]))}/${db.databaseName}?monitorCommands=true`
    const open = async () => {
      const dying = askingParent(await contextOf({ data, url }, ctx.machineClock))
      Object.assign(dying.settings.dns, { dnssec: true })
      return dying
    }
    const caches = new Caches(zone.origin)
    const check = async () => {
      for (const node of nodes) await eventually('what is served validates', () => caches.look(node).then(() => true))
      // The leases of the dead process expire.
      dns.door.advance(6 * minuteMs)
    }
    const start = (at: Context) =>
      rotateZoneKey(at, zone).catch((error: Failure) => {
        if (error.code !== 'conflict') throw error
      })
    const begun = await dyingAtEachWrite(open, start, check)
    expect(begun).to.be.greaterThan(1)
    for (const [state, days] of [
      ['published', 0],
      ['signing', 1.2],
      ['vouched', 0.1],
      [undefined, 9],
    ] as const) {
      dns.door.advance(days * dayMs)
      const deaths = await dyingAtEachWrite(open, rotateZoneKeys, check)
      expect(deaths, String(state)).to.be.greaterThan(1)
      expect(await stateOf(zone)).to.equal(state)
      publish(zone.origin, [await dsOf(zone)])
    }
  })
})
