/** A device that makes passkeys and signs with them, as far as a server sees it (WebAuthn 6.1, 6.5). */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

type Asked = { readonly challenge: string }
export type Ceremony = {
  readonly origin: string
  readonly rpId: string
  /** Whether it verified the person; default true. */
  readonly isVerified?: boolean
  /** Default: one more than last time. */
  readonly counter?: number
  /** Default: that of the ceremony. */
  readonly type?: string
}

export type Authenticator = {
  readonly id: string
  /** Answers `navigator.credentials.create`. */
  create(options: Asked, told: Ceremony): { readonly id: string }
  /** Answers `navigator.credentials.get`. */
  get(options: Asked, told: Ceremony): { readonly id: string }
}

const userPresent = 0x01
const userVerified = 0x04
const attested = 0x40

export function createAuthenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(16)
  const id = credentialId.toString('base64url')
  let counted = 0

  const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest()
  const clientData = ({ challenge }: Asked, { origin }: Ceremony, type: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const authenticatorData = ({ rpId, isVerified = true, counter }: Ceremony, flags: number) => {
    counted = counter ?? counted + 1
    const head = Buffer.alloc(5)
    head.writeUInt8(flags | userPresent | (isVerified ? userVerified : 0))
    head.writeUInt32BE(counted, 1)
    return Buffer.concat([sha256(rpId), head])
  }
  /** CBOR encoders for a byte string shorter than 256 bytes and for a short text. */
  const bytes = (content: Buffer) => Buffer.concat([Buffer.from([0x58, content.length]), content])
  const text = (content: string) => Buffer.concat([Buffer.from([0x60 + content.length]), Buffer.from(content)])

  return {
    id,
    create(options, told) {
      const json = clientData(options, told, told.type ?? 'webauthn.create')
      // RFC 9053 7.1.1: kty 2 (EC2), alg -7 (ES256), crv 1 (P-256), x, y
      const coordinates = [Buffer.from([0x21]), bytes(Buffer.from(x, 'base64url')), Buffer.from([0x22])]
      const key = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
        ...coordinates,
        bytes(Buffer.from(y, 'base64url')),
      ])
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credentialId.length]), credentialId, key])
      const data = Buffer.concat([authenticatorData(told, attested), credential])
      const object = [text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), bytes(data)]
      const attestationObject = Buffer.concat([Buffer.from([0xa3]), ...object])
      return answer({ clientDataJSON: json, attestationObject })
    },
    get(options, told) {
      const json = clientData(options, told, told.type ?? 'webauthn.get')
      const data = authenticatorData(told, 0)
      const signature = sign('sha256', Buffer.concat([data, sha256(json)]), privateKey)
      return answer({ clientDataJSON: json, authenticatorData: data, signature })
    },
  }

  function answer(response: { readonly [name: string]: Buffer }) {
    const encoded = Object.entries(response).map(([name, content]) => [name, content.toString('base64url')])
    const type = 'public-key'
    return { id, rawId: id, type, response: Object.fromEntries(encoded), clientExtensionResults: {} }
  }
}
