/**
 * Transfers whole zones to secondaries (AXFR, RFC 5936), signed with a key shared with them. A request for an incremental transfer gets
 * the whole zone too (RFC 1995 4), or over UDP only the SOA, which makes the secondary ask over TCP.
 */
import { signatureBytes, signMessage } from '../core/zones/tsig.ts'
import { rcodes, types } from './codes.ts'
import { type SignableZone, signedSets } from './dnssec.ts'
import { type Exchange, replyTo, written } from './exchange.ts'
import { flagBits, sizeOf, writeReply } from './message.ts'
import type { QueryQuestion } from './query.ts'
import type { RrSet, ZoneIndex } from './zone-index.ts'

/** Bytes of records per message, about: a secondary reads a message whole, and pointers reach 16 KiB. */
const messageBytes = 16_000

/** Whether the client may have whole zones: a secondary in the settings that signed with one of the keys. */
export function mayTransfer({ serving, client, signature }: Exchange): boolean {
  return signature?.kind === 'verified' && serving.isSecondary(client.address)
}

/** The answer to a secondary that may have the zone. */
export function transfer(exchange: Exchange, question: QueryQuestion, zone: SignableZone): Iterable<Buffer> {
  const { client, query } = exchange
  if (question.name !== zone.origin) return [written(exchange, replyTo(exchange, rcodes.NOTAUTH))]
  const flags = query.repeatedFlags | flagBits.AA
  const isNewest = query.serial !== null && !isNewer(zone.serial, query.serial)
  if (question.type === types.IXFR && (client.over === 'udp' || isNewest))
    return [written(exchange, replyTo(exchange, rcodes.NOERROR, { flags, answers: [zone.soa] }))]
  return signedMessages(exchange, messagesOf(zone))
}

/** Serial number arithmetic (RFC 1982). */
export function isNewer(serial: number, than: number): boolean {
  return ((serial - than) | 0) > 0
}

/** The records of the zone between two SOA records, as many in each message as fit. */
function* messagesOf(zone: SignableZone): Generator<readonly RrSet[]> {
  const { soa, signer } = zone
  let sets: RrSet[] = []
  let bytes = 0
  const all = function* () {
    yield soa
    for (const set of signer === null ? setsOf(zone) : signedSets(zone, signer)) if (set !== soa) yield* split(set)
    yield soa
  }
  for (const set of all()) {
    const size = sizeOf(set)
    if (bytes > 0 && bytes + size > messageBytes) {
      yield sets
      sets = []
      bytes = 0
    }
    sets.push(set)
    bytes += size
  }
  yield sets
}

function* setsOf({ nodes }: ZoneIndex): Generator<RrSet> {
  for (const node of nodes.values()) yield* node.values()
}

/** Splits a set that is too large for one message. */
function* split(set: RrSet): Generator<RrSet> {
  if (sizeOf(set) <= messageBytes) yield set
  else for (const value of set.values) yield { ...set, values: [value] }
}

/** Each message is signed over the MAC of the one before it (RFC 8945 5.3.1). */
function* signedMessages(exchange: Exchange, messages: Iterable<readonly RrSet[]>): Generator<Buffer> {
  const { signature, query, limit, serving } = exchange
  if (signature?.kind !== 'verified') return
  const { key } = signature
  let priorMac = signature.mac
  let isLater = false
  for (const answers of messages) {
    const flags = query.repeatedFlags | flagBits.AA
    const more = { flags, answers, ...(isLater && { question: null, edns: null }) }
    const plain = writeReply(replyTo(exchange, rcodes.NOERROR, more), limit - signatureBytes(key))
    const { message, mac } = signMessage(plain, key, { at: serving.now(), priorMac, isLater })
    yield message
    priorMac = mac
    isLater = true
  }
}
