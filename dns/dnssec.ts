/**
 * Signs answers on demand (DNSSEC, RFC 4034, 4035) with ECDSA P-256. Absence is proven by compact denial (RFC 9824): one NSEC record
 * that lists the types at that very name, so an absence costs one signature and the zone cannot be enumerated. Pure, except that
 * signatures are random; signatures that were made are cached in bounded memory.
 */
import { sign } from 'node:crypto'
import type { Kept } from '../core/process/kept.ts'
import { labelCount, parentOf, rootName, type WireName } from '../core/zones/names.ts'
import { ecdsaP256Sha256, type ZoneKey, type ZoneKeys } from '../core/zones/zone-keys.ts'
import type { Answer, Question } from './answer.ts'
import { classes, rcodes, types } from './codes.ts'
import { bytesOf, type Node, type RrSet, type ZoneIndex } from './zone-index.ts'

export type Signer = {
  /** The data of the DS record, with which the parent zone names this zone's key if the parent is ours too. */
  readonly ds: Buffer
  /** Returns the RRSIG records of a set. */
  sign(set: RrSet): RrSet
}

/** A zone that may be signed; `signer` is null if it is not. */
export type SignableZone = ZoneIndex & { readonly signer: Signer | null }

/** Signatures, by the sets that they sign. */
export type Signatures = Pick<Kept<RrSet>, 'get' | 'set'>

/** How long before now a signature becomes valid, since the clocks of resolvers may be slow. */
const beforeSeconds = 3_600
/** Longer than secondaries serve a zone that they cannot refresh (`expireSeconds` of the SOA), plus the age of a transfer. */
const validSeconds = 21 * 86_400
/** How often the signatures of a transferred zone are renewed: its serial rises with time. */
const transferSeconds = 3 * 86_400

export type SignerOptions = {
  readonly origin: WireName
  readonly keys: ZoneKeys
  /** Distinguishes this version of the zone from all others. */
  readonly version: string
  readonly signatures: Signatures
  readonly now: () => Date
}

/** The types about keys; their sets are signed with all keys. */
const ofKeys: ReadonlySet<number> = new Set([types.DNSKEY, types.CDNSKEY, types.CDS])

export function createSigner({ origin, keys, version, signatures, now }: SignerOptions): Signer {
  return {
    ds: keys.signing.ds,
    sign(set) {
      const id = `${version} ${set.type} ${set.ttlSeconds} ${set.owner}`
      const known = set.type === types.NSEC ? undefined : signatures.get(id)
      if (known !== undefined) return known
      const by = ofKeys.has(set.type) ? keys.published : [keys.signing]
      const made = signaturesOf(set, { origin, by, at: now() })
      if (set.type !== types.NSEC) signatures.set(id, made)
      return made
    },
  }
}

/** How far the serial of a signed zone is ahead of the zone's own, so that secondaries fetch fresh signatures. */
export function serialAhead(now: Date): number {
  return Math.floor(now.getTime() / 1_000 / transferSeconds)
}

/**
 * An answer with its signatures, and with proof of absences. With `compactOk`, the code for an absent name stays NXDOMAIN
 * (RFC 9824 5.1); otherwise the proof that the name has no records comes with NOERROR.
 */
export function signedAnswer(
  zone: ZoneIndex,
  signer: Signer,
  answer: Answer,
  { compactOk }: { readonly compactOk: boolean },
): Answer {
  const both = (sets: readonly RrSet[]) =>
    sets.flatMap((set) => (set.type === types.RRSIG ? [set] : [set, signer.sign(set)]))
  const isCut = answer.kind === 'referral'
  const denial = answer.kind === 'records' ? [] : both([denialOf(zone, answer)])
  const isLost = answer.kind === 'no such name' && !compactOk
  return {
    ...answer,
    rcode: isLost ? rcodes.NOERROR : answer.rcode,
    answers: both(answer.answers),
    // The NS records of a delegation do not belong to this zone, so it does not sign them (RFC 4035 2.2).
    authorities: [...(isCut ? answer.authorities : both(answer.authorities)), ...denial],
  }
}

