import { expect } from 'chai'
import { createProxies } from '../../api/proxies.ts'

describe('api: proxies', () => {
  const proxies = createProxies(['10.0.0.0/8', '192.168.1.1', '2001:db8:aa::/48', '::1'])
  const [proxy, second] = ['10.0.0.1', '10.0.0.2']
  const client = '192.0.2.7'

  type Fields = { readonly forwarded?: string; readonly 'x-forwarded-for'?: string }
  const by = (forwarded: string): Fields => ({ forwarded })
  const byX = (list: string): Fields => ({ 'x-forwarded-for': list })
  const cases: readonly (readonly [string, string | undefined, Fields, string])[] = [
    ['nothing', proxy, {}, proxy],
    ['a client', proxy, by(`for=${client}`), client],
    [
      'a client, the name in capitals, among other parameters',
      proxy,
      by(`proto=https;FOR=${client};host=x.test`),
      client,
    ],
    ['a client in quotes', proxy, by(`for="${client}"`), client],
    ['a client with a port', proxy, by(`for="${client}:47011"`), client],
    ['a client with a hidden port', proxy, by(`for="${client}:_http"`), client],
    ['an IPv6 client', proxy, by('for="[2001:db8::7]"'), '2001:db8::7'],
    ['an IPv6 client with a port', proxy, by('for="[2001:DB8:0::7]:4711"'), '2001:db8::7'],
    ['an IPv6 client with escaped brackets', proxy, by('for="\\[2001:db8::7\\]"'), '2001:db8::7'],
    ['an IPv4 client within IPv6', proxy, by(`for="[::ffff:${client}]"`), client],
    ['a client before a proxy', proxy, by(`for=${client}, for=${second}`), client],
    [
      'a client before proxies of both kinds',
      '2001:db8:aa::1',
      by(`for=${client}, for="[::1]", for=${second}`),
      client,
    ],
    ['a client who names somebody before itself', proxy, by(`for=198.51.100.9, for=${client}`), client],
    ['a client who names a proxy before itself', proxy, by(`for=${second}, for=${client}, for=${second}`), client],
    ['only proxies', proxy, by(`for=10.1.1.1, for=${second}`), '10.1.1.1'],
    ['an unknown client', proxy, by('for=unknown'), proxy],
    ['a hidden client', proxy, by('for=_SEVKISEK'), proxy],
    ['a hidden client before a proxy', proxy, by(`for=${client}, for=_hidden, for=${second}`), second],
    ['no client', proxy, by('proto=https'), proxy],
    ['no sense', proxy, by(`for=${client};;`), proxy],
    ['half a quotation', proxy, by(`for="${client}`), proxy],
    ['an invalid address', proxy, by('for=300.1.1.1'), proxy],
    ['a name', proxy, by('for=client.example'), proxy],
    ['a client', proxy, byX(client), client],
    ['a client with a port', proxy, byX(`${client}:47011`), client],
    ['an IPv6 client', proxy, byX('2001:db8::7'), '2001:db8::7'],
    ['an IPv6 client in brackets, with a port', proxy, byX('[2001:db8::7]:443'), '2001:db8::7'],
    ['a client who names somebody before itself', proxy, byX(`198.51.100.9,${client} , ${second}`), client],
    ['an empty place', proxy, byX(`${client}, `), proxy],
    ['no sense before a client', proxy, byX(`<script>, ${client}`), client],
    ['an address in another notation', proxy, byX('0x7f.1'), proxy],
    ['the same in both fields', proxy, { ...by(`for=${client}`), ...byX(`198.51.100.9, ${client}`) }, client],
    ['different clients in both fields', proxy, { ...by('for=198.51.100.9'), ...byX(client) }, proxy],
    ['no sense in one of both fields', proxy, { ...by('for='), ...byX(client) }, proxy],
    ['a client, and is no proxy', client, by('for=198.51.100.9'), client],
    ['a client, and is no proxy', client, byX('198.51.100.9'), client],
    ['a client, and is only beside a proxy', '192.168.1.2', byX(client), '192.168.1.2'],
    ['a client, and is no proxy but its IPv6 twin', '2001:db8:ab::1', byX(client), '2001:db8:ab::1'],
    ['a client, by IPv4 within IPv6', '::ffff:10.0.0.1', byX(client), client],
    ['nothing, by IPv4 within IPv6', `::ffff:${client}`, {}, client],
    ['a client, and is gone', undefined, byX(client), ''],
  ]
  for (const [what, peer, headers, expected] of cases) {
    const field = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    it(`${peer} tells of ${what}${field.length === 0 ? '' : ` (${field.join(' ')})`}`, () =>
      expect(proxies.clientOf(peer, headers)).to.equal(expected))
  }

  it('trusts no peer without settings', () => {
    const { clientOf, isTrusted } = createProxies([])
    expect(clientOf('127.0.0.1', byX(client))).to.equal('127.0.0.1')
    expect(isTrusted('127.0.0.1')).to.equal(false)
  })

  for (const wrong of ['300.1.1.1', '10.0.0.0/33', '2001:db8::/129', '10.0.0/8', '::1/', ':::', '10.0.0.0/8/8'])
    it(`does not start with ${wrong}`, () => expect(() => createProxies([wrong])).to.throw(`http.proxies: ${wrong} is`))
})
