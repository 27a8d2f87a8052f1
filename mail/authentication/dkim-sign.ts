import { createHash, createPrivateKey, generateKeyPair, type KeyObject, sign } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { promisify } from 'node:util'
import { withCrlfLines } from '../encoding/line-ends.ts'
import { type HeaderField, readHeaders } from '../message/headers.ts'
import { createSlice, joined, nextTurn, sliceBytes } from '../slices.ts'

export type DkimAlgorithm = 'rsa' | 'ed25519'

/** A signing key: PEM text (PKCS #8), or the key object made from it, which saves parsing it for every message. */
export type SigningKey = {
  readonly domain: string
  readonly selector: string
  readonly privateKey: string | KeyObject
  readonly algorithm: DkimAlgorithm
}

/** Makes a DKIM key pair: RSA 2048 (RFC 8301 3.2) or Ed25519 (RFC 8463). `publicRecord` is the TXT record's text. */
export async function makeDkimKey(algorithm: DkimAlgorithm): Promise<{ privateKeyPem: string; publicRecord: string }> {
  const pair = algorithm === 'rsa' ? await makePair('rsa', { modulusLength: 2048 }) : await makePair('ed25519')
  const spki = pair.publicKey.export({ type: 'spki', format: 'der' })
  // RFC 8463 4.2: the last 32 bytes of the SPKI are the bare Ed25519 key.
  const bytes = algorithm === 'rsa' ? spki : spki.subarray(-32)
  return {
    privateKeyPem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicRecord: `v=DKIM1; k=${algorithm}; p=${bytes.toString('base64')}`,
  }
}

/**
 * Signs a message with each key (RFC 6376, relaxed/relaxed) and returns it with the DKIM-Signature fields in front.
 * All line ends are made CRLF first. From and the other fields that readers see are signed once more than they occur, so that
 * nobody can add another one (RFC 6376 8.15). The RSA work runs outside the event loop's thread.
 * @param at time of the signature
 * @throws Error when the message has no From, a name is not a DNS name, or a key does not fit its algorithm
 */
export async function dkimSign(raw: Buffer, keys: readonly SigningKey[], at: Date = new Date()): Promise<Buffer> {
  const message = await withCrlfLines(raw)
  const { fields, bodyStart } = readHeaders(message)
  const signed = fieldsToSign(fields)
  if (!signed.some((each) => each.field && each.name === 'from'))
    throw new Error('a message without From cannot be signed: add the field')
  const canonical = signed.flatMap(({ field }) => (field ? [`${relaxedField(message, field)}\r\n`] : [])).join('')
  const names = signed.map(({ name }) => name).join(':')
  const bodyHash = await hashRelaxed(message, bodyStart)
  const seconds = Math.floor(at.getTime() / 1000)
  const signatures = await Promise.all(keys.map((key) => signature(key, { canonical, names, bodyHash, seconds })))
  return joined([Buffer.from(signatures.join('')), message])
}

const makePair = promisify(generateKeyPair)
const signAsync = promisify(sign)

/** Fields that are signed when present; `oversigned` once more than they are present. */
const oversigned = ['from', 'to', 'cc', 'subject', 'date', 'message-id', 'reply-to']
const alsoSigned = ['sender', 'in-reply-to', 'references', 'mime-version', 'content-type', 'content-transfer-encoding']
const listFields = [
  'auto-submitted',
  'list-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'list-post',
  'list-help',
  'list-owner',
]

type SignedField = { readonly name: string; readonly field: HeaderField | null }

// RFC 6376 5.4.2: several fields of one name are taken from the bottom up.
function fieldsToSign(fields: readonly HeaderField[]): SignedField[] {
  return [...oversigned, ...alsoSigned, ...listFields].flatMap((name) => {
    const present: SignedField[] = fields
      .filter((field) => field.name.toLowerCase() === name)
      .reverse()
      .map((field) => ({ name, field }))
    return oversigned.includes(name) ? [...present, { name, field: null }] : present
  })
}

