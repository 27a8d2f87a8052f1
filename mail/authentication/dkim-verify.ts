/**
 * Verifies the DKIM signatures and the ARC chain of a message (RFC 6376, RFC 8617) with mailauth, under limits of our own: what
 * exceeds them is reported as `policy` and costs nothing. The body is hashed in pieces, so that a large message does not hold
 * up the others.
 */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DKIMResult, DNSResolver } from 'mailauth'
import { arc as verifyArc } from 'mailauth/lib/arc/index.js'
import { DkimVerifier } from 'mailauth/lib/dkim/dkim-verifier.js'
import {
  formatAuthHeaderRow,
  getPublicKey,
  type KeyCache,
  type KeyOptions,
  type PublicKey,
} from 'mailauth/lib/tools.js'
import { normaliseDomain, sameOrganisation } from '../domain.ts'
import { type HeaderBlock, type HeaderField, headerValues } from '../message/headers.ts'
import { type AuthResult, resultOf } from './authentication-results.ts'

export type Signature = {
  /** '' when the signature names none. */
  readonly domain: string
  readonly result: AuthResult
  /** In the form of Authentication-Results (RFC 8601 2.2). */
  readonly info: string
}

export type Signatures = {
  readonly dkim: readonly Signature[]
  readonly arc: AuthResult
  /** null without a chain. */
  readonly arcInfo: string | null
}

/** Most signatures that are verified. Mail has fewer, and each costs a public key operation and a DNS query. */
const signaturesMax = 8
/** Most sets of an ARC chain: each forwarder adds one. */
const chainMax = 10
const signatureCharsMax = 4_096
/** Most field names that a signature covers: each is looked for in the whole header. */
const namesMax = 200
/** RFC 8301 3.2 asks for 1024 to 4096. */
const keyBitsMin = 1_024
const keyBitsMax = 4_096
/** A key with a huge exponent makes each verification as slow as signing. */
const exponentMax = 2n ** 32n
/** How much is hashed in one go, which takes a few milliseconds at most. */
const pieceBytes = 64 * 1024
/** How many parsed public keys are kept: parsing one costs more than verifying with it. */
const keysMax = 2_000

/**
 * Verifies the signatures of a message. `from` is the domain of the author, whose own signatures come first when there are
 * too many.
 */
export async function verifySignatures(
  raw: Buffer,
  header: HeaderBlock,
  { from, resolve }: { from: string | null; resolve: DNSResolver },
): Promise<Signatures> {
  const signed = header.fields.filter(({ name }) => name.toLowerCase() === 'dkim-signature')
  const sets = headerValues(header.fields, 'arc-seal').length
  const hasArc = header.fields.some(({ name }) => /^arc-/i.test(name))
  if (signed.length === 0 && !hasArc) return { dkim: [], arc: 'none', arcInfo: null }
  if (header.truncated) {
    const dkim = signed.slice(0, signaturesMax).map((field) => unverified(field, 'header too large'))
    return { dkim, ...refusedArc(hasArc, 'header too large') }
  }
  const left = leftOut(signed, from)
  const failures = new Set<string>()
  const verifier = new DkimVerifier({ strict: true, minBitLength: keyBitsMin })
  const keys = keyCache(resolve, failures)
  verifier.keyCache = keys
  verifier.arc.keyCache = keys
  // Fields that are not verified stay in the header under another name, because others may have signed them.
  const skipped = new Set(left)
  const parsed = header.fields.map((field) => ({
    key: skipped.has(field) ? 'skipped' : field.name.toLowerCase(),
    casedKey: field.name,
    line: lineOf(raw, field),
  }))
  const headers = { parsed, original: raw.subarray(0, header.bodyStart) }
  verifier.headers = headers
  await verifier.messageHeaders(headers)
  askAhead(
    resolve,
    verifier.signatureHeaders
      .filter(({ invalid, skip }) => !invalid && !skip)
      .map(({ selector, signingDomain }) => `${selector}._domainkey.${signingDomain}`),
  )
  if (verifier.bodyHashes.size > 0) await hashBody(verifier, raw.subarray(header.bodyStart))
  await verifier.finalChunk()
  const dkim = verifier.results.filter(({ status }) => status.result !== 'none').map(signatureOf)
  const result = [...dkim, ...left.slice(0, signaturesMax).map((field) => unverified(field, 'not verified'))]
  if (!hasArc) return { dkim: result, arc: 'none', arcInfo: null }
  if (sets > chainMax || left.length > 0) return { dkim: result, ...refusedArc(true, 'not verified') }
  const chain = await verifyArc(verifier.arc, { resolver: resolve, minBitLength: keyBitsMin, strict: true })
  const status = { ...chain.status }
  // mailauth reports a key that could not be looked up as a broken chain.
  if (status.result === 'fail' && (failures.has('AS') || failures.has('ARC'))) status.result = 'temperror'
  return { dkim: result, arc: resultOf(status.result), arcInfo: formatAuthHeaderRow('arc', status, { strict: true }) }
}

