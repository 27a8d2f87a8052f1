/** Reads answers and verifies their signatures like a resolver, without using our code for it. */
import { createPublicKey, verify } from 'node:crypto'
import { type Answer, decode, encode } from 'dns-packet'
import { recordsOf } from '../../core/zones/messages.ts'
import { readName } from '../../core/zones/names.ts'
import { types } from '../../dns/codes.ts'

/** A record as a resolver decodes it from the wire. */
export type WireRecord = {
  readonly owner: string
  readonly type: number
  readonly ttl: number
  readonly data: Buffer
  readonly section: string
}

const withNames = new Set<number>([types.NS, types.CNAME, types.MX, types.SOA])

export function wireRecords(bytes: Buffer): readonly WireRecord[] {
  const decoded = decode(bytes)
  const all = [...(decoded.answers ?? []), ...(decoded.authorities ?? []), ...(decoded.additionals ?? [])]
  return recordsOf(bytes)!.map(({ at, start, end, section }, n) => {
    const type = bytes.readUInt16BE(start)
    // dns-packet does not compress names.
    const plain = () => encode({ answers: [{ ...all[n], name: '.' } as Answer] }).subarray(12 + 1 + 10)
    const data = withNames.has(type) ? plain() : bytes.subarray(start + 10, end)
    return { owner: readName(bytes, at)!.name, type, ttl: bytes.readUInt32BE(start + 4), data, section }
  })
}

/** Returns the key tag for the data of a DNSKEY record (RFC 4034 appendix B). */
export function tagOf(dnskey: Buffer): number {
  const words = [...dnskey].map((byte, n) => (n % 2 === 0 ? byte << 8 : byte))
  const sum = words.reduce((total, word) => total + word, 0)
  return (sum + (sum >>> 16)) & 0xffff
}

type By = {
  /** The zone's name on the wire. */
  readonly zone: string
  readonly dnskey: Buffer
  readonly at: Date
}

/** Whether a signature of a set of records is correct, made with the zone's key, and valid at the time (RFC 4035 5.3). */
export function isSignedBy(set: readonly WireRecord[], signature: Buffer, { zone, dnskey, at }: By): boolean {
  const signer = readName(signature, 18)!
  const [inception, expiration] = [signature.readUInt32BE(12), signature.readUInt32BE(8)]
  const seconds = at.getTime() / 1_000
  const isTheirs = signer.name === zone && signature.readUInt16BE(16) === tagOf(dnskey) && signature[2] === 13
  if (!isTheirs || inception > seconds || expiration < seconds) return false
  const rows = set
    .map(({ data }) => data)
    .sort(Buffer.compare)
    .map((data) => {
      const head = Buffer.alloc(10)
      signature.copy(head, 0, 0, 2)
      head.writeUInt16BE(1, 2)
      signature.copy(head, 4, 4, 8)
      head.writeUInt16BE(data.length, 8)
      return Buffer.concat([Buffer.from(set[0]!.owner, 'latin1'), head, data])
    })
  const signed = Buffer.concat([signature.subarray(0, signer.end), ...rows])
  const [x, y] = [dnskey.subarray(4, 36), dnskey.subarray(36)].map((half) => half.toString('base64url'))
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' })
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature.subarray(signer.end))
}
