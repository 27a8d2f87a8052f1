import { expect } from 'chai'
import { type Listing, listingsOf } from '../../../core/deliverability/blocklists.ts'
import { newCheckAddress, readCheckAddress } from '../../../core/deliverability/check-mailbox.ts'
import { confirmedName, confirmedNames, reverseQuestion } from '../../../core/deliverability/reverse-names.ts'
import { createResolver } from '../../../core/dns/resolver.ts'
import { hourMs } from '../../../core/process/clock.ts'
import type { Context } from '../../../core/process/context.ts'
import { defaultSettings } from '../../default-settings.ts'
import { type NameServer, startNameServer, type Zone } from '../../peers/name-server.ts'

describe('what the DNS says of addresses', () => {
  let dns: NameServer
  before(async () => {
    dns = await startNameServer({})
  })
  after(() => dns?.stop())

  const settings = defaultSettings({ deliverability: { blocklists: ['list.test'] } })
  const contextWith = (zone: Zone) => {
    dns.zone = zone
    return { settings, resolver: createResolver([dns.address], new Map()) } as unknown as Context
  }

  const questions = [
    ['192.0.2.10', undefined, '10.2.0.192.in-addr.arpa'],
    ['192.0.2.10', 'list.test', '10.2.0.192.list.test'],
    ['::ffff:192.0.2.10', undefined, '10.2.0.192.in-addr.arpa'],
    ['2001:db8::25', undefined, '5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
  ] as const
  for (const [address, zone, question] of questions)
    it(`${address} is queried as ${question.slice(0, 24)}`, () =>
      expect(reverseQuestion(address, zone)).to.equal(question))

  describe('names', () => {
    const ptr = 'PTR 10.2.0.192.in-addr.arpa'
    const cases: readonly (readonly [string, Zone, string | null])[] = [
      ['both ways agree', { [ptr]: ['MX.here.test'], 'A mx.here.test': ['192.0.2.10'] }, 'mx.here.test'],
      ['the second of two', { [ptr]: ['no.test', 'mx.here.test'], 'A mx.here.test': ['192.0.2.10'] }, 'mx.here.test'],
      ['the name has another address', { [ptr]: ['mx.google.test'], 'A mx.google.test': ['192.0.2.11'] }, null],
      ['the name has none', { [ptr]: ['mx.here.test'] }, null],
      ['no name', {}, null],
      ['no answer', { [ptr]: 'SERVFAIL' }, null],
    ]
    for (const [what, zone, name] of cases)
      it(what, async () => expect(await confirmedName(contextWith(zone), '192.0.2.10')).to.equal(name))

    it('of IPv6', async () => {
      const ctx = contextWith({
        [`PTR ${reverseQuestion('2001:db8::25')}`]: ['mx.here.test'],
        'AAAA mx.here.test': ['2001:db8::25'],
      })
      expect(await confirmedName(ctx, '2001:db8::25')).to.equal('mx.here.test')
    })

    it('do not wait for a server that does not answer', async () => {
      const { resolver } = contextWith({ 'PTR 11.2.0.192.in-addr.arpa': ['b.test'], 'A b.test': ['192.0.2.11'] })
      const never = new Promise<never>(() => undefined)
      const resolve: Context['resolver']['resolve'] = (name, type) =>
        name.startsWith('10.') ? never : resolver.resolve(name, type)
      const ctx = { resolver: { ...resolver, resolve } }
      expect([...(await confirmedNames(ctx, ['192.0.2.10'], 1))]).to.deep.equal([])
      expect([...(await confirmedNames(ctx, ['192.0.2.11'], 600_000))]).to.deep.equal([['192.0.2.11', 'b.test']])
    })
  })

  describe('blocklists', () => {
    const question = '10.2.0.192.list.test'
    const cases: readonly (readonly [string, Zone, Listing['state'], string | null])[] = [
      ['not listed', {}, 'clean', null],
      ['listed', { [`A ${question}`]: ['127.0.0.4'] }, 'listed', null],
      [
        'listed, and why',
        { [`A ${question}`]: ['127.0.0.2', '127.0.0.4'], [`TXT ${question}`]: ['why'] },
        'listed',
        'why',
      ],
      ['a resolver that the list does not serve', { [`A ${question}`]: ['127.255.255.254'] }, 'refused', null],
      ['too many questions', { [`A ${question}`]: ['127.255.255.255'] }, 'refused', null],
      ['a list whose domain was sold', { [`A ${question}`]: ['198.51.100.1'] }, 'broken', null],
      [
        'a list that lists everybody',
        { [`A ${question}`]: ['127.0.0.2'], 'A 1.0.0.127.list.test': ['127.0.0.2'] },
        'broken',
        null,
      ],
      ['a list that does not answer', { [`A ${question}`]: 'SERVFAIL' }, 'unknown', null],
    ]
    for (const [what, zone, state, reason] of cases)
      it(what, async () =>
        expect(await listingsOf(contextWith(zone), '192.0.2.10')).to.deep.equal([{ zone: 'list.test', state, reason }]),
      )
  })

  describe('check addresses', () => {
    let now = new Date('2026-11-22T10:00:00Z')
    const tag = (text: string, purpose: string) => Buffer.from(`${purpose}${text}`.padEnd(64, '.')).reverse()
    const ctx = { settings, clock: { now: () => now }, secrets: { tag } } as unknown as Context

    it('are valid for an hour', () => {
      const { id, address } = newCheckAddress(ctx)
      expect(readCheckAddress(ctx, address)).to.equal(id)
      now = new Date(now.getTime() + hourMs - 1)
      expect(readCheckAddress(ctx, address)).to.equal(id)
      now = new Date(now.getTime() + 1)
      expect(readCheckAddress(ctx, address)).to.equal(null)
    })

    const others: readonly (readonly [string, (own: string) => string])[] = [
      ['another digest', (own) => own.replace(/-.([^-]*)@/, (_, rest: string) => `-${'0'}${rest}@`)],
      ['another domain', (own) => own.replace('agents.localhost', 'own.test')],
      ['another id', (own) => own.replace(/^check-../, 'check-00')],
      ['a mailbox', () => 'check@agents.localhost'],
    ]
    for (const [name, made] of others)
      it(`are refused: ${name}`, () => {
        const { address } = newCheckAddress(ctx)
        expect(made(address)).not.to.equal(address)
        expect(readCheckAddress(ctx, made(address))).to.equal(null)
      })
  })
})
