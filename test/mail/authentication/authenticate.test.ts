import { expect } from 'chai'
import { authenticate, beginSpf, type DNSResolver, type Envelope } from '../../../mail/authentication/authenticate.ts'
import { dkimSign, makeDkimKey } from '../../../mail/authentication/dkim-sign.ts'
import { readHeaders } from '../../../mail/message/headers.ts'

const raw = Buffer.from('From: a@author.example\r\nSubject: s\r\n\r\nx\r\n')
const envelope: Envelope = {
  client: '192.0.2.1',
  helo: 'client.example',
  reversePath: 'b@bounce.example',
  hostname: 'here.example',
}

describe('authenticate', () => {
  let signed: Buffer
  let zone: { readonly [question: string]: readonly string[] }

  before(async () => {
    const { privateKeyPem, publicRecord } = await makeDkimKey('rsa')
    const by = (domain: string) => ({ domain, selector: 's', algorithm: 'rsa', privateKey: privateKeyPem }) as const
    signed = await dkimSign(raw, [by('author.example'), by('list.example')])
    zone = {
      'TXT bounce.example': ['v=spf1 ip4:192.0.2.1 -all'],
      'TXT s._domainkey.author.example': [publicRecord],
      'TXT s._domainkey.list.example': [publicRecord],
      'TXT _dmarc.author.example': ['v=DMARC1; p=reject'],
    }
  })

  /** Answers from the zone as the service's resolver does: each question is asked once. */
  function resolverOf(held: (question: string) => Promise<unknown> = async () => undefined) {
    const asked = new Map<string, Promise<string[]>>()
    const answer = async (question: string) => {
      await held(question)
      const records = zone[question]
      if (records === undefined) throw Object.assign(new Error(question), { code: 'ENOTFOUND' })
      return [...records]
    }
    const resolve = ((name: string, type: string) => {
      const question = `${type} ${name}`
      const known = asked.get(question) ?? answer(question)
      asked.set(question, known)
      return known
    }) as DNSResolver
    return { resolve, asked: () => [...asked.keys()].sort() }
  }

  it('asks for SPF, all keys and the policy side by side', async () => {
    const wanted = new Set(Object.keys(zone))
    const { promise: allAsked, resolve: tell } = Promise.withResolvers<void>()
    const { resolve } = resolverOf((question) => {
      if (wanted.delete(question) && wanted.size === 0) tell()
      return allAsked
    })
    const found = await authenticate(signed, readHeaders(signed), envelope, resolve)
    expect(found).to.include({ spf: 'pass', dmarc: 'pass', alignedFrom: 'author.example' })
    expect(found.dkim.map(({ result }) => result)).to.deep.equal(['pass', 'pass'])
  })

  describe('with SPF begun before the message', () => {
    it('comes to the same, and asks the same', async () => {
      const late = resolverOf()
      const asOne = await authenticate(signed, readHeaders(signed), envelope, late.resolve)
      const early = resolverOf()
      const spf = beginSpf(envelope, early.resolve)
      await spf
      expect(early.asked()).to.deep.equal(['TXT _dmarc.bounce.example', 'TXT bounce.example'])
      const inTwo = await authenticate(signed, readHeaders(signed), { ...envelope, spf }, early.resolve)
      expect(inTwo).to.deep.equal(asOne)
      expect(early.asked()).to.deep.equal([...late.asked(), 'TXT _dmarc.bounce.example'].sort())
    })

    const cases = [
      ['that passed is taken as it is', 'pass', 'pass'],
      ['that failed is taken as it is', 'fail', 'fail'],
      ['that found none is taken as it is', 'none', 'none'],
      ['that the DNS did not answer is asked again', 'temperror', 'pass'],
    ] as const
    for (const [what, before, expected] of cases)
      it(what, async () => {
        const spf = Promise.resolve({ domain: 'bounce.example', result: before, info: null })
        const found = await authenticate(raw, readHeaders(raw), { ...envelope, spf }, resolverOf().resolve)
        expect(found.spf).to.equal(expected)
      })

    it('of a client that says nothing asks nothing', async () => {
      const { resolve, asked } = resolverOf()
      expect((await beginSpf({ ...envelope, client: null }, resolve)).result).to.equal('none')
      expect(asked()).to.deep.equal([])
    })
  })
})