/**
 * Queries TXT records that will be needed, in parallel, and waits for none. `resolve` shares repeated queries, so that a later caller
 * gets the same answer. That caller also gets the failure of a query.
 */
export function askAhead(resolve: DNSResolver, names: readonly string[]): void {
  for (const name of new Set(names)) resolve(name, 'TXT').catch(() => undefined)
}

/** The signatures that are not verified. When there are too many, the author's own are chosen first. */
function leftOut(signed: readonly HeaderField[], from: string | null): readonly HeaderField[] {
  const short = signed.filter(
    ({ rawValue }) => rawValue.length <= signatureCharsMax && rawValue.split(':').length <= namesMax,
  )
  if (short.length === signed.length && signed.length <= signaturesMax) return []
  const own = (field: HeaderField) => from !== null && sameOrganisation(domainOf(field), from)
  const chosen = new Set([...short.filter(own), ...short.filter((field) => !own(field))].slice(0, signaturesMax))
  return signed.filter((field) => !chosen.has(field))
}

async function hashBody(verifier: DkimVerifier, body: Buffer): Promise<void> {
  for (let from = 0; from < body.length; from += pieceBytes) {
    if (from > 0) await nextTurn()
    await verifier.nextChunk(withCrlf(body, from, Math.min(from + pieceBytes, body.length)))
  }
}

/** A piece with CRLF line ends, over which signatures are computed (RFC 6376 5.3); mail over SMTP has no others. */
function withCrlf(body: Buffer, from: number, to: number): Buffer {
  const piece = body.subarray(from, to)
  for (let feed = piece.indexOf(0x0a); feed >= 0; feed = piece.indexOf(0x0a, feed + 1)) {
    if (body[from + feed - 1] === 0x0d) continue
    const before = body[from - 1] === 0x0d ? '\r' : ''
    const text = (before + piece.toString('latin1')).replaceAll(/(?<!\r)\n/g, '\r\n')
    return Buffer.from(text.slice(before.length), 'latin1')
  }
  return piece
}

function signatureOf({ signingDomain = '', status }: DKIMResult): Signature {
  const reported = { ...status }
  if (status.result === 'neutral' && keyErrors.has(status.comment ?? '')) reported.result = 'permerror'
  // RFC 6376 8.2: anybody may have added the text that an l= tag leaves unsigned.
  if (status.result === 'pass' && status.underSized !== undefined) reported.result = 'policy'
  return {
    domain: normaliseDomain(signingDomain) ?? '',
    result: resultOf(reported.result),
    info: formatAuthHeaderRow('dkim', reported, { strict: true }),
  }
}

