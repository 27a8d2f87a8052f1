/**
 * One DNS query on the wire (RFC 1035): over UDP, and over TCP when the answer does not fit (RFC 7766), tried at each
 * server in turn. A reply is accepted only when it comes from the queried server (the socket is connected to it), to a
 * random port and with a random id, and repeats the question.
 */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIP } from 'node:net'
import { type Answer, AUTHENTIC_DATA, type DecodedPacket, decode, encode, RECURSION_DESIRED } from 'dns-packet'

export type NameServer = { readonly address: string; readonly port: number }

/** The value of a record, by type. TXT: its character strings; MX: as in node:dns. */
export type Records = {
  readonly A: string
  readonly AAAA: string
  readonly CNAME: string
  readonly DS: {
    readonly keyTag: number
    readonly algorithm: number
    readonly digestType: number
    readonly digest: Buffer
  }
  readonly MX: { readonly exchange: string; readonly priority: number }
  readonly NS: string
  readonly PTR: string
  readonly SRV: {
    readonly priority: number
    readonly weight: number
    readonly port: number
    readonly target: string
  }
  readonly TLSA: {
    readonly usage: number
    readonly selector: number
    readonly matchingType: number
    readonly certificate: Buffer
  }
  readonly TXT: readonly string[]
}
export type RecordType = keyof Records

/** A query that found no records; `code` is one of the codes of node:dns. */
export class DnsError extends Error {
  readonly code: DnsCode

  constructor(code: DnsCode, name: string, type: RecordType) {
    super(`${code} for ${type} ${name}`)
    this.name = 'DnsError'
    this.code = code
  }
}

/**
 * ENOTFOUND: the name does not exist; ENODATA: the name has no such record; EBADNAME: not a valid name. The other codes
 * are temporary failures.
 */
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

export type DnsRecords<T extends RecordType> = {
  readonly records: readonly Records[T][]
  /** 'ENOTFOUND' or 'ENODATA' when there are none. */
  readonly absent: 'ENOTFOUND' | 'ENODATA' | null
  /** How long the answer may be cached; 0: not at all. */
  readonly ttlSeconds: number
  /** Whether the server validated the answer with DNSSEC (RFC 6840 5.7). */
  readonly secure: boolean
}

/** Timeouts of the first and second round over all servers. The first is short, because usually just one packet was lost. */
const tryMs = [1_500, 3_000]
/** Timeout for all tries at all servers together; a last try over TCP may take up to the first of `tryMs` longer. */
const totalMs = 8_000
const serversMax = 3
/** UDP payload that every network carries without fragmentation (RFC 9715). */
const payloadBytes = 1_232
const tcpBytesMax = 65_535
/** How many CNAMEs are followed within one answer. */
const cnamesMax = 16

/**
 * Queries the servers for the records of a name. Fails with a temporary `DnsError` if no server answered in time, or
 * each of them refused or failed.
 */
export async function query<T extends RecordType>(
  servers: readonly NameServer[],
  name: string,
  type: T,
): Promise<DnsRecords<T>> {
  const end = performance.now() + totalMs
  let last: DnsCode = 'ETIMEOUT'
  for (const ms of tryMs) {
    for (const server of servers.slice(0, serversMax)) {
      const leftMs = end - performance.now()
      if (leftMs <= 0) throw new DnsError(last, name, type)
      const reply = await askServer(server, { name, type }, Math.min(ms, leftMs))
      if (typeof reply === 'string') {
        last = reply
        continue
      }
      const code = replyCodes[rcodeOf(reply)] ?? 'EBADRESP'
      if (code === 'NOERROR' || code === 'ENOTFOUND') return recordsIn(reply, name, type)
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

type DnsQuestion = { readonly name: string; readonly type: RecordType }

/** Queries one server. Returns its reply, or a code that says why there is none. */
async function askServer(
  server: NameServer,
  question: DnsQuestion,
  timeoutMs: number,
): Promise<DecodedPacket | DnsCode> {
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

type ReadReply = (bytes: Buffer) => DecodedPacket | null

function overUdp(
  server: NameServer,
  packet: Buffer,
  read: ReadReply,
  timeoutMs: number,
): Promise<DecodedPacket | DnsCode> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(server.address) === 6 ? 'udp6' : 'udp4')
    let isFinished = false
    const finish = (result: DecodedPacket | DnsCode) => {
      if (isFinished) return
      isFinished = true
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
    // On a connected socket the kernel drops packets of other senders and reports if no server listens on the port.
    socket.connect(server.port, server.address, () => socket.send(packet))
  })
}

function overTcp(
  server: NameServer,
  packet: Buffer,
  read: ReadReply,
  timeoutMs: number,
): Promise<DecodedPacket | DnsCode> {
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

/** Decodes a packet. Returns it if it is the reply to the question, else null. */
function replyTo(bytes: Buffer, id: number, { name, type }: DnsQuestion): DecodedPacket | null {
  try {
    const reply = decode(bytes)
    const [asked] = reply.questions ?? []
    const matches = reply.type === 'response' && reply.id === id && asked?.type === type && sameName(asked.name, name)
    return matches ? reply : null
  } catch {
    return null // not a valid DNS packet: ignored, like a reply to another question
  }
}

/** The records of a name in a reply, following CNAMEs within it (RFC 1034 3.6.2). */
function recordsIn<T extends RecordType>(reply: DecodedPacket, name: string, type: T): DnsRecords<T> {
  const answers = reply.answers ?? []
  let owner = name
  let ttlSeconds = Number.POSITIVE_INFINITY
  if (type !== 'CNAME') {
    for (let n = 0; n < cnamesMax; n++) {
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
    case 'NS':
    case 'PTR':
      return answer.data
    case 'MX':
      return { exchange: withoutDot(answer.data.exchange), priority: answer.data.preference ?? 0 }
    case 'TXT':
      return (Array.isArray(answer.data) ? answer.data : [answer.data]).map((text) => text.toString())
    case 'SRV': {
      const { priority = 0, weight = 0, port, target } = answer.data
      return { priority, weight, port, target: withoutDot(target) }
    }
    case 'DS':
    case 'TLSA':
      return answer.data
    default:
      return null
  }
}

/** How long a negative answer may be cached (RFC 2308 5); not at all without an SOA record. */
function absentSeconds({ authorities = [] }: DecodedPacket): number {
  for (const authority of authorities)
    if (authority.type === 'SOA') return Math.min(authority.ttl ?? 0, authority.data.minimum ?? 0)
  return 0
}

/** The RCODE of a reply, which the types of dns-packet leave out. */
function rcodeOf(reply: DecodedPacket): number {
  return (reply.flags ?? 0) & 0xf
}

function codeOf(error: Error): DnsCode {
  return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'ECONNREFUSED' : 'EBADRESP'
}

const withoutDot = (name: string) => (name === '.' ? '' : name.replace(/\.$/, ''))
const sameName = (a: string, b: string) => withoutDot(a).toLowerCase() === withoutDot(b).toLowerCase()