// RFC 6376 3.4.2
function relaxedField(message: Buffer, { name, start, end }: HeaderField): string {
  const line = message.toString('latin1', start, end)
  return `${name.toLowerCase()}:${relaxedValue(line.slice(line.indexOf(':') + 1))}`
}

function relaxedValue(value: string): string {
  return value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '')
}

/**
 * SHA-256 of the body in its relaxed form (RFC 6376 3.4.4), as Base64: runs of blanks become one, blanks at line ends and empty
 * lines at the end are removed.
 */
async function hashRelaxed(message: Buffer, bodyStart: number): Promise<string> {
  const hash = createHash('sha256')
  const body = { blank: false, lineEnds: 0, isEmpty: true }
  const slice = createSlice()
  for (let from = bodyStart; from < message.length; from += sliceBytes) {
    const to = Math.min(from + sliceBytes, message.length)
    hash.update(relaxed(message, { from, to }, body))
    if (slice.isOver(to - from)) await nextTurn()
  }
  return hash.update(body.isEmpty ? '' : '\r\n').digest('base64')
}

/** What is unfinished between two pieces of a body: a run of blanks, and line ends that count only when text follows. */
type Unfinished = { blank: boolean; lineEnds: number; isEmpty: boolean }

function relaxed(message: Buffer, { from, to }: { from: number; to: number }, open: Unfinished): Buffer {
  let { blank, lineEnds } = open
  const out = Buffer.allocUnsafe(to - from + 1 + lineEnds * 2)
  let length = 0
  for (let i = from; i < to; i++) {
    const byte = message[i] as number
    if (byte === 0x20 || byte === 0x09) blank = true
    else if (byte === 0x0a) {
      blank = false
      lineEnds++
    } else if (byte !== 0x0d) {
      for (; lineEnds > 0; lineEnds--) {
        out[length++] = 0x0d
        out[length++] = 0x0a
      }
      if (blank) out[length++] = 0x20
      blank = false
      out[length++] = byte
      open.isEmpty = false
    }
  }
  open.blank = blank
  open.lineEnds = lineEnds
  return out.subarray(0, length)
}

type Signable = {
  readonly canonical: string
  readonly names: string
  readonly bodyHash: string
  readonly seconds: number
}

async function signature(key: SigningKey, { canonical, names, bodyHash, seconds }: Signable): Promise<string> {
  const domain = domainToASCII(key.domain)
  if (!isDnsName(domain) || !isDnsName(key.selector))
    throw new Error(
      'the domain or the selector of the DKIM key is not a DNS name: use letters, digits and hyphens between dots',
    )
  const privateKey = typeof key.privateKey === 'string' ? createPrivateKey(key.privateKey) : key.privateKey
  if (privateKey.asymmetricKeyType !== key.algorithm)
    throw new Error(`the private key is not an ${key.algorithm} key: give the algorithm of the key`)
  const field =
    `DKIM-Signature: v=1; a=${key.algorithm}-sha256; c=relaxed/relaxed; d=${domain};\r\n` +
    ` s=${key.selector}; t=${seconds};\r\n h=${foldNames(names)};\r\n bh=${bodyHash};\r\n b=`
  const data = Buffer.from(
    `${canonical}dkim-signature:${relaxedValue(field.slice('DKIM-Signature:'.length))}`,
    'latin1',
  )
  // RFC 8463 3: Ed25519 signs the SHA-256 digest. That is faster than handing it to another thread.
  const signed =
    key.algorithm === 'rsa'
      ? await signAsync('sha256', data, privateKey)
      : sign(null, createHash('sha256').update(data).digest(), privateKey)
  return `${field}${signed.toString('base64').replace(/.{72}(?=.)/g, '$&\r\n ')}\r\n`
}

function foldNames(names: string): string {
  return names.replace(/(.{1,60}:)/g, '$1\r\n  ').trimEnd()
}

function isDnsName(text: string): boolean {
  return (
    text.length <= 253 &&
    /^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/.test(text)
  )
}
