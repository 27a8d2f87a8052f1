/**
 * One DNS question on the wire (RFC 1035): over UDP, over TCP when the answer does not fit (RFC 7766), asked of each server
 * in turn. A reply counts only when it comes from the server that was asked (the socket is connected to it), over a port and
 * with an id nobody else knows, and repeats the question.
 */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIP } from 'node:net'
import { type Answer, AUTHENTIC_DATA, type DecodedPacket, decode, encode, RECURSION_DESIRED } from 'dns-packet'

export type NameServer = { readonly address: string; readonly port: number }

/** What a record of each type is. TXT: its character strings; MX as node:dns tells it. */
export type Records = {
  readonly A: string
  readonly AAAA: string
  readonly CNAME: string
  readonly MX: { readonly exchange: string; readonly priority: number }
  readonly PTR: string
  readonly TLSA: {
    readonly usage: number
    readonly selector: number
    readonly matchingType: number
    readonly certificate: Buffer
  }
  readonly TXT: readonly string[]
}
export type RecordType = keyof Records

/** A question that has no records for an answer; `code` is one of node:dns. */
export class DnsError extends Error {
  readonly code: DnsCode

  constructor(code: DnsCode, name: string, type: RecordType) {
    super(`${code} for ${type} ${name}`)
    this.name = 'DnsError'
    this.code = code
  }
}

/** ENOTFOUND: no such name; ENODATA: no such record; EBADNAME: no name at all. The others may pass. */
export type DnsCode =
  | 'ENOTFOUND'
  | 'ENODATA'
  | 'EBADNAME'
  | 'ETIMEOUT'
  | 'ESERVFAIL'
  | 'EREFUSED'
  | 'EBADRESP'
  | 'ECONNREFUSED'
  | 'EBUSY'

export type Found<T extends RecordType> = {
  readonly records: readonly Records[T][]
  /** 'ENOTFOUND' or 'ENODATA' when there are none. */
  readonly absent: 'ENOTFOUND' | 'ENODATA' | null
  /** How long that may be kept; 0: not at all. */
  readonly ttlSeconds: number
  /** Whether the server says that DNSSEC vouches for it (RFC 6840 5.7). */
  readonly secure: boolean
}

/** Of one try: short first, because most losses are of single packets. */
const tryMs = [1_500, 3_000]
/** All tries of all servers together. */
const totalMs = 8_000
const serversMax = 3
/** RFC 9715: what passes everywhere without being fragmented. */
const payloadBytes = 1_232
const tcpBytesMax = 65_535
/** CNAMEs that are followed within one answer. */
const aliasesMax = 16

/**
 * Asks for the records of a name. Fails with a `DnsError` of a kind that may pass: no server answered in time, or each of
 * them refused or failed.
 */
export async function query<T extends RecordType>(
  servers: readonly NameServer[],
  name: string,
  type: T,
): Promise<Found<T>> {
  const end = performance.now() + totalMs
  let last: DnsCode = 'ETIMEOUT'
  for (const ms of tryMs) {
    for (const server of servers.slice(0, serversMax)) {
      const left = end - performance.now()
      if (left <= 0) throw new DnsError(last, name, type)
      const reply = await ask(server, { name, type }, Math.min(ms, left))
      if (typeof reply === 'string') {
        last = reply
        continue
      }
      const code = replyCodes[rcodeOf(reply)] ?? 'EBADRESP'
      if (code === 'NOERROR' || code === 'ENOTFOUND') return foundIn(reply, name, type)
      last = code
    }
  }
  throw new DnsError(last, name, type)
}

const replyCodes: { readonly [rcode: number]: DnsCode | 'NOERROR' } = {
  0: 'NOERROR',
  2: 'ESERVFAIL',
  3: 'ENOTFOUND',
  5: 'EREFUSED',
}

type Question = { readonly name: string; readonly type: RecordType }

/** The reply of one server, or why there is none. */
async function ask(server: NameServer, question: Question, timeoutMs: number): Promise<DecodedPacket | DnsCode> {
  const id = randomInt(0x1_0000)
  const packet = encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED | AUTHENTIC_DATA,
    questions: [question],
    additionals: [
      {
        type: 'OPT',
        name: '.',
        udpPayloadSize: payloadBytes,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  })
  const end = performance.now() + timeoutMs
  const reply = await overUdp(server, packet, (bytes) => replyTo(bytes, id, question), timeoutMs)
  if (typeof reply === 'string' || !reply.flag_tc) return reply
  return overTcp(server, packet, (bytes) => replyTo(bytes, id, question), Math.max(end - performance.now(), tryMs[0]!))
}

type Read = (bytes: Buffer) => DecodedPacket | null

