/** The types of record that a zone may hold: how a value is written, and what of it goes on the wire. */
import type { ZoneRecordDoc } from '../../store/documents/domains.ts'

/** A record as it is served; `data` is what dns-packet encodes. */
export type ZoneRecord = {
  /** Absolute, in lower-case A-labels, without the final dot. */
  readonly name: string
  readonly ttlSeconds: number
} & RecordData

export type RecordData =
  | { readonly type: 'A' | 'AAAA' | 'CNAME' | 'NS'; readonly data: string }
  | { readonly type: 'MX'; readonly data: { readonly preference: number; readonly exchange: string } }
  | { readonly type: 'TXT'; readonly data: readonly Buffer[] }
  | {
      readonly type: 'SRV'
      readonly data: {
        readonly priority: number
        readonly weight: number
        readonly port: number
        readonly target: string
      }
    }
  | { readonly type: 'CAA'; readonly data: { readonly flags: number; readonly tag: CaaTag; readonly value: string } }

export type CaaTag = 'issue' | 'issuewild' | 'iodef'

/** A character string of a TXT record (RFC 1035 3.3). */
const stringBytesMax = 255

/** A stored record as it is served in the zone of `origin`. */
export function servedRecord(origin: string, record: ZoneRecordDoc): ZoneRecord {
  const name = record.name === '@' ? origin : `${record.name}.${origin}`
  return { name, ttlSeconds: record.ttlSeconds, ...dataOf(record) }
}

function dataOf({ type, value, priority }: ZoneRecordDoc): RecordData {
  switch (type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'NS':
      return { type, data: value }
    case 'MX':
      return { type, data: { preference: priority ?? 0, exchange: value } }
    case 'TXT':
      return { type, data: characterStrings(value) }
    case 'SRV': {
      const [weight, port, target = ''] = value.split(' ')
      return { type, data: { priority: priority ?? 0, weight: Number(weight), port: Number(port), target } }
    }
    case 'CAA': {
      const [, flags, tag, text = ''] = /^(\d+) (\S+) "(.*)"$/.exec(value) ?? []
      return { type, data: { flags: Number(flags), tag: tag as CaaTag, value: text } }
    }
  }
}

/** The text of a TXT record as character strings; an empty text is one empty string. */
export function characterStrings(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text)
  const strings: Buffer[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += stringBytesMax)
    strings.push(bytes.subarray(at, at + stringBytesMax))
  return strings
}
