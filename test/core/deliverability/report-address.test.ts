import { createSecretKey, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { readReportAddress, reportAddressOf } from '../../../core/deliverability/report-address.ts'
import { secretsOf } from '../../../core/process/secrets.ts'

describe('report addresses', () => {
  const keys = { held: new Map(), writing: null, digestKey: createSecretKey(randomBytes(32)) }
  const secrets = secretsOf(() => keys)
  const address = reportAddressOf({ secrets }, 'own.example')

  it('are on the domain, always the same, and name it', () => {
    expect(address).to.match(/^reports-[0-9a-f]{16}@own\.example$/)
    expect(reportAddressOf({ secrets }, 'own.example')).to.equal(address)
    expect(readReportAddress({ secrets }, address)).to.equal('own.example')
  })

  const others: readonly (readonly [string, (own: string) => string])[] = [
    ['the digest of another domain', (own) => own.replace('own.example', 'other.example')],
    ['of a sub-domain', (own) => own.replace('@', '@sub.')],
    ['one digit changed', (own) => own.replace(/-./, (found) => (found === '-0' ? '-1' : '-0'))],
    ['a digit too many', (own) => own.replace('@', '0@')],
    ['a digit too few', (own) => own.replace(/.@/, '@')],
    ['a tag', (own) => own.replace('@', '+tag@')],
    ['capitals, which no canonical address has', (own) => own.replace('reports', 'Reports')],
    ['a mailbox', () => 'reports@own.example'],
    ['a return path', () => 'bounce-00000000000000000000000000-0-0123456789abcdef@own.example'],
  ]
  for (const [name, made] of others)
    it(`are refused: ${name}`, () => expect(readReportAddress({ secrets }, made(address))).to.equal(null))
})