/** The DS records with which a zone names the key of a zone below it, if both are ours. */
export function dsAnswer(zone: ZoneIndex, { origin, soa }: ZoneIndex, { ds }: Signer): Answer {
  const set = { owner: origin, type: types.DS, ttlSeconds: soa.ttlSeconds, values: [[ds]], targets: [] }
  return {
    kind: 'records',
    rcode: rcodes.NOERROR,
    isAuthoritative: true,
    answers: [set],
    authorities: [],
    additionals: [],
    name: origin,
    source: origin,
    node: zone.nodes.get(origin) ?? null,
  }
}

/**
 * Answers a question for records that are made on demand: the NSEC record of a name, or its signatures, of which one set is enough
 * (RFC 8482 4.1). Null if the question is for other records.
 */
export function madeAnswer(zone: ZoneIndex, signer: Signer, answer: Answer, { type }: Question): Answer | null {
  const { kind, node, name } = answer
  if (kind !== 'no such type' || node === null || (type !== types.NSEC && type !== types.RRSIG)) return null
  const nsec = denialOf(zone, answer)
  const [first] = node.values()
  const made = type === types.NSEC ? nsec : signer.sign(first === undefined ? nsec : { ...first, owner: name })
  return { ...answer, kind: 'records', answers: [...answer.answers, made], authorities: [] }
}

/** The NSEC record that matches a name (RFC 9824 3). */
function denialOf({ origin, negativeSoa }: ZoneIndex, { kind, name, node }: Answer): RrSet {
  const isCut = name !== origin && node?.has(types.NS) === true
  const present =
    kind === 'no such name'
      ? [types.NXNAME]
      : [...(node ?? new Map()).keys()].filter((type) => !isCut || type === types.NS)
  return nsec(
    name,
    isCut ? afterSubtree(name, origin) : following(name, origin),
    [...present, types.RRSIG, types.NSEC],
    negativeSoa.ttlSeconds,
  )
}

function nsec(owner: WireName, next: WireName, present: readonly number[], ttlSeconds: number): RrSet {
  // The next name is not compressed (RFC 3597 4).
  const value = [Buffer.from(next, 'latin1'), typeBits(present)]
  return { owner, type: types.NSEC, ttlSeconds, values: [value], targets: [] }
}

const nameBytesMax = 255
const labelBytesMax = 63

/** The next name in canonical order (RFC 9824 3.1); if the name is too long for that, a later one. */
function following(name: WireName, origin: WireName): WireName {
  return name.length + 2 <= nameBytesMax ? `\x01\0${name}` : afterSubtree(name, origin)
}

/** The next name after everything below a name (RFC 9824 3.4): a zero byte is appended to its first label. */
function afterSubtree(name: WireName, origin: WireName): WireName {
  if (name === origin) return origin // the name after the last is the first
  const label = name.slice(1, 1 + name.charCodeAt(0))
  const rest = parentOf(name)
  if (label.length < labelBytesMax && name.length < nameBytesMax)
    return `${String.fromCharCode(label.length + 1)}${label}\0${rest}`
  // RFC 4471 3.1.2: the last byte that can be incremented is, and those after it are dropped; if none can, the parent is incremented.
  if (/^\xff+$/.test(label)) return afterSubtree(rest, origin)
  const grown = label.replace(/([^\xff])\xff*$/s, (_, char: string) =>
    String.fromCharCode(nextByte(char.charCodeAt(0))),
  )
  return `${String.fromCharCode(grown.length)}${grown}${rest}`
}

/** The next byte in canonical order, skipping upper-case letters, which count as lower-case. */
function nextByte(byte: number): number {
  return byte + 1 >= 0x41 && byte + 1 <= 0x5a ? 0x5b : byte + 1
}

/** The type bitmap (RFC 4034 4.1.2). */
function typeBits(present: readonly number[]): Buffer {
  const windows = new Map<number, Buffer>()
  for (const type of present) {
    const bits = windows.get(type >> 8) ?? Buffer.alloc(32)
    bits[(type & 0xff) >> 3]! |= 0x80 >> (type & 7)
    windows.set(type >> 8, bits)
  }
  const parts = [...windows]
    .sort(([a], [b]) => a - b)
    .map(([window, bits]) => {
      const length = bits.findLastIndex((byte) => byte !== 0) + 1
      return Buffer.concat([Buffer.from([window, length]), bits.subarray(0, length)])
    })
  return Buffer.concat(parts)
}

type Signing = { readonly origin: WireName; readonly at: Date }

