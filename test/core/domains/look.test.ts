import { expect } from 'chai'
import { checkRecords } from '../../../core/domains/look.ts'
import type { Context } from '../../../core/process/context.ts'

describe('domains: a look at the DNS', () => {
  // Tokens are base64, so one may start with a plus, which must not be read as a pattern.
  for (const token of ['+8GOQ5pqR6EN8QIDAQAB', 'rgtFG0++IRSlOb1vszU=', 'rgtFG0//IRSlOb1vszU='])
    it(`finds an ownership token in the wrong place: ${token}`, async () => {
      const value = `mailroom-domain=${token}`
      /** A zone in which the domain itself has the record. */
      const askEach = async (name: string, type: string) => [
        { records: name === 'shop.example' && type === 'TXT' ? [[value]] : [] },
      ]
      const ctx = { resolver: { askEach }, hostname: 'mx.mail.test' } as unknown as Context
      const asked = { type: 'TXT', purpose: 'ownership', name: '_mailroom.shop.example' } as const
      const record = { ...asked, value, priority: null, required: true }
      const [looked] = await checkRecords(ctx, 'shop.example', [record])
      expect(looked?.verdicts[0]?.ok).to.equal(false)
      expect(looked?.verdicts[0]?.fix).to.include('shop.example')
    })

  it('shows a null MX in zone file format', async () => {
    const askEach = async (_name: string, type: string) => [
      { records: type === 'MX' ? [{ exchange: '', priority: 0 }] : [] },
    ]
    const ctx = { resolver: { askEach }, hostname: 'mx.mail.test' } as unknown as Context
    const asked = { type: 'MX', purpose: 'mx', name: 'shop.example', value: 'mx.mail.test' } as const
    const [looked] = await checkRecords(ctx, 'shop.example', [{ ...asked, priority: 10, required: true }])
    expect(looked?.verdicts[0]?.found).to.deep.equal(['0 .'])
    expect(looked?.verdicts[0]?.fix).to.include('takes no mail (RFC 7505)')
  })
})