function overUdp(server: NameServer, packet: Buffer, read: Read, timeoutMs: number): Promise<DecodedPacket | DnsCode> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(server.address) === 6 ? 'udp6' : 'udp4')
    let over = false
    const finish = (result: DecodedPacket | DnsCode) => {
      if (over) return
      over = true
      clearTimeout(timer)
      socket.close()
      resolve(result)
    }
    const timer = setTimeout(finish, timeoutMs, 'ETIMEOUT')
    socket.on('error', (error) => finish(codeOf(error)))
    socket.on('message', (bytes) => {
      const reply = read(bytes)
      if (reply !== null) finish(reply)
    })
    // Connected: the kernel drops what others send, and tells when nobody listens there.
    socket.connect(server.port, server.address, () => socket.send(packet))
  })
}

function overTcp(server: NameServer, packet: Buffer, read: Read, timeoutMs: number): Promise<DecodedPacket | DnsCode> {
  return new Promise((resolve) => {
    const socket = connect({ host: server.address, port: server.port })
    let received = Buffer.alloc(0)
    const finish = (result: DecodedPacket | DnsCode) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    const timer = setTimeout(finish, timeoutMs, 'ETIMEOUT')
    socket.on('error', (error) => finish(codeOf(error)))
    socket.on('close', () => finish('EBADRESP'))
    socket.on('connect', () => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(packet.length)
      socket.write(Buffer.concat([length, packet]))
    })
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      const wanted = received.length < 2 ? tcpBytesMax : received.readUInt16BE(0)
      if (received.length >= wanted + 2) finish(read(received.subarray(2, wanted + 2)) ?? 'EBADRESP')
    })
  })
}

/** A packet as the reply to the question; null when it is none. */
function replyTo(bytes: Buffer, id: number, { name, type }: Question): DecodedPacket | null {
  try {
    const reply = decode(bytes)
    const [asked] = reply.questions ?? []
    const matches = reply.type === 'response' && reply.id === id && asked?.type === type && sameName(asked.name, name)
    return matches ? reply : null
  } catch {
    return null // not a DNS packet: somebody else's, or damaged
  }
}

/** The records that belong to the name, over its aliases (RFC 1034 3.6.2). */
function foundIn<T extends RecordType>(reply: DecodedPacket, name: string, type: T): Found<T> {
  const answers = reply.answers ?? []
  let owner = name
  let ttlSeconds = Number.POSITIVE_INFINITY
  if (type !== 'CNAME') {
    for (let n = 0; n < aliasesMax; n++) {
      const alias = answers.find((answer) => answer.type === 'CNAME' && sameName(answer.name, owner))
      if (alias?.type !== 'CNAME') break
      owner = alias.data
      ttlSeconds = Math.min(ttlSeconds, alias.ttl ?? 0)
    }
  }
  const own = answers.filter((answer) => answer.type === type && sameName(answer.name, owner))
  for (const answer of own) ttlSeconds = Math.min(ttlSeconds, 'ttl' in answer ? Number(answer.ttl ?? 0) : 0)
  const secure = reply.flag_ad
  const records = own.map(recordOf).filter((record) => record !== null) as Records[T][]
  if (records.length > 0) return { records, absent: null, ttlSeconds, secure }
  const absent = rcodeOf(reply) === 3 ? 'ENOTFOUND' : 'ENODATA'
  return { records, absent, ttlSeconds: Math.min(ttlSeconds, absentSeconds(reply)), secure }
}

function recordOf(answer: Answer): Records[RecordType] | null {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'PTR':
      return answer.data
    case 'MX':
      return { exchange: withoutDot(answer.data.exchange), priority: answer.data.preference ?? 0 }
    case 'TXT':
      return (Array.isArray(answer.data) ? answer.data : [answer.data]).map((text) => text.toString())
    case 'TLSA':
      return answer.data
    default:
      return null
  }
}

/** How long an absence may be kept (RFC 2308 5); without an SOA not at all. */
function absentSeconds({ authorities = [] }: DecodedPacket): number {
  for (const authority of authorities)
    if (authority.type === 'SOA') return Math.min(authority.ttl ?? 0, authority.data.minimum ?? 0)
  return 0
}

/** dns-packet names the code of a reply, but types do not tell it. */
function rcodeOf(reply: DecodedPacket): number {
  return (reply.flags ?? 0) & 0xf
}

function codeOf(error: Error): DnsCode {
  return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'ECONNREFUSED' : 'EBADRESP'
}

const withoutDot = (name: string) => (name === '.' ? '' : name.replace(/\.$/, ''))
const sameName = (a: string, b: string) => withoutDot(a).toLowerCase() === withoutDot(b).toLowerCase()
