import type { MxRecord } from 'node:dns'
import { expect } from 'chai'
import { createResolver } from '../../../core/dns/resolver.ts'
import { networkOf } from '../../../plugins/outbound/network.ts'
import { findRoutes, type Network } from '../../../plugins/outbound/route.ts'
import { defaultSettings } from '../../default-settings.ts'
import { inheritedNames } from '../../inherited-names.ts'

const failing = (code: string) => Object.assign(new Error(code), { code })

const mx: { readonly [domain: string]: readonly MxRecord[] | Error } = {
  'one.test': [{ exchange: 'mx.one.test', priority: 10 }],
  'two.test': [
    { exchange: 'b.two.test', priority: 20 },
    { exchange: 'a.two.test', priority: 10 },
  ],
  'bare.test': failing('ENODATA'),
  'gone.test': failing('ENOTFOUND'),
  'null.test': [{ exchange: '', priority: 0 }],
  'slow.test': failing('ETIMEOUT'),
  'broken.test': failing('ESERVFAIL'),
  'empty.test': [{ exchange: 'nowhere.test', priority: 10 }],
  'later.test': [{ exchange: 'unsure.test', priority: 10 }],
  'half.test': [
    { exchange: 'unsure.test', priority: 5 },
    { exchange: 'mx.one.test', priority: 10 },
  ],
  'six.test': [{ exchange: 'six.host.test', priority: 10 }],
  'backup.test': [
    { exchange: 'mx.one.test', priority: 5 },
    { exchange: 'us.test', priority: 10 },
    { exchange: 'b.two.test', priority: 20 },
  ],
  'loop.test': [{ exchange: 'US.test', priority: 10 }],
  'inside.test': [{ exchange: 'inside.host.test', priority: 10 }],
  'partly.test': [
    { exchange: 'inside.host.test', priority: 5 },
    { exchange: 'mixed.host.test', priority: 10 },
  ],
  'hidden.test': [
    { exchange: 'inside.host.test', priority: 5 },
    { exchange: 'unsure.test', priority: 10 },
  ],
  'loopaddress.test': [{ exchange: 'alias.test', priority: 10 }],
}
const ipv4: { readonly [name: string]: readonly string[] | Error } = {
  'mx.one.test': ['192.0.2.1'],
  'a.two.test': ['192.0.2.2', '192.0.2.3'],
  'b.two.test': ['192.0.2.4'],
  'bare.test': ['192.0.2.5'],
  'unsure.test': failing('ESERVFAIL'),
  'us.test': ['192.0.2.99'],
  'US.test': ['192.0.2.99'],
  'alias.test': ['192.0.2.99'],
  'inside.host.test': ['10.0.0.1', '10.0.0.2'],
  'mixed.host.test': ['10.0.0.3', '192.0.2.8'],
}
const ipv6: { readonly [name: string]: readonly string[] } = { 'six.host.test': ['2001:db8::1'] }

async function answer<T>(found: readonly T[] | Error | undefined): Promise<T[]> {
  if (found === undefined) throw failing('ENOTFOUND')
  if (found instanceof Error) throw found
  return [...found]
}

const network: Network = {
  resolver: {
    resolveMx: (name) => answer(mx[name]),
    resolve4: (name) => answer(ipv4[name]),
    resolve6: (name) => answer(ipv6[name]),
  },
  mayReach: (address) => !address.startsWith('10.'),
  routes: {
    'inner.test': '10.0.0.9:25',
    'relayed.test': '127.0.0.1:2600',
    'named.test': 'relay.test:26',
    'sixth.test': '[::1]:2600',
  },
  hostAddresses: async (name) => (name === 'relay.test' ? ['192.0.2.50'] : []),
  isOurs: (name, addresses) => name.toLowerCase() === 'us.test' || addresses.includes('192.0.2.99'),
}

async function routed(domain: string, over: Partial<Network> = {}): Promise<string> {
  const routes = await findRoutes({ ...network, ...over }, { domain, seed: 'em_1' })
  if ('status' in routes) return `${routes.status} ${routes.response}`
  return routes.map(({ name, address, port }) => `${name} ${address}:${port}`).join(', ')
}

