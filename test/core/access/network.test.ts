import { expect } from 'chai'
import { hostOf, isLoopback, networkOf } from '../../../core/access/network.ts'

describe('networkOf and hostOf', () => {
  const cases = [
    ['192.0.2.77', '192.0.2.0/24', '192.0.2.77'],
    ['::ffff:192.0.2.77', '192.0.2.0/24', '192.0.2.77'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64', '2001:db8::/64'],
    ['::1', '::/64', '::/64'],
    ['fe80::1%eth0', 'fe80::/64', 'fe80::/64'],
    ['', 'unknown', 'unknown'],
  ] as const
  for (const [address, network, host] of cases)
    it(`${address || 'no address'} is in the network ${network} and the host ${host}`, () =>
      expect([networkOf(address), hostOf(address)]).to.deep.equal([network, host]))
})

describe('isLoopback', () => {
  const cases = [
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['192.0.2.1', false],
    ['10.0.0.1', false],
    ['0.0.0.0', false],
    ['fe80::1', false],
    ['::ffff:192.0.2.1', false],
    ['', false],
    ['127.example', false],
  ] as const
  for (const [address, expected] of cases)
    it(`${address || 'no address'} is ${expected ? '' : 'not '}loopback`, () =>
      expect(isLoopback(address)).to.equal(expected))
})
