import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { signatureHeaders, signingSecret } from '../../core/notify/signature.ts'
import type { EventEnvelope } from '../../schemas/webhooks.ts'
import { verifyWebhook, WebhookError, type WebhookEvent, type WebhookRequest } from '../../sdk/verify-webhook.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const newer = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const sent: EventEnvelope = {
  id: 'evt_1',
  type: 'message.received',
  created_at: '2026-11-22T10:00:00.000Z',
  data: { subject: 'Café' },
}
/** What is sent is what is promised, and the other way round: else this does not compile. */
const event: WebhookEvent = sent
const body = JSON.stringify(event)
const now = new Date('2026-11-22T10:00:01Z')
const seconds = Math.floor(now.getTime() / 1000)

type Named = Record<string, string>
const sign = ({
  secrets = [secret],
  ...given
}: {
  secrets?: readonly string[]
  body?: string
  at?: Date
} = {}): Named => signatureHeaders({ id: event.id, body, secrets: secrets.map(signingSecret), at: now, ...given })
const own = (headers: Named): Named => ({ 'x-service-signature': headers['x-service-signature'] ?? '' })
const standard = ({ 'x-service-signature': _, ...rest }: Named): Named => rest
const verify = (request: Partial<WebhookRequest>) => verifyWebhook({ body, secret, now, headers: sign(), ...request })
const v1 = (text: string, key = secret) => createHmac('sha256', key).update(text).digest('hex')
const ago = (count: number) => new Date(now.getTime() - count * 1000)

