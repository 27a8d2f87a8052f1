import { expect } from 'chai'
import { networkOf } from '../../../core/access/network.ts'

describe('networkOf', () => {
  const cases = [
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['', 'unknown'],
  ] as const
  for (const [address, network] of cases)
    it(`${address || 'none'} is in ${network}`, () => expect(networkOf(address)).to.equal(network))
})
