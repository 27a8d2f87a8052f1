/**
 * Reads a DNS message from a stranger as a question to this server. Bytes that are not a message, and replies, are ignored; messages
 * that break the rules are answered with a header only. Takes time linear in the length, and copies only the name.
 */
import { headerBytes, type RecordPlace, recordsOf } from '../core/zones/messages.ts'
import { afterName, lowerCase, readName, type WireName } from '../core/zones/names.ts'
import { opcodes, rcodes, types } from './codes.ts'

export type Query = {
  readonly id: number
  readonly opcode: number
  /** The flags RD and CD, which the answer repeats. */
  readonly repeatedFlags: number
  /** Null if there is none, as in a request for a cookie (RFC 7873 5.4). */
  readonly question: QueryQuestion | null
  readonly edns: Edns | null
  readonly isSigned: boolean
  /** The serial that the client has, in a request for incremental transfer (RFC 1995 3). */
  readonly serial: number | null
}

export type QueryQuestion = {
  readonly name: WireName
  readonly type: number
  readonly class: number
  /** The bytes as received, so that the answer repeats its letter case. */
  readonly bytes: Buffer
}

/** The contents of the OPT record (RFC 6891). */
export type Edns = {
  readonly udpBytes: number
  readonly version: number
  readonly dnssecOk: boolean
  /** Whether NXDOMAIN may be used with compact denial (RFC 9824 5.1). */
  readonly compactOk: boolean
  readonly cookie: Buffer | null
  /** Whether the client asks how long a connection may be idle (RFC 7828). */
  readonly keepsAlive: boolean
}

/** A message that is answered with a header only. */
export type Misread = Pick<Query, 'id' | 'opcode' | 'repeatedFlags'> & { readonly rcode: number }

const QR = 0x8000
const RD = 0x0100
const CD = 0x0010
const DO = 0x8000
const CO = 0x4000
export const optionCodes = { COOKIE: 10, KEEPALIVE: 11 } as const
/** RFC 7873 4: the client's half, alone or with a server's half of 8 to 32 bytes. */
const clientCookieBytes = 8
const cookieBytesMin = 16
const cookieBytesMax = 40

export function readQuery(bytes: Buffer): Query | Misread | 'silence' {
  if (bytes.length < headerBytes) return 'silence'
  const flags = bytes.readUInt16BE(2)
  if ((flags & QR) !== 0) return 'silence' // two servers would answer each other forever
  const header = { id: bytes.readUInt16BE(0), opcode: (flags >> 11) & 0xf, repeatedFlags: flags & (RD | CD) }
  if (header.opcode !== opcodes.QUERY) return { ...header, rcode: rcodes.NOTIMP }
  return readBody(bytes, header) ?? { ...header, rcode: rcodes.FORMERR }
}

function readBody(bytes: Buffer, header: Pick<Query, 'id' | 'opcode' | 'repeatedFlags'>): Query | null {
  const questions = bytes.readUInt16BE(4)
  if (questions > 1) return null // RFC 9619 4
  const records = recordsOf(bytes)
  const question = questions === 0 ? null : readQuestion(bytes)
  if (records === null || (questions === 1 && question === null)) return null
  const end = records.at(-1)?.end ?? headerBytes + (question?.bytes.length ?? 0)
  if (end !== bytes.length) return null
  let edns: Edns | null = null
  let isSigned = false
  let serial: number | null = null
  for (const record of records) {
    const type = bytes.readUInt16BE(record.start)
    if (record.section === 'answer') return null
    if (record.section === 'authority') {
      serial = question?.type === types.IXFR && type === types.SOA ? serialAt(bytes, record) : null
      if (serial === null) return null
    }
    if (type === types.TSIG) isSigned = true
    if (type !== types.OPT) continue
    // RFC 6891 6.1.1: at most one, in the additional section, with the root as its name.
    if (edns !== null || record.section !== 'additional') return null
    edns = readEdns(bytes, record)
    if (edns === null) return null
  }
  if (question === null && edns?.cookie == null) return null
  return { ...header, question, edns, isSigned, serial }
}

/** Reads the question. Its name cannot be compressed: there is no earlier name that a pointer could lead to. */
function readQuestion(bytes: Buffer): QueryQuestion | null {
  const read = readName(bytes, headerBytes)
  if (read === null || read.end - headerBytes !== read.name.length || read.end + 4 > bytes.length) return null
  return {
    name: lowerCase(read.name),
    type: bytes.readUInt16BE(read.end),
    class: bytes.readUInt16BE(read.end + 2),
    bytes: bytes.subarray(headerBytes, read.end + 4),
  }
}

/** The serial of an SOA record, which follows the names of its server and mailbox. */
function serialAt(bytes: Buffer, { start, end }: RecordPlace): number | null {
  const server = afterName(bytes, start + 10)
  const at = server === null ? null : afterName(bytes, server)
  return at === null || at + 20 !== end ? null : bytes.readUInt32BE(at)
}

function readEdns(bytes: Buffer, { at, start, end }: RecordPlace): Edns | null {
  if (start !== at + 1) return null
  const flags = bytes.readUInt16BE(start + 6)
  let cookie: Buffer | null = null
  let keepsAlive = false
  for (let n = start + 10; n < end; ) {
    if (n + 4 > end) return null
    const code = bytes.readUInt16BE(n)
    const next = n + 4 + bytes.readUInt16BE(n + 2)
    if (next > end) return null
    if (code === optionCodes.KEEPALIVE) keepsAlive = true
    if (code === optionCodes.COOKIE) {
      cookie = bytes.subarray(n + 4, next)
      const { length } = cookie
      if (length !== clientCookieBytes && (length < cookieBytesMin || length > cookieBytesMax)) return null
    }
    n = next
  }
  return {
    udpBytes: bytes.readUInt16BE(start + 2),
    version: bytes[start + 5]!,
    dnssecOk: (flags & DO) !== 0,
    compactOk: (flags & CO) !== 0,
    cookie,
    keepsAlive,
  }
}
