import { expect } from 'chai'
import fc from 'fast-check'
import { wireName } from '../../../core/zones/names.ts'
import {
  parseTsigKey,
  refuseSignature,
  signatureBytes,
  signMessage,
  type TsigKey,
  verifyMessage,
} from '../../../core/zones/tsig.ts'

const bytes = (...hex: readonly string[]) => Buffer.from(hex.join(''), 'hex')

/** Messages that dig and named of BIND 9.18 exchanged at Unix time 1795386342. */
const exchanges = {
  sha256: {
    asked: bytes(
      'fe1901200001000000000001047a6f6e65076578616d706c650000060001087472616e73666572076578616d706c650000fa',
      '00ff00000000003d0b686d61632d7368613235360000006b036be6012c0020b89b7b943ee078b89326b8ef78355c73385574',
      'd2c1a75bbf7ba3111dab38656cfe1900000000',
    ),
    answered: bytes(
      'fe1985000001000100000001047a6f6e65076578616d706c650000060001c00c000600010000003c0021036e7331c00c0472',
      '6f6f74c00c0000000100000e1000000258000151800000003c087472616e73666572076578616d706c650000fa00ff000000',
      '00003d0b686d61632d7368613235360000006b036be6012c0020f95e3a1308ab1fca3e1aaf8626ee1de3ad685dc350797157',
      'd4ac919c3b6a6062fe1900000000',
    ),
  },
  sha384: {
    asked: bytes(
      '4c0301200001000000000001047a6f6e65076578616d706c650000060001046b3338340000fa00ff00000000004d0b686d61',
      '632d7368613338340000006b036be6012c0030b87e907c7c04d85a502299ce7bcad1f116587061886e420b56e8bcfc17f686',
      '7b0e922432b319ad73d5cb4f32e96cafdc4c0300000000',
    ),
    answered: bytes(
      '4c0385000001000100000001047a6f6e65076578616d706c650000060001c00c000600010000003c0021036e7331c00c0472',
      '6f6f74c00c0000000100000e1000000258000151800000003c046b3338340000fa00ff00000000004d0b686d61632d736861',
      '3338340000006b036be6012c003054341974f7b9be802f0c90f53bacf79cd8a31c80c3d0d14d2cd54f6f0168c72a7fe4c3eb',
      '38beb03649f0a57c5f2f3fac4c0300000000',
    ),
  },
  sha512: {
    asked: bytes(
      '60fb01200001000000000002047a6f6e65076578616d706c65000006000100002904d000000000000c000a0008f378069df4',
      'f6b025046b353132076578616d706c650000fa00ff00000000005d0b686d61632d7368613531320000006b036be6012c0040',
      '8018ce29af85f1c0c191b6ccd0232e63062c13544f89fff2854df6edd5cf88d23bcc84db88129f22100ea30c7fd02c26cfd2',
      '991366bc0994163eb69214d8b8a760fb00000000',
    ),
    answered: bytes(
      '60fb85000001000100000002047a6f6e65076578616d706c650000060001c00c000600010000003c0021036e7331c00c0472',
      '6f6f74c00c0000000100000e1000000258000151800000003c00002904d000000000001c000a0018f378069df4f6b0250100',
      '00006b036be6d98f2e0680bdee29046b353132076578616d706c650000fa00ff00000000005d0b686d61632d736861353132',
      '0000006b036be6012c004011cd54e3d1358719696247254903d845dd868bd4216bafbb8c7be2b3c915a6c0b7217d4633f29d',
      'e53f96e2b96712cbff8d41c76472b18795bcda7cb21096679260fb00000000',
    ),
  },
  unknownKey: {
    asked: bytes(
      '283201200001000000000001047a6f6e65076578616d706c650000060001056f74686572076578616d706c650000fa00ff00',
      '000000003d0b686d61632d7368613235360000006b036be6012c00207c05ac58cf583a4f696f0579179d633a4d1c4a1a4fa6',
      '847b38e3f82394f76de0283200000000',
    ),
    answered: bytes(
      '283281090001000000000001047a6f6e65076578616d706c650000060001056f74686572076578616d706c650000fa00ff00',
      '000000001d0b686d61632d7368613235360000006b036be6012c0000283200110000',
    ),
  },
  wrongSecret: {
    asked: bytes(
      '92e001200001000000000001047a6f6e65076578616d706c650000060001087472616e73666572076578616d706c650000fa',
      '00ff00000000003d0b686d61632d7368613235360000006b036be6012c0020ba8828369197d3174b1ca9241d650a430be23e',
      '2c4caf26b6e73d1dcac54fa0d592e000000000',
    ),
    answered: bytes(
      '92e081090001000000000001047a6f6e65076578616d706c650000060001087472616e73666572076578616d706c650000fa',
      '00ff00000000001d0b686d61632d7368613235360000006b036be6012c000092e000100000',
    ),
  },
} as const

