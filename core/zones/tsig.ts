/**
 * Signed DNS messages (TSIG, RFC 8945): both sides share a key, and the last record of a message is a MAC over it. Pure: bytes and the
 * time are passed in, bytes are returned. The client keeps the MAC of its request, since the answer is signed over it too. In a zone
 * transfer, each further message is signed over the MAC of the one before it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type RecordPlace, recordsOf } from './messages.ts'
import { lowerCase, readName, type WireName, wireName } from './names.ts'

export type TsigAlgorithm = 'hmac-sha256' | 'hmac-sha384' | 'hmac-sha512'

export type TsigKey = { readonly name: WireName; readonly algorithm: TsigAlgorithm; readonly secret: Buffer }

/** The codes of RFC 8945 5.3 that a TSIG record carries. */
export const tsigErrors = { BADSIG: 16, BADKEY: 17, BADTIME: 18, BADTRUNC: 22 } as const
export type TsigError = keyof typeof tsigErrors

export type SignOptions = {
  readonly at: Date
  /** The MAC of the request that is answered, or of the previous message in a transfer. */
  readonly priorMac?: Buffer
  /** Whether this is not the first message of a transfer: names and algorithm are then not signed again (5.3.1). */
  readonly isLater?: boolean
  /** For the answer to a request with a wrong time: the time that it was signed at; the answer states our time. */
  readonly badTime?: { readonly askedAtSeconds: number }
}

export type VerifyOptions = {
  readonly at: Date
  readonly keys: readonly TsigKey[]
  readonly priorMac?: Buffer
  readonly isLater?: boolean
}

/** A message with a valid signature; `message` is without it. */
export type Verified = { readonly key: TsigKey; readonly mac: Buffer; readonly message: Buffer }
export type Verdict =
  /** No TSIG record. */
  | { readonly kind: 'unsigned' }
  /** The TSIG record is misplaced or cannot be read: FORMERR. */
  | { readonly kind: 'malformed' }
  | ({ readonly kind: 'verified' } & Verified)
  /** The other side refused our signature, in an answer that it could not sign; the code is usually one of `tsigErrors`. */
  | { readonly kind: 'complaint'; readonly code: number }
  /**
   * `signature` is what the message claimed. With BADTIME the MAC is right, so `verified` is given and the answer is signed; the other
   * errors are answered without a MAC.
   */
  | {
      readonly kind: 'refused'
      readonly error: TsigError
      readonly signature: Signature
      readonly verified: Verified | null
    }

/** The fields of a TSIG record. */
export type Signature = {
  readonly keyName: WireName
  readonly algorithmName: WireName
  readonly signedAtSeconds: number
  readonly fudgeSeconds: number
  readonly mac: Buffer
  readonly originalId: number
  readonly error: number
  readonly other: Buffer
}

/** How far the clocks of both sides may differ, in seconds (RFC 8945 10 recommends 300). */
const fudgeSeconds = 300
const TSIG = 250
const ANY = 255
const macBytes = { 'hmac-sha256': 32, 'hmac-sha384': 48, 'hmac-sha512': 64 } as const
const algorithms = Object.keys(macBytes) as readonly TsigAlgorithm[]

/**
 * Parses a key in the form `algorithm:name:secret`, the secret in base64, as dig's option -y takes it. Null if it is malformed or the
 * algorithm is not supported.
 */
