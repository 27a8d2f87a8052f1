import { createPrivateKey } from 'node:crypto'
import { expect } from 'chai'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { type DkimAlgorithm, dkimSign, makeDkimKey, type SigningKey } from '../../../mail/authentication/dkim-sign.ts'
import { compose } from '../../../mail/compose/compose.ts'
import { message } from '../fixtures.ts'

describe('mail/authentication/dkim-sign', () => {
  const records = new Map<string, string>()
  const keys: SigningKey[] = []
  const resolver = async (name: string) => {
    const record = records.get(name)
    if (!record) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return [[record]]
  }
  const verify = async (raw: Buffer) => {
    const { results } = await dkimVerify(raw, { resolver })
    return results.map(({ status }) => status.result)
  }

  before(async () => {
    for (const algorithm of ['rsa', 'ed25519'] satisfies DkimAlgorithm[]) {
      const { privateKeyPem, publicRecord } = await makeDkimKey(algorithm)
      records.set(`${algorithm}._domainkey.x.example`, publicRecord)
      keys.push({ domain: 'x.example', selector: algorithm, privateKey: privateKeyPem, algorithm })
    }
  })

  const bodies: readonly (readonly [name: string, text: string])[] = [
    ['plain', 'From: a@x.example\nSubject: x\n\nbody\n'],
    ['no body', 'From: a@x.example\n\n'],
    ['no blank line', 'From: a@x.example\nSubject: x\n'],
    ['empty lines at the end', 'From: a@x.example\n\nbody\n\n\n'],
    ['no line end at the end', 'From: a@x.example\n\nbody'],
    ['blanks everywhere', 'From:   a@x.example  \nSubject:\ta \n\t b\n\n a \t b  \n\t\n \n c\n'],
    [
      'repeated and folded fields',
      'Received: one\nFrom: =?utf-8?Q?=C3=BC?=\n <a@x.example>\nTo: a@b\nTo: c@d\nReferences: <1@x>\n <2@x>\n\nx\n',
    ],
    ['blanks and empty lines for more than a slice', `From: a@x.example\n\n${'a  b \t\n\n \n'.repeat(40_000)}c`],
    ['more than a slice of empty lines', `From: a@x.example\n\n${'\n'.repeat(200_000)}x${'\n'.repeat(200_000)}`],
    ['8-bit text', 'From: ü <a@x.example>\nSubject: é\n\nüé\n'],
  ]
  for (const [name, text] of bodies) {
    it(`is verified by others: ${name}`, async () => {
      expect(await verify(await dkimSign(message(text), keys))).to.deep.equal(['pass', 'pass'])
    })
  }

  it('puts the signatures in front and changes nothing else', async () => {
    const raw = message('From: a@x.example\n\nbody\n')
    const signed = await dkimSign(raw, keys)
    expect(signed.subarray(signed.length - raw.length)).to.deep.equal(raw)
    const head = signed.toString('latin1', 0, signed.length - raw.length)
    expect(head).to.match(/^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\/relaxed; d=x\.example;/)
    expect(head.split('\r\n').every((line) => line.length <= 78)).to.equal(true)
    expect(head).to.not.match(/(?<!\r)\n/)
  })

  it('makes line ends right before it signs', async () => {
    const signed = await dkimSign(Buffer.from('From: a@x.example\nSubject: x\r\n\nbody\rmore\n'), keys)
    expect(signed.toString()).to.not.match(/\r(?!\n)|(?<!\r)\n/)
    expect(await verify(signed)).to.deep.equal(['pass', 'pass'])
  })

  const forged: readonly (readonly [name: string, change: (signed: string) => string])[] = [
    ['another From in front', (signed) => `From: evil@z.example\r\n${signed}`],
    ['another Subject in front', (signed) => `Subject: evil\r\n${signed}`],
    ['a Reply-To where there was none', (signed) => `Reply-To: evil@z.example\r\n${signed}`],
    ['a changed subject', (signed) => signed.replace('Subject: x', 'Subject: y')],
    ['a changed body', (signed) => signed.replace('body', 'b0dy')],
    ['an added line', (signed) => `${signed}more\r\n`],
  ]
  for (const [name, change] of forged) {
    it(`breaks with ${name}`, async () => {
      const signed = await dkimSign(message('From: a@x.example\nSubject: x\n\nbody\n'), keys)
      const results = await verify(Buffer.from(change(signed.toString('latin1')), 'latin1'))
      expect(results).to.have.length(2)
      expect(results).to.not.include('pass')
    })
  }

  it('stays valid when a relay adds its trace and changes white space', async () => {
    const signed = await dkimSign(message('From: a@x.example\nSubject: x  y\n\nbody \n\n'), keys)
    const relayed = `Received: by relay\r\n${signed.toString('latin1').replace('x  y', 'x\r\n y').replace('body ', 'body')}\r\n`
    expect(await verify(Buffer.from(relayed, 'latin1'))).to.deep.equal(['pass', 'pass'])
  })

  it('signs what the composer writes, with key objects too', async () => {
    const { raw } = await compose({
      from: { name: 'Jörg', address: 'a@x.example' },
      to: [{ name: '', address: 'b@y.example' }],
      cc: [],
      bcc: [],
      subject: 'Grüße',
      text: 'Grüße\n\n',
      html: '<p>x</p>',
      attachments: [{ name: 'a.bin', contentType: 'application/octet-stream', content: Buffer.alloc(10_000, 7) }],
      messageId: 'm@x.example',
      date: new Date(0),
    })
    const objects = keys.map((key) => ({ ...key, privateKey: createPrivateKey(String(key.privateKey)) }))
    expect(await verify(await dkimSign(raw, objects))).to.deep.equal(['pass', 'pass'])
  })

  it('refuses what no receiver would accept', async () => {
    const raw = message('From: a@x.example\n\nbody\n')
    const [rsa, ed] = keys as [SigningKey, SigningKey]
    const failing = [
      dkimSign(message('Subject: no sender\n\nbody\n'), keys),
      dkimSign(raw, [{ ...rsa, domain: 'x.example; d=y.example' }]),
      dkimSign(raw, [{ ...rsa, selector: 'a\r\nX: y' }]),
      dkimSign(raw, [{ ...rsa, privateKey: ed.privateKey }]),
      dkimSign(raw, [{ ...rsa, privateKey: 'no key' }]),
    ]
    const outcomes = await Promise.allSettled(failing)
    expect(outcomes.map(({ status }) => status)).to.deep.equal(failing.map(() => 'rejected'))
  })
})
