/**
 * One question with everything except zones that its answer depends on: the client, the transport, the room for the answer, whether
 * the client's address is proven, and the signature.
 */
import {
  refuseSignature,
  signatureBytes,
  signMessage,
  type TsigKey,
  type Verdict,
  verifyMessage,
} from '../core/zones/tsig.ts'
import type { Cookies } from './cookies.ts'
import { plainUdpBytes, type Reply, type ReplyEdns, tcpBytesMax, udpBytesMax, writeReply } from './message.ts'
import type { Packets } from './packets.ts'
import { optionCodes, type Query } from './query.ts'
import type { RateLimit } from './rate-limit.ts'
import type { ZoneOf } from './zones.ts'

/** What the server uses to answer. */
export type Serving = {
  /** The zone that encloses a name most closely, at once if it is in memory. Rejects if it cannot be read. */
  readonly zoneOf: ZoneOf
  readonly cookies: Cookies
  readonly rateLimit: RateLimit
  readonly packets: Packets
  readonly transferKeys: readonly TsigKey[]
  /** Whether an address is one of the secondaries. */
  isSecondary(address: string): boolean
  /** How long a connection may be idle. */
  readonly idleSeconds: number
  now(): Date
}

export type Client = { readonly address: string; readonly over: 'udp' | 'tcp' }

/** The answer to one packet: one message, several for a transfer, or none, which is silence. */
export type Messages = Iterable<Buffer>
export type Answering = (packet: Buffer, client: Client) => Messages | Promise<Messages>

export type Exchange = {
  readonly serving: Serving
  readonly query: Query
  readonly client: Client
  readonly signature: Verdict | null
  /** Whether the sender has proven that the address is its own. It is then no victim of forgery, and not rate-limited. */
  readonly isSure: boolean
  /** Bytes that one message of the answer may have. */
  readonly limit: number
}

const dnssecOkFlag = 0x8000
const compactOkFlag = 0x4000

export function exchangeOf(serving: Serving, packet: Buffer, query: Query, client: Client): Exchange {
  const { edns } = query
  const signature = query.isSigned ? verifyMessage(packet, { at: serving.now(), keys: serving.transferKeys }) : null
  const hasCookie = edns !== null && edns.cookie !== null && serving.cookies.isValid(edns.cookie, client.address)
  const udpLimit = Math.min(Math.max(edns?.udpBytes ?? 0, plainUdpBytes), udpBytesMax)
  return {
    serving,
    query,
    client,
    signature,
    isSure: client.over === 'tcp' || hasCookie || signature?.kind === 'verified',
    limit: client.over === 'tcp' ? tcpBytesMax : udpLimit,
  }
}

/** A reply without records, unless `more` adds some. `isCompact`: absences are proven by compact denial. */
export function replyTo(
  { serving, query, client }: Exchange,
  rcode: number,
  { isCompact = false, ...more }: Partial<Reply> & { readonly isCompact?: boolean } = {},
): Reply {
  const edns = query.edns === null ? null : ednsOf(serving, query, { client, isCompact })
  return { id: query.id, flags: query.repeatedFlags, rcode, question: query.question, edns, ...more }
}

/** The reply on the wire, signed if its question was. If the question's signature was refused, says why (RFC 8945 5.3). */
export function written({ serving, signature, limit }: Exchange, reply: Reply): Buffer {
  const at = serving.now()
  if (signature?.kind === 'verified') {
    const { key, mac: priorMac } = signature
    return signMessage(writeReply(reply, limit - signatureBytes(key)), key, { at, priorMac }).message
  }
  const plain = writeReply(reply, limit)
  if (signature?.kind !== 'refused') return plain
  const { error, verified, signature: theirs } = signature
  if (error !== 'BADTIME' || verified === null) return refuseSignature(plain, error, theirs)
  const badTime = { askedAtSeconds: theirs.signedAtSeconds }
  return signMessage(plain, verified.key, { at, priorMac: verified.mac, badTime }).message
}

function ednsOf(
  { cookies, idleSeconds }: Serving,
  { edns }: Query,
  { client: { address, over }, isCompact }: { readonly client: Client; readonly isCompact: boolean },
): ReplyEdns {
  const options: Buffer[] = []
  if (edns?.cookie != null) options.push(option(optionCodes.COOKIE, cookies.answer(edns.cookie, address)))
  if (edns?.keepsAlive === true && over === 'tcp') {
    const tenths = Buffer.alloc(2)
    tenths.writeUInt16BE(idleSeconds * 10)
    options.push(option(optionCodes.KEEPALIVE, tenths))
  }
  const compactOk = isCompact && edns?.compactOk === true ? compactOkFlag : 0
  return { flags: edns?.dnssecOk === true ? dnssecOkFlag | compactOk : 0, options: Buffer.concat(options) }
}

function option(code: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(code, 0)
  head.writeUInt16BE(data.length, 2)
  return Buffer.concat([head, data])
}
