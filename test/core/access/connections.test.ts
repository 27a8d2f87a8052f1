import { expect } from 'chai'
import { ConnectionCounter } from '../../../core/access/connections.ts'

describe('ConnectionCounter', () => {
  const limits = { connections: 6, connectionsPerAddress: 2, connectionsPerNetwork: 3 }
  const enter = (counter: ConnectionCounter, addresses: readonly string[]) =>
    addresses.map((address) => {
      const session = {}
      return { session, entered: counter.enter(session, address) }
    })

  const cases = [
    ['one address', ['192.0.2.1', '192.0.2.1', '192.0.2.1'], [true, true, false]],
    [
      'one IPv4 network',
      ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.3.1'],
      [true, true, true, false, true],
    ],
    [
      'one IPv6 network',
      ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4', '2001:db8:0:1::1'],
      [true, true, true, false, true],
    ],
    [
      'all',
      ['192.0.2.1', '192.0.3.1', '192.0.4.1', '192.0.5.1', '192.0.6.1', '192.0.7.1', '192.0.8.1'],
      [true, true, true, true, true, true, false],
    ],
  ] as const
  for (const [name, addresses, expected] of cases) {
    it(`limits ${name}`, () =>
      expect(enter(new ConnectionCounter(limits), addresses).map(({ entered }) => entered)).to.deep.equal(expected))
  }

  it('admits another connection once one has ended, and does not count a refused one', () => {
    const counter = new ConnectionCounter(limits)
    const [first, , refused] = enter(counter, ['192.0.2.1', '192.0.2.1', '192.0.2.1'])
    counter.leave(refused!.session)
    expect(counter.enter({}, '192.0.2.1')).to.equal(false)
    counter.leave(first!.session)
    counter.leave(first!.session)
    expect(enter(counter, ['192.0.2.1', '192.0.2.1']).map(({ entered }) => entered)).to.deep.equal([true, false])
  })
})