function signaturesOf(set: RrSet, { by, ...signing }: Signing & { readonly by: readonly ZoneKey[] }): RrSet {
  const { owner, ttlSeconds } = set
  const values = by.map((key) => [signatureOf(set, key, signing)])
  return { owner, type: types.RRSIG, ttlSeconds, values, targets: [] }
}

/** The data of an RRSIG record (RFC 4034 3.1.8.1). */
function signatureOf({ owner, type, ttlSeconds, values }: RrSet, key: ZoneKey, { origin, at }: Signing): Buffer {
  const now = Math.floor(at.getTime() / 1_000)
  const head = Buffer.alloc(18)
  head.writeUInt16BE(type, 0)
  head[2] = ecdsaP256Sha256
  head[3] = labelCount(owner) - (owner.startsWith('\x01*') ? 1 : 0)
  head.writeUInt32BE(ttlSeconds, 4)
  head.writeUInt32BE((now + validSeconds) >>> 0, 8)
  head.writeUInt32BE((now - beforeSeconds) >>> 0, 12)
  head.writeUInt16BE(key.tag, 16)
  const signerName = Buffer.from(origin, 'latin1')
  const fixed = Buffer.alloc(8)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(classes.IN, 2)
  fixed.writeUInt32BE(ttlSeconds, 4)
  const parts: Buffer[] = [head, signerName]
  for (const data of values.map((value) => Buffer.from(bytesOf(value), 'latin1')).sort(Buffer.compare)) {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(data.length)
    parts.push(Buffer.from(owner, 'latin1'), fixed, length, data)
  }
  const signature = plainSignature(sign('sha256', Buffer.concat(parts), key.privateKey))
  return Buffer.concat([head, signerName, signature])
}

/**
 * Converts a signature from DER to two numbers of 32 bytes each (RFC 6605 4). Having Node's crypto produce this form takes more
 * than twice as long as the signature.
 */
function plainSignature(der: Buffer): Buffer {
  const plain = Buffer.alloc(64)
  let at = 2
  for (const end of [32, 64]) {
    const length = der[at + 1]!
    const digits = der.subarray(at + 2, at + 2 + length)
    // DER adds a zero in front to keep a number positive, and leaves out zeros in front of a small one.
    const number = digits.subarray(Math.max(0, length - 32))
    number.copy(plain, end - number.length)
    at += 2 + length
  }
  return plain
}

/**
 * The sets of a signed zone for a secondary, which has no key: with their signatures, and with NSEC records from each name to the next
 * (RFC 4035 2). Names below a delegation are not signed.
 */
export function* signedSets({ origin, nodes, negativeSoa }: ZoneIndex, signer: Signer): Generator<RrSet> {
  const names = [...nodes.keys()].filter((name) => nodes.get(name)!.size > 0)
  const own = names.filter((name) => !isBelowCut(nodes, origin, name)).sort(canonically)
  for (const name of names) if (isBelowCut(nodes, origin, name)) yield* nodes.get(name)!.values()
  for (const [n, name] of own.entries()) {
    const node = nodes.get(name)!
    const isCut = name !== origin && node.has(types.NS)
    for (const set of node.values()) {
      yield set
      if (!isCut) yield signer.sign(set)
    }
    const present = isCut ? [types.NS] : [...node.keys()]
    const link = nsec(name, own[n + 1] ?? origin, [...present, types.RRSIG, types.NSEC], negativeSoa.ttlSeconds)
    yield link
    yield signer.sign(link)
  }
}

function isBelowCut(nodes: ReadonlyMap<WireName, Node>, origin: WireName, name: WireName): boolean {
  for (let above = name; above !== origin; ) {
    above = parentOf(above)
    if (above !== origin && nodes.get(above)?.has(types.NS) === true) return true
  }
  return false
}

/** Compares names in canonical order (RFC 4034 6.1): label by label, beginning with the last. */
function canonically(a: WireName, b: WireName): number {
  const [left, right] = [labelsOf(a), labelsOf(b)]
  for (let n = 0; n < Math.min(left.length, right.length); n += 1)
    if (left[n] !== right[n]) return left[n]! < right[n]! ? -1 : 1
  return left.length - right.length
}

function labelsOf(name: WireName): string[] {
  const labels: string[] = []
  for (let rest = name; rest !== rootName; rest = parentOf(rest)) labels.unshift(rest.slice(1, 1 + rest.charCodeAt(0)))
  return labels
}
