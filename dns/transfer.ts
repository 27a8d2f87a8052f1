/**
 * Whole zones for secondaries (AXFR, RFC 5936), signed by a key they share with us. A question for changes is answered with the whole
 * zone too (RFC 1995 4), by UDP with the SOA alone, which sends the secondary to TCP.
 */
import { signatureBytes, signMessage } from '../core/zones/tsig.ts'
import { rcodes, types } from './codes.ts'
import { type SignableZone, signedSets } from './dnssec.ts'
import { type Exchange, replyTo, written } from './exchange.ts'
import { flagBits, sizeOf, writeReply } from './message.ts'
import type { QueryQuestion } from './query.ts'
import type { RrSet, ZoneIndex } from './zone-index.ts'

/** One message holds about so much: a secondary reads it whole, and pointers reach 16 KiB. */
const messageBytes = 16_000

/** Whether the zones are for the sender: a secondary of the settings that signed with one of the keys. */
export function mayTransfer({ serving, client, signature }: Exchange): boolean {
  return signature?.kind === 'verified' && serving.isSecondary(client.address)
}

/** What a secondary is answered that may have the zone. */
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

/** The records of the zone between two SOA records, as much for each message as fits it. */
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

/** A set that is too large for a message, as several. */
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
