import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import {
  type CertificateFiles,
  certificateFiles,
  certificateOf,
  isSelfSigned,
  namesOf,
  vouchesFor,
} from '../../../core/certificates/files.ts'
import { Failure } from '../../../schemas/failures.ts'
import { defaultSettings } from '../../default-settings.ts'
import { makeAuthority, makeCertificate, type Pair } from '../../peers/certificates.ts'

const files: CertificateFiles = { key: 'K', cert: 'C' }

describe('certificates of files', () => {
  let authority: Pair
  let own: Pair
  let issued: Pair

  before(async () => {
    authority = await makeAuthority()
    own = await makeCertificate(['a.example'])
    issued = await makeCertificate(['a.example', '*.b.example'], { authority })
  })

  const locked = () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      format: 'pem',
      type: 'pkcs8',
      cipher: 'aes-256-cbc',
      passphrase: 'secret',
    }) as string

  const refused: readonly (readonly [name: string, pair: () => Pair, message: string])[] = [
    ['no certificate', () => ({ ...own, cert: '' }), 'C holds no certificate in PEM.'],
    ['a key in place of a certificate', () => ({ ...own, cert: own.key }), 'C holds no certificate in PEM.'],
    ['half a certificate', () => ({ ...own, cert: own.cert.slice(0, 200) }), 'C holds no certificate in PEM.'],
    ['no key', () => ({ ...own, key: '' }), 'K holds no private key in PEM.'],
    ['a certificate in place of a key', () => ({ ...own, key: own.cert }), 'K holds no private key in PEM.'],
    ['a key with a passphrase', () => ({ ...own, key: locked() }), 'The private key in K has a passphrase.'],
    [
      'the key of another',
      () => ({ ...own, key: issued.key }),
      'The private key in K is not that of the certificate in C.',
    ],
    [
      'a chain that begins with its end',
      () => ({ ...issued, cert: `${authority.cert}\n${issued.cert}` }),
      'The private key in K is not that of the certificate in C.',
    ],
  ]
  for (const [name, pair, message] of refused) {
    it(`refuses ${name}, and says what to do`, () => {
      const { key, cert } = pair()
      let failure: unknown
      try {
        certificateOf({ key, chain: cert }, files)
      } catch (error) {
        failure = error
      }
      expect(failure).to.be.instanceOf(Failure)
      expect((failure as Failure).message).to.equal(message)
      expect((failure as Failure).fix).to.match(/^(Put|Write) /)
    })
  }

  it('accepts a certificate with its chain', () => {
    const certificate = certificateOf({ key: issued.key, chain: `${issued.cert}\n${authority.cert}` }, files)
    expect(namesOf(certificate)).to.deep.equal(['a.example', '*.b.example'])
  })

  it('knows who signed it', () => {
    const read = ({ key, cert }: Pair) => certificateOf({ key, chain: cert }, files)
    expect([isSelfSigned(read(own)), isSelfSigned(read(issued))]).to.deep.equal([true, false])
  })

  const dayMs = 86_400_000
  const vouched: readonly (readonly [name: string, host: string, days: number, expected: boolean])[] = [
    ['a name', 'a.example', 0, true],
    ['a name of a wildcard', 'x.b.example', 0, true],
    ['a name below that', 'y.x.b.example', 0, false],
    ['another name', 'b.example', 0, false],
    ['a name before its time', 'a.example', -3, false],
    ['a name after its time', 'a.example', 31, false],
  ]
  for (const [name, host, days, expected] of vouched) {
    it(`${expected ? 'vouches' : 'does not vouch'} for ${name}`, () => {
      const certificate = certificateOf({ key: issued.key, chain: issued.cert }, files)
      expect(vouchesFor(certificate, host, new Date(Date.now() + days * dayMs))).to.equal(expected)
    })
  }

  it('requires both files of the settings or neither', () => {
    const of = (tls: { key?: string; certificate?: string }) => certificateFiles(defaultSettings({ data: '/d', tls }))
    expect(of({})).to.deep.equal({ key: '/d/tls/key.pem', cert: '/d/tls/cert.pem' })
    expect(of({ key: '/k', certificate: '/c' })).to.deep.equal({ key: '/k', cert: '/c' })
    for (const one of [{ key: '/k' }, { certificate: '/c' }])
      expect(() => of(one)).to.throw(Failure, 'Only one of tls.key and tls.certificate is set')
  })
})