/** The comments of mailauth on keys that cannot be used, which RFC 6376 6.1.2 calls permanent failures. */
const keyErrors = new Set([
  'no key',
  'unknown key version',
  'unknown key type',
  'invalid public key',
  'inappropriate hash algorithm',
  'inappropriate key algorithm',
  'key not for email',
])

function unverified(field: HeaderField, comment: string): Signature {
  const domain = domainOf(field)
  const status = { result: 'policy' as const, comment, header: { d: domain || false } }
  return { domain, result: 'policy', info: formatAuthHeaderRow('dkim', status, { strict: true }) }
}

function refusedArc(hasArc: boolean, comment: string): Pick<Signatures, 'arc' | 'arcInfo'> {
  if (!hasArc) return { arc: 'none', arcInfo: null }
  return { arc: 'policy', arcInfo: formatAuthHeaderRow('arc', { result: 'policy', comment }, { strict: true }) }
}

/** The d= of a signature field, '' without one. */
function domainOf({ rawValue }: HeaderField): string {
  return normaliseDomain(/(?:^|;)\s*d\s*=\s*([^\s;]+)/.exec(rawValue.slice(0, signatureCharsMax))?.[1] ?? '') ?? ''
}

function lineOf(raw: Buffer, { start, end }: HeaderField): Buffer {
  const lineEnd = raw[end - 1] !== 0x0a ? end : raw[end - 2] === 0x0d ? end - 2 : end - 1
  return raw.subarray(start, lineEnd)
}

/** Parsed public keys by hash algorithm and name, with the record they were read from. */
const known = new Map<string, { readonly record: string; readonly key: PublicKey }>()

/** Looks up keys and keeps them parsed. Adds to `failures` the kinds of signatures whose key could not be looked up. */
function keyCache(resolve: DNSResolver, failures: Set<string>): KeyCache {
  const asked = new Map<string, Promise<PublicKey>>()
  return {
    resolver: resolve,
    get(type, name, minBitLength, options) {
      const wanted = `${options?.hashAlgo ?? ''} ${name}`
      let key = asked.get(wanted)
      if (key === undefined) {
        key = readKey(resolve, { type, name, wanted, minBitLength, options })
        asked.set(wanted, key)
      }
      // Also handles the key that mailauth asks for in advance without waiting for it.
      key.catch((error: { code?: string }) => {
        if (isTemporary(error)) failures.add(type)
      })
      return key
    },
  }
}

async function readKey(
  resolve: DNSResolver,
  {
    type,
    name,
    wanted,
    minBitLength,
    options,
  }: { type: string; name: string; wanted: string; minBitLength?: number; options?: KeyOptions },
): Promise<PublicKey> {
  const answer = await resolve(name, 'TXT').catch((error: { code?: string }) => {
    throw error.code === 'EBADNAME' ? Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }) : error
  })
  const record = JSON.stringify(answer[0])
  const before = known.get(wanted)
  if (before?.record === record) return before.key
  const found = await getPublicKey(type, name, minBitLength, async () => answer, options)
  const key = { ...found, publicKey: usableKey(found) }
  if (known.size >= keysMax) known.clear()
  known.set(wanted, { record, key })
  return key
}

/** A key object, which is not parsed again for each signature. Throws for keys that make verifying slow. */
function usableKey({ publicKey, modulusLength = 0 }: PublicKey): KeyObject {
  const key = typeof publicKey === 'string' ? createPublicKey(publicKey) : publicKey
  if (modulusLength > keyBitsMax || (key.asymmetricKeyDetails?.publicExponent ?? 0n) > exponentMax)
    throw Object.assign(new Error('The key is too expensive.'), { code: 'EINVALIDVAL' })
  return key
}

/** Codes of permanent failures of the DNS or the key record; any other failure may be temporary. */
const permanent = new Set(['ENOTFOUND', 'ENODATA', 'ESHORTKEY'])

function isTemporary({ code = '' }: { readonly code?: string }): boolean {
  return !permanent.has(code) && !code.startsWith('EINVALID')
}