describe('sdk: verifyWebhook', () => {
  const trusted: readonly (readonly [what: string, request: Partial<WebhookRequest>])[] = [
    ['both families', {}],
    ['ours alone', { headers: own(sign()) }],
    ['Standard Webhooks alone', { headers: standard(sign()) }],
    ['the headers of Fetch', { headers: new Headers(sign()) }],
    ['the headers of Node', { headers: { ...sign(), host: 'x', 'set-cookie': ['a', 'b'], other: undefined } }],
    [
      'header names in capitals',
      { headers: Object.fromEntries(Object.entries(sign()).map(([name, value]) => [name.toUpperCase(), value])) },
    ],
    ['a body of bytes', { body: Buffer.from(body) }],
    ['a body of an ArrayBuffer', { body: new TextEncoder().encode(body).slice().buffer }],
    ['the first of two signatures', { headers: sign({ secrets: [secret, newer] }) }],
    ['the second of two signatures', { secret: newer, headers: sign({ secrets: [secret, newer] }) }],
    ['the same, ours alone', { secret: newer, headers: own(sign({ secrets: [secret, newer] })) }],
    ['the same, Standard Webhooks alone', { secret: newer, headers: standard(sign({ secrets: [secret, newer] })) }],
    ['the second of two secrets', { secret: [newer, secret] }],
    [
      'a signature of another version beside ours',
      { headers: { 'x-service-signature': `t=${seconds},v0=ab,v2=cd,v1=${v1(`${seconds}.${body}`)}` } },
    ],
    [
      'spaces between the fields',
      { headers: { 'x-service-signature': `t=${seconds}, v1=${v1(`${seconds}.${body}`)}` } },
    ],
    ['one family that is broken beside one that is not', { headers: { ...sign(), 'x-service-signature': 'nonsense' } }],
    ['5 minutes ago', { headers: sign({ at: ago(300) }) }],
    ['in 5 minutes', { headers: sign({ at: ago(-300) }) }],
    ['an hour ago, if that is allowed', { headers: sign({ at: ago(3_600) }), toleranceSeconds: 3_600 }],
  ]
  for (const [what, request] of trusted)
    it(`trusts ${what}`, async () => {
      const verified: EventEnvelope = await verify(request)
      expect(verified).to.deep.equal(event)
    })

  const moved = (headers: Named, by: number) => ({
    'x-service-signature': (headers['x-service-signature'] ?? '').replace(/t=\d+/, `t=${seconds + by}`),
    'webhook-id': headers['webhook-id'] ?? '',
    'webhook-timestamp': String(seconds + by),
    'webhook-signature': headers['webhook-signature'] ?? '',
  })
  const untrusted: readonly (readonly [what: string, request: Partial<WebhookRequest>])[] = [
    ['no header', { headers: {} }],
    [
      'empty headers',
      { headers: { 'x-service-signature': '', 'webhook-id': '', 'webhook-timestamp': '', 'webhook-signature': '' } },
    ],
    ['another secret', { secret: newer }],
    ['a body with a space more', { body: `${body} ` }],
    ['a body with another letter', { body: body.replace('Café', 'Cafe') }],
    ['an empty body', { body: '' }],
    ['301 seconds ago', { headers: sign({ at: ago(301) }) }],
    ['in 301 seconds', { headers: sign({ at: ago(-301) }) }],
    ['2 seconds ago, if 1 is allowed', { headers: sign({ at: ago(2) }), toleranceSeconds: 1 }],
    ['a time that was not signed', { headers: moved(sign(), 1) }],
    ['an old request whose time was made new', { headers: moved(sign({ at: ago(3_600) }), 0) }],
    ['an id that was not signed', { headers: standard({ ...sign(), 'webhook-id': 'evt_2' }) }],
    ['no id', { headers: standard({ ...sign(), 'webhook-id': '' }) }],
    ['no time', { headers: { 'x-service-signature': `v1=${v1(`${seconds}.${body}`)}` } }],
    ['two times', { headers: { 'x-service-signature': `t=${seconds},t=${seconds},v1=${v1(`${seconds}.${body}`)}` } }],
    ['a time that is no number', { headers: { 'x-service-signature': `t=1e9,v1=${v1(`1e9.${body}`)}` } }],
    ['a negative time', { headers: { 'x-service-signature': `t=-1,v1=${v1(`-1.${body}`)}` } }],
    [
      'a signature that is cut',
      { headers: own({ 'x-service-signature': (sign()['x-service-signature'] ?? '').slice(0, -2) }) },
    ],
    ['an empty signature', { headers: { 'x-service-signature': `t=${seconds},v1=` } }],
    [
      'a signature of another version',
      { headers: { 'x-service-signature': `t=${seconds},v0=${v1(`${seconds}.${body}`)}` } },
    ],
    [
      'a digest without a key',
      { headers: { 'x-service-signature': `t=${seconds},v1=${v1(`${seconds}.${body}`, '')}` } },
    ],
    ['what is no base64', { headers: standard({ ...sign(), 'webhook-signature': 'v1,%%%' }) }],
    [
      'the right one behind many others',
      {
        headers: own({
          'x-service-signature': `t=${seconds},${`v1=${'0'.repeat(64)},`.repeat(10)}v1=${v1(`${seconds}.${body}`)}`,
        }),
      },
    ],
    ['signed text that is no JSON', { body: 'hello', headers: sign({ body: 'hello' }) }],
    ['signed JSON that is no object', { body: '[1]', headers: sign({ body: '[1]' }) }],
  ]
  for (const [what, request] of untrusted)
    it(`does not trust ${what}`, async () => {
      const error = await verify(request).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      expect(error).to.be.instanceOf(WebhookError)
      expect(error).to.include({ name: 'WebhookError', statusCode: 400 })
    })

  const misused: readonly (readonly [what: string, request: object])[] = [
    ['without a secret', { secret: undefined }],
    ['with an empty secret', { secret: '' }],
    ['with no secrets', { secret: [] }],
    ['with a body that was parsed', { body: event }],
  ]
  for (const [what, request] of misused)
    it(`says so when it is called ${what}`, async () => {
      const error = await verify(request).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(TypeError)
    })

  describe('the vectors of Standard Webhooks', () => {
    // The vector of the specification's libraries.
    const vector = {
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      body: '{"test": 2432232314}',
      now: new Date(1_614_265_330_000),
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
    }
    const signature = vector.headers['webhook-signature']
    const right = [
      signature,
      `v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= ${signature}`,
    ]
    for (const [n, given] of right.entries())
      it(`pass (${n})`, async () => {
        const headers = { ...vector.headers, 'webhook-signature': given }
        expect(await verifyWebhook({ ...vector, headers })).to.deep.equal({ test: 2432232314 })
      })
    const wrong: readonly (readonly [string, Record<string, string>])[] = [
      ['another signature', { 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/dmIKtSyZlE3uFJELVlNIOLJ1OE=' }],
      ['a part of the signature', { 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmI' }],
      ['no version', { 'webhook-signature': signature.slice(3) }],
      ['another time', { 'webhook-timestamp': '1614265331' }],
      ['another id', { 'webhook-id': 'msg_x' }],
    ]
    for (const [what, headers] of wrong)
      it(`are refused with ${what}`, async () => {
        const error = await verifyWebhook({ ...vector, headers: { ...vector.headers, ...headers } }).catch((e) => e)
        expect(error).to.be.instanceOf(WebhookError)
      })

    it('are read as the reference library reads them, whatever it signed', async () => {
      const webhook = new Webhook(secret)
      for (let n = 0; n < 50; n++) {
        const text = JSON.stringify({ ...event, data: { n, text: String.fromCodePoint(0x1f600 + n) } })
        const at = ago(n)
        const headers = {
          'webhook-id': `evt_${n}`,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': webhook.sign(`evt_${n}`, at, text),
        }
        expect(await verify({ body: text, headers })).to.deep.equal(JSON.parse(text))
      }
    })
  })

  it('needs nothing but what edge runtimes and browsers have', async () => {
    const source = readFileSync('sdk/verify-webhook.ts', 'utf8')
    expect(source).to.not.match(/^import |require\(/m)
    const script = stripTypeScriptTypes(source).replaceAll(/^export /gm, '')
    const edge = {
      crypto,
      atob,
      TextEncoder,
      TextDecoder,
      Uint8Array,
      ArrayBuffer,
      JSON,
      request: { body, secret, now, headers: sign() },
    }
    const verified = await runInNewContext(`${script}\nverifyWebhook(request)`, edge)
    expect(verified).to.deep.equal(event)
  })

  it('finds Web Crypto where it is no global, as in Node 18', async () => {
    const global = Object.getOwnPropertyDescriptor(globalThis, 'crypto')!
    Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true })
    try {
      expect(await verify({})).to.deep.equal(event)
    } finally {
      Object.defineProperty(globalThis, 'crypto', global)
    }
  })
})
