import { expect } from 'chai'
import { isPublicAddress } from '../../../core/access/public-address.ts'

/** The blocks of IANA's special-purpose registries for IPv4 and IPv6, and their edges. */
const cases: readonly (readonly [what: string, isPublic: boolean, addresses: readonly string[]])[] = [
  ['a host in IPv4', true, ['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '223.255.255.255']],
  ['this network (RFC 791)', false, ['0.0.0.0', '0.255.255.255']],
  ['private use (RFC 1918)', false, ['10.0.0.1', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1']],
  ['beside private use', true, ['172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0']],
  ['shared address space (RFC 6598)', false, ['100.64.0.0', '100.127.255.255']],
  ['beside shared address space', true, ['100.63.255.255', '100.128.0.0']],
  ['loopback (RFC 1122)', false, ['127.0.0.1', '127.255.255.255']],
  ['link local, with the metadata of clouds (RFC 3927)', false, ['169.254.0.1', '169.254.169.254']],
  ['protocol assignments (RFC 6890)', false, ['192.0.0.1', '192.0.0.9', '192.0.0.170']],
  ['documentation (RFC 5737)', false, ['192.0.2.1', '198.51.100.1', '203.0.113.1']],
  ['beside documentation', true, ['192.0.1.1', '192.0.3.1', '203.0.114.1']],
  ['AS112 and AMT (RFC 7534, 7535, 7450)', false, ['192.31.196.1', '192.175.48.1', '192.52.193.1']],
  ['relays of 6to4 (RFC 7526)', false, ['192.88.99.1']],
  ['benchmarking (RFC 2544)', false, ['198.18.0.0', '198.19.255.255']],
  ['beside benchmarking', true, ['198.17.255.255', '198.20.0.0']],
  ['multicast (RFC 5771)', false, ['224.0.0.1', '239.255.255.255']],
  ['reserved and broadcast (RFC 1112, 919)', false, ['240.0.0.1', '255.255.255.255']],

  ['a host in IPv6', true, ['2001:4860:4860::8888', '2606:4700:4700::1111', '2000::1', '2a00::1', '3ffe::1']],
  ['unspecified and loopback (RFC 4291)', false, ['::', '::1']],
  ['IPv4-compatible (RFC 4291)', false, ['::7f00:1', '::127.0.0.1', '::a9fe:a9fe', '::8.8.8.8']],
  ['IPv4-mapped (RFC 4291)', false, ['::ffff:7f00:1', '::ffff:127.0.0.1', '::ffff:8.8.8.8']],
  ['IPv4-translated (RFC 2765)', false, ['::ffff:0:127.0.0.1']],
  ['NAT64 (RFC 6052, 8215)', false, ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1']],
  ['discard (RFC 6666)', false, ['100::1', '100:0:0:1::1']],
  ['beyond global unicast', false, ['1fff::1', '4000::1', '8000::1', 'e000::1']],
  ['Teredo (RFC 4380)', false, ['2001::1', '2001:0:7f00:1::1']],
  ['protocol assignments (RFC 2928)', false, ['2001:1::1', '2001:3::1', '2001:4:112::1', '2001:1ff:ffff::1']],
  ['benchmarking (RFC 5180)', false, ['2001:2::1', '2001:2:0:ffff::1']],
  ['ORCHID and drones (RFC 4843, 7343, 9374)', false, ['2001:10::1', '2001:20::1', '2001:2f:ffff::1', '2001:30::1']],
  ['beside protocol assignments', true, ['2001:200::1']],
  ['documentation (RFC 3849, 9637)', false, ['2001:db8::1', '2001:db8:ffff::1', '3fff::1', '3fff:fff::1']],
  ['beside documentation', true, ['2001:db7::1', '2001:db9::1', '3fff:1000::1']],
  ['6to4 (RFC 3056)', false, ['2002:7f00:1::1', '2002:a00:1::1', '2002:808:808::1']],
  ['AS112 (RFC 7534)', false, ['2620:4f:8000::1']],
  ['segment routing (RFC 9602)', false, ['5f00::1']],
  ['unique local (RFC 4193)', false, ['fc00::1', 'fd12:3456::1']],
  ['link local and site local (RFC 4291, 3879)', false, ['fe80::1', 'fe80::1%eth0', 'fec0::1']],
  ['multicast (RFC 4291)', false, ['ff02::1']],
  ['an invalid address', false, ['', 'localhost', '0x7f.1', '2130706433', '010.0.0.1', '8.8.8', '8.8.8.8:25', '[::1]']],
]

describe('isPublicAddress', () => {
  for (const [what, isPublic, addresses] of cases)
    for (const address of addresses)
      it(`${address || 'none'} is ${isPublic ? '' : 'not '}public: ${what}`, () =>
        expect(isPublicAddress(address)).to.equal(isPublic))
})