export function parseTsigKey(text: string): TsigKey | null {
  const [, algorithm, name = '', secret = ''] = /^([a-z0-9-]+):([^:]+):([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const known = algorithms.find((each) => each === algorithm)
  if (known === undefined) return null
  try {
    return { name: wireName(name), algorithm: known, secret: Buffer.from(secret, 'base64') }
  } catch {
    return null
  }
}

/** Appends a signature to an unsigned message. Returns both the message and the MAC. */
export function signMessage(message: Buffer, key: TsigKey, options: SignOptions): { message: Buffer; mac: Buffer } {
  const { badTime } = options
  const now = Math.floor(options.at.getTime() / 1000)
  const unsigned: Signature = {
    keyName: key.name,
    algorithmName: wireName(key.algorithm),
    signedAtSeconds: badTime?.askedAtSeconds ?? now,
    fudgeSeconds,
    mac: Buffer.alloc(0),
    originalId: message.readUInt16BE(0),
    error: badTime === undefined ? 0 : tsigErrors.BADTIME,
    other: badTime === undefined ? Buffer.alloc(0) : seconds48(now),
  }
  const mac = macOf(message, key, unsigned, options)
  return { message: withRecord(message, { ...unsigned, mac }), mac }
}

/** Appends a TSIG record without a MAC, which answers a request whose signature was refused (RFC 8945 5.3.2). */
export function refuseSignature(message: Buffer, error: TsigError, signature: Signature): Buffer {
  return withRecord(message, {
    ...signature,
    mac: Buffer.alloc(0),
    originalId: message.readUInt16BE(0),
    error: tsigErrors[error],
    other: Buffer.alloc(0),
  })
}

/** The number of bytes that a signature with this key adds to a message. */
export function signatureBytes({ name, algorithm }: TsigKey): number {
  return name.length + 10 + wireName(algorithm).length + 16 + macBytes[algorithm]
}

/** Checks the signature of a message, in time linear in its length, and no longer for a wrong MAC than for a right one. */
export function verifyMessage(message: Buffer, options: VerifyOptions): Verdict {
  const found = findSignature(message)
  if (found === null || found === 'malformed') return { kind: found === null ? 'unsigned' : 'malformed' }
  const { signature, at } = found
  if (options.priorMac !== undefined && signature.error !== 0 && signature.mac.length === 0)
    return { kind: 'complaint', code: signature.error }
  const refused = (error: TsigError, verified: Verified | null = null): Verdict => ({
    kind: 'refused',
    error,
    signature,
    verified,
  })
  const key = options.keys.find(
    ({ name, algorithm }) => name === signature.keyName && wireName(algorithm) === signature.algorithmName,
  )
  if (key === undefined) return refused('BADKEY')
  const plain = Buffer.from(message.subarray(0, at))
  plain.writeUInt16BE(signature.originalId, 0)
  plain.writeUInt16BE(plain.readUInt16BE(10) - 1, 10)
  const wanted = macOf(plain, key, signature, options)
  // RFC 8945 5.2.2.1: a MAC that is longer than the algorithm's or shorter than half of it is malformed; between, it is truncated.
  if (signature.mac.length > wanted.length || signature.mac.length < Math.max(10, wanted.length / 2))
    return { kind: 'malformed' }
  const isRight = timingSafeEqual(wanted.subarray(0, signature.mac.length), signature.mac)
  if (!isRight) return refused('BADSIG')
  const verified: Verified = { key, mac: wanted, message: plain }
  if (signature.mac.length < wanted.length) return refused('BADTRUNC')
  const apart = Math.abs(Math.floor(options.at.getTime() / 1000) - signature.signedAtSeconds)
  if (apart > signature.fudgeSeconds) return refused('BADTIME', verified)
  return { kind: 'verified', ...verified }
}

/** The MAC over a message without its TSIG record (RFC 8945 4.3). */
function macOf(
  message: Buffer,
  key: TsigKey,
  signature: Signature,
  { priorMac, isLater = false }: Pick<VerifyOptions, 'priorMac' | 'isLater'>,
): Buffer {
  const hmac = createHmac(key.algorithm.slice('hmac-'.length), key.secret)
  if (priorMac !== undefined) hmac.update(number16(priorMac.length)).update(priorMac)
  hmac.update(message)
  const time = Buffer.concat([seconds48(signature.signedAtSeconds), number16(signature.fudgeSeconds)])
  if (isLater) return hmac.update(time).digest()
  const { keyName, algorithmName, error, other } = signature
  return hmac
    .update(keyName, 'latin1')
    .update(Buffer.concat([number16(ANY), Buffer.alloc(4)]))
    .update(algorithmName, 'latin1')
    .update(time)
    .update(Buffer.concat([number16(error), number16(other.length), other]))
    .digest()
}

function withRecord(message: Buffer, signature: Signature): Buffer {
  const { keyName, algorithmName, signedAtSeconds, mac, originalId, error, other } = signature
  const data = Buffer.concat([
    Buffer.from(algorithmName, 'latin1'),
    seconds48(signedAtSeconds),
    number16(signature.fudgeSeconds),
    number16(mac.length),
    mac,
    number16(originalId),
    number16(error),
    number16(other.length),
    other,
  ])
  const head = [number16(TSIG), number16(ANY), Buffer.alloc(4), number16(data.length)]
  const signed = Buffer.concat([message, Buffer.from(keyName, 'latin1'), ...head, data])
  signed.writeUInt16BE(signed.readUInt16BE(10) + 1, 10)
  return signed
}

type Found = { readonly signature: Signature; readonly at: number }

/** The TSIG record of a message, which must be its last one (RFC 8945 5.1), and where it begins. */
function findSignature(message: Buffer): Found | 'malformed' | null {
  const records = recordsOf(message)
  if (records === null) return 'malformed'
  const n = records.findIndex(({ start }) => message.readUInt16BE(start) === TSIG)
  const record = records[n]
  if (record === undefined) return null
  const isLast = n === records.length - 1 && record.end === message.length && record.section === 'additional'
  const signature = isLast ? readSignature(message, record) : null
  return signature === null ? 'malformed' : { signature, at: record.at }
}

/** Reads the record; its data ends with the message. */
function readSignature(message: Buffer, { at, start }: RecordPlace): Signature | null {
  const keyName = readName(message, at)
  const isOurs = message.readUInt16BE(start + 2) === ANY && message.readUInt32BE(start + 4) === 0
  const algorithm = readName(message, start + 10)
  if (keyName === null || algorithm === null || !isOurs || algorithm.end + 10 > message.length) return null
  const n = algorithm.end
  const macEnd = n + 10 + message.readUInt16BE(n + 8)
  if (macEnd + 6 > message.length || macEnd + 6 + message.readUInt16BE(macEnd + 4) !== message.length) return null
  return {
    keyName: lowerCase(keyName.name),
    algorithmName: lowerCase(algorithm.name),
    signedAtSeconds: message.readUIntBE(n, 6),
    fudgeSeconds: message.readUInt16BE(n + 6),
    mac: message.subarray(n + 10, macEnd),
    originalId: message.readUInt16BE(macEnd),
    error: message.readUInt16BE(macEnd + 2),
    other: message.subarray(macEnd + 6),
  }
}

function number16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function seconds48(seconds: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(seconds, 0, 6)
  return bytes
}
