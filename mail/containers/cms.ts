/** The outer layers of CMS (RFC 5652), as far as S/MIME needs them to tell what a file is and to read content that is only signed. */
import { limits } from '../limits.ts'

export type CmsContent = {
  readonly type: 'signed' | 'enveloped' | 'other'
  /** The signed content, unverified; null when it is not inside or cannot be read without a key. */
  readonly content: Buffer | null
}

/** Reads a ContentInfo in BER or DER; null when it is not one. Linear, nested at most `depthMax` deep. Never throws. */
export function readCms(ber: Buffer): CmsContent | null {
  const outer = nodeAt(ber, 0, ber.length)
  if (outer?.tag !== sequence) return null
  const [type, explicit] = childrenOf(ber, outer, 2)
  if (type?.tag !== objectIdentifier) return null
  const oid = ber.toString('hex', type.start, type.end)
  if (oid === enveloped || oid === authEnveloped) return { type: 'enveloped', content: null }
  if (oid !== signed) return { type: 'other', content: null }
  // RFC 5652 5.1: SignedData is version, digestAlgorithms, encapContentInfo and more.
  const data = explicit && childrenOf(ber, explicit, 1)[0]
  const encapsulated = data && childrenOf(ber, data, 3)[2]
  const wrapped = encapsulated && childrenOf(ber, encapsulated, 2)[1]
  const octets = wrapped && childrenOf(ber, wrapped, 1)[0]
  return { type: 'signed', content: octets ? octetsOf(ber, octets, 0) : null }
}

/** Values inside values until the stack runs out. */
const depthMax = 24

const sequence = 0x30
const objectIdentifier = 0x06
const octetString = 0x04
const constructedOctetString = 0x24
// 1.2.840.113549.1.7.2, 1.2.840.113549.1.7.3, 1.2.840.113549.1.9.16.1.23 (RFC 5083)
const signed = '2a864886f70d010702'
const enveloped = '2a864886f70d010703'
const authEnveloped = '2a864886f70d0109100117'

/** One value: its content is start..end, the next value begins at `next`. */
type BerValue = { readonly tag: number; readonly start: number; readonly end: number; readonly next: number }

/** X.690 8.1: a tag of one byte, then a length; 0x80 means that the value extends to two zero bytes. */
function nodeAt(ber: Buffer, at: number, limit: number, depth = 0): BerValue | null {
  if (at + 2 > limit || depth > depthMax) return null
  const tag = ber[at] as number
  const first = ber[at + 1] as number
  if ((tag & 0x1f) === 0x1f) return null
  if (first < 0x80) return within({ tag, start: at + 2, end: at + 2 + first }, limit)
  if (first > 0x80) {
    const size = first & 0x7f
    if (size > 5 || at + 2 + size > limit) return null
    const start = at + 2 + size
    return within({ tag, start, end: start + ber.readUIntBE(at + 2, size) }, limit)
  }
  let position = at + 2
  while (position + 2 <= limit) {
    if (ber[position] === 0 && ber[position + 1] === 0) return { tag, start: at + 2, end: position, next: position + 2 }
    const child = nodeAt(ber, position, limit, depth + 1)
    if (!child) return null
    position = child.next
  }
  return null
}

/** A value that was cut short ends where the bytes end. */
function within({ tag, start, end }: Omit<BerValue, 'next'>, limit: number): BerValue {
  return { tag, start, end: Math.min(end, limit), next: Math.min(end, limit) }
}

function childrenOf(ber: Buffer, { start, end }: BerValue, max: number): BerValue[] {
  const found: BerValue[] = []
  for (let position = start; found.length < max && position < end; ) {
    const child = nodeAt(ber, position, end)
    if (!child) break
    found.push(child)
    position = child.next
  }
  return found
}

/** X.690 8.7: the bytes of an octet string, which may consist of pieces. */
function octetsOf(ber: Buffer, node: BerValue, depth: number): Buffer | null {
  if (node.tag === octetString) return ber.subarray(node.start, node.end)
  if (node.tag !== constructedOctetString || depth > depthMax) return null
  const nodes = childrenOf(ber, node, limits.cmsPiecesMax)
  if (nodes.length === limits.cmsPiecesMax) return null
  return Buffer.concat(nodes.map((piece) => octetsOf(ber, piece, depth + 1)).filter((piece) => piece !== null))
}