describe('findRoutes', () => {
  const cases = [
    ['the MX', 'one.test', 'mx.one.test 192.0.2.1:25'],
    [
      'all addresses of several MX, the best first',
      'two.test',
      'a.two.test 192.0.2.2:25, a.two.test 192.0.2.3:25, b.two.test 192.0.2.4:25',
    ],
    ['the domain itself when there is no MX', 'bare.test', 'bare.test 192.0.2.5:25'],
    ['IPv6 when there is no IPv4', 'six.test', 'six.host.test 2001:db8::1:25'],
    ['another MX when one does not resolve', 'half.test', 'mx.one.test 192.0.2.1:25'],
    ['an address literal', '[192.0.2.7]', '192.0.2.7 192.0.2.7:25'],
    ['an IPv6 address literal', '[IPv6:2001:db8::7]', '2001:db8::7 2001:db8::7:25'],
    ['a relay', 'relayed.test', '127.0.0.1 127.0.0.1:2600'],
    ['a relay with a name', 'named.test', 'relay.test 192.0.2.50:26'],
    ['a relay with an IPv6 address', 'sixth.test', '::1 ::1:2600'],
    ['a relay on a private network', 'inner.test', '10.0.0.9 10.0.0.9:25'],
    [
      'an MX on a private network',
      'inside.test',
      'bounced 550 5.4.4 the mail servers of inside.test have no public address',
    ],
    [
      'an address literal on a private network',
      '[10.0.0.1]',
      'bounced 550 5.4.4 the mail servers of [10.0.0.1] have no public address',
    ],
    ['the public addresses of MX that have private ones too', 'partly.test', 'mixed.host.test 192.0.2.8:25'],
    [
      'a private MX beside one that may resolve later',
      'hidden.test',
      'deferred 451 4.4.3 DNS lookup failed: ESERVFAIL',
    ],
    ['no such domain', 'gone.test', 'bounced 550 5.1.2 domain gone.test does not exist'],
    ['a null MX', 'null.test', 'bounced 556 5.1.10 null.test does not accept mail (null MX)'],
    ['an MX without an address', 'empty.test', 'bounced 550 5.4.4 no address for the mail servers of empty.test'],
    ['a DNS that does not answer', 'slow.test', 'deferred 451 4.4.3 DNS lookup failed: ETIMEOUT'],
    ['a DNS that fails', 'broken.test', 'deferred 451 4.4.3 DNS lookup failed: ESERVFAIL'],
    ['an MX that may resolve later', 'later.test', 'deferred 451 4.4.3 DNS lookup failed: ESERVFAIL'],
    ['better servers than ourselves', 'backup.test', 'mx.one.test 192.0.2.1:25'],
    ['ourselves by name', 'loop.test', 'bounced 550 5.4.6 mail for loop.test loops back to this server'],
    [
      'ourselves by address',
      'loopaddress.test',
      'bounced 550 5.4.6 mail for loopaddress.test loops back to this server',
    ],
  ] as const
  for (const [name, domain, expected] of cases) {
    it(name, async () => expect(await routed(domain)).to.equal(expected))
  }

  it('takes servers of equal preference in an order that differs between mails', async () => {
    const servers = ['p', 'q', 'r', 's'].map((letter) => ({ exchange: `${letter}.equal.test`, priority: 10 }))
    const resolver = { ...network.resolver, resolveMx: async () => servers, resolve4: async (name: string) => [name] }
    const found = (seed: string) => findRoutes({ ...network, resolver }, { domain: 'equal.test', seed })
    const orders = await Promise.all(Array.from({ length: 40 }, (_, index) => found(`em_${index}`)))
    expect(new Set(orders.map((routes) => ('status' in routes ? '' : routes[0]?.name))).size).to.equal(4)
    expect(await found('em_7')).to.deep.equal(orders[7])
  })

  for (const name of inheritedNames)
    it(`asks for the servers of a domain called ${name}`, async () => {
      const { resolveMx } = network.resolver
      const resolver = {
        ...network.resolver,
        resolveMx: (domain: string) => resolveMx(domain === name ? 'one.test' : domain),
      }
      expect(await routed(name, { resolver })).to.equal('mx.one.test 192.0.2.1:25')
      expect(await routed(name, { routes: { '*': '192.0.2.60:25' } })).to.equal('192.0.2.60 192.0.2.60:25')
    })

  it('sends everything to the relay for *', async () => {
    expect(await routed('gone.test', { routes: { '*': '192.0.2.60:25' } })).to.equal('192.0.2.60 192.0.2.60:25')
  })
})

describe('the network', () => {
  const here = networkOf({
    settings: defaultSettings({ smtp: { port: 2525 } }),
    hostname: 'mail.us.test',
    resolver: createResolver([], new Map()),
  })
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['a server elsewhere', '192.0.2.1', false],
    ['this machine', '127.0.0.1', true],
    ['this machine by another address of its own', '127.8.9.10', true],
    ['this machine as no address', '0.0.0.0', true],
    ['this machine in IPv6', '::1', true],
    ['this machine in IPv6 as no address', '::', true],
    ['this machine in IPv6 as IPv4', '::ffff:127.0.0.1', true],
  ]
  for (const [what, address, expected] of cases)
    it(`${expected ? 'never leads mail of others to' : 'leads to'} ${what}`, () =>
      expect(here.isOurs('mx.remote.test', [address])).to.equal(expected))

  it('reaches only public addresses, unless the settings allow private ones', () => {
    const settings = defaultSettings({ outbound: { allowPrivate: true } })
    const closed = networkOf({ settings, hostname: 'mail.us.test', resolver: createResolver([], new Map()) })
    const addresses = ['9.9.9.9', '2620:fe::fe', '10.0.0.1', '169.254.169.254', '::7f00:1', 'fd00::1']
    expect(addresses.map((address) => here.mayReach(address))).to.deep.equal([true, true, false, false, false, false])
    expect(addresses.every((address) => closed.mayReach(address))).to.equal(true)
  })

  it('knows our own name', () => expect(here.isOurs('Mail.US.test', ['192.0.2.1'])).to.equal(true))
})