const secret = 'c2VjcmV0IG9mIHRoZSB0ZXN0cywgMzIgYnl0ZXMuLi4='
const key = (text: string): TsigKey => parseTsigKey(text) ?? expect.fail(`${text} is no key`)
const keys = [
  key(`hmac-sha256:transfer.example:${secret}`),
  key(`hmac-sha384:k384:${secret}`),
  key(`hmac-sha512:K512.Example:${secret}`),
]
const second = 1_795_386_342
const at = (offset = 0) => new Date((second + offset) * 1000)

describe('TSIG (RFC 8945)', () => {
  describe('messages of BIND', () => {
    for (const [n, name] of (['sha256', 'sha384', 'sha512'] as const).entries()) {
      const { asked, answered } = exchanges[name]

      it(`reads the request with ${name}, and the answer that is signed over it`, () => {
        const request = verifyMessage(asked, { at: at(), keys })
        if (request.kind !== 'verified') return expect.fail(request.kind)
        expect(request.key).to.equal(keys[n])
        expect(verifyMessage(answered, { at: at(), keys, priorMac: request.mac }).kind).to.equal('verified')
        expect(verifyMessage(answered, { at: at(), keys }).kind).to.equal('refused')
      })

      it(`signs the same request with ${name} in the same bytes`, () => {
        const request = verifyMessage(asked, { at: at(), keys })
        if (request.kind !== 'verified') return expect.fail(request.kind)
        const signed = signMessage(request.message, request.key, { at: at() })
        expect(signed.message.toString('hex')).to.equal(asked.toString('hex'))
        expect(signed.mac).to.deep.equal(request.mac)
        expect(asked.length - request.message.length).to.equal(signatureBytes(request.key))
      })
    }

    it('refuses an unknown key and a wrong secret in the bytes of BIND', () => {
      for (const [{ asked, answered }, error] of [
        [exchanges.unknownKey, 'BADKEY'],
        [exchanges.wrongSecret, 'BADSIG'],
      ] as const) {
        const verdict = verifyMessage(asked, { at: at(), keys })
        if (verdict.kind !== 'refused') return expect.fail(verdict.kind)
        expect(verdict.error).to.equal(error)
        const unsigned = Buffer.from(answered.subarray(0, 30))
        unsigned.writeUInt16BE(0, 10)
        expect(refuseSignature(unsigned, error, verdict.signature).toString('hex')).to.equal(answered.toString('hex'))
      }
    })

    it('reads the refusal of the other side', () => {
      const priorMac = Buffer.alloc(32)
      expect(verifyMessage(exchanges.unknownKey.answered, { at: at(), keys, priorMac })).to.deep.equal({
        kind: 'complaint',
        code: 17,
      })
    })
  })

  describe('invalid signatures', () => {
    const { asked } = exchanges.sha256
    const edited = (edit: (message: Buffer) => unknown) => {
      const copy = Buffer.from(asked)
      const other = edit(copy)
      return Buffer.isBuffer(other) ? other : copy
    }
    const start = asked.length - signatureBytes(keys[0]!)
    const cases: readonly (readonly [string, Buffer, number, string])[] = [
      ['in time', asked, 0, 'verified'],
      ['early, within the fudge', asked, -300, 'verified'],
      ['late, within the fudge', asked, 300, 'verified'],
      ['early', asked, -301, 'refused BADTIME'],
      ['late', asked, 301, 'refused BADTIME'],
      ['another id, as a forwarder gives it', edited((m) => m.writeUInt16BE(7, 0)), 0, 'verified'],
      ['a flag changed', edited((m) => m.writeUInt8(m[2]! ^ 1, 2)), 0, 'refused BADSIG'],
      ['the question changed', edited((m) => m.writeUInt8(0x79, 13)), 0, 'refused BADSIG'],
      [
        'a byte of the MAC changed',
        edited((m) => m.writeUInt8(m[m.length - 20]! ^ 1, m.length - 20)),
        0,
        'refused BADSIG',
      ],
      ['the key in other letters', edited((m) => m.write('TRANSFER', start + 1)), 0, 'verified'],
      ['the algorithm of another key', edited((m) => m.write('hmac-sha384', start + 29)), 0, 'refused BADKEY'],
      [
        'no record',
        edited((m) => {
          m.writeUInt16BE(0, 10)
          return m.subarray(0, start)
        }),
        0,
        'unsigned',
      ],
      ['cut off', asked.subarray(0, -1), 0, 'malformed'],
      ['more behind it', Buffer.concat([asked, Buffer.alloc(1)]), 0, 'malformed'],
      ['another class', edited((m) => m.writeUInt16BE(1, start + 20)), 0, 'malformed'],
      ['a time to live', edited((m) => m.writeUInt32BE(1, start + 22)), 0, 'malformed'],
      [
        'a second one behind it',
        edited((m) => {
          m.writeUInt16BE(2, 10)
          return Buffer.concat([m, m.subarray(start)])
        }),
        0,
        'malformed',
      ],
      [
        'among the answers',
        edited((m) => {
          m.writeUInt16BE(1, 6)
          m.writeUInt16BE(0, 10)
        }),
        0,
        'malformed',
      ],
      ['less than a header', asked.subarray(0, 11), 0, 'malformed'],
      ['nothing', Buffer.alloc(0), 0, 'malformed'],
    ]
    for (const [name, message, offset, expected] of cases)
      it(`${name}: ${expected}`, () => {
        const verdict = verifyMessage(message, { at: at(offset), keys })
        expect(verdict.kind === 'refused' ? `refused ${verdict.error}` : verdict.kind).to.equal(expected)
      })

    it('a truncated MAC: refused with BADTRUNC from half its length on, malformed below', () => {
      const short = (length: number) => {
        const cut = 32 - length
        const message = Buffer.concat([asked.subarray(0, -6 - cut), asked.subarray(-6)])
        message.writeUInt16BE(asked.readUInt16BE(start + 26) - cut, start + 26)
        message.writeUInt16BE(length, message.length - 6 - length - 2)
        return verifyMessage(message, { at: at(), keys })
      }
      expect(short(32).kind).to.equal('verified')
      expect(short(31)).to.include({ kind: 'refused', error: 'BADTRUNC' })
      expect(short(16)).to.include({ kind: 'refused', error: 'BADTRUNC' })
      expect(short(15).kind).to.equal('malformed')
      expect(short(0).kind).to.equal('malformed')
    })

    it('a request with a wrong time is answered signed, with the current time', () => {
      const verdict = verifyMessage(asked, { at: at(1_000), keys })
      if (verdict.kind !== 'refused' || verdict.verified === null) return expect.fail(verdict.kind)
      const { key: known, mac, message } = verdict.verified
      const badTime = { askedAtSeconds: verdict.signature.signedAtSeconds }
      const answer = signMessage(message, known, { at: at(1_000), priorMac: mac, badTime })
      const back = verifyMessage(answer.message, { at: at(), keys, priorMac: mac })
      if (back.kind !== 'verified') return expect.fail(back.kind)
      expect(answer.message.readUInt16BE(answer.message.length - 10)).to.equal(18)
      expect(answer.message.readUIntBE(answer.message.length - 6, 6)).to.equal(second + 1_000)
    })
  })

  it('chains the messages of a transfer', () => {
    const message = Buffer.alloc(12)
    const [first] = keys
    const one = signMessage(message, first!, { at: at(), priorMac: Buffer.alloc(32, 1) })
    const two = signMessage(message, first!, { at: at(), priorMac: one.mac, isLater: true })
    const three = signMessage(message, first!, { at: at(), priorMac: two.mac, isLater: true })
    const kindOf = (bytes: Buffer, priorMac: Buffer, isLater: boolean) =>
      verifyMessage(bytes, { at: at(), keys, priorMac, isLater }).kind
    expect(kindOf(one.message, Buffer.alloc(32, 1), false)).to.equal('verified')
    expect(kindOf(two.message, one.mac, true)).to.equal('verified')
    expect(kindOf(three.message, two.mac, true)).to.equal('verified')
    expect(kindOf(three.message, one.mac, true)).to.equal('refused')
    expect(kindOf(two.message, one.mac, false)).to.equal('refused')
  })

  it('never throws, whatever the input', () => {
    const mutated = fc.array(fc.tuple(fc.nat(exchanges.sha256.asked.length - 1), fc.nat(255)), { maxLength: 6 })
    fc.assert(
      fc.property(mutated, fc.nat(exchanges.sha256.asked.length), (edits, length) => {
        const message = Buffer.from(exchanges.sha256.asked)
        for (const [n, value] of edits) message[n] = value
        verifyMessage(message, { at: at(), keys })
        verifyMessage(message.subarray(0, length), { at: at(), keys })
      }),
    )
  })

  const texts: readonly (readonly [string, string | null])[] = [
    [`hmac-sha256:a.example:${secret}`, wireName('a.example')],
    [`hmac-sha512:A.Example.:${secret}`, wireName('a.example')],
    [`hmac-md5:a:${secret}`, null],
    [`hmac-sha256:a..b:${secret}`, null],
    [`hmac-sha256:${'a'.repeat(64)}:${secret}`, null],
    [`a:${secret}`, null],
    ['hmac-sha256:a:', null],
    ['hmac-sha256:a:not base64', null],
    ['', null],
  ]
  for (const [text, name] of texts)
    it(`key ${JSON.stringify(text)}: ${name === null ? 'none' : 'read'}`, () =>
      expect(parseTsigKey(text)?.name ?? null).to.equal(name))
})
