/**
 * A cache of answers over UDP, as they were sent, by question: most resolvers ask the same few questions. Only plain questions are
 * cached, with or without EDNS; a question with options, such as a cookie, is always answered anew. Invariants: an answer is repeated
 * only while its zone is the one it was made from, and for at most an hour, so that its signatures are valid. The id and the letter case
 * are those of each question (RFC 1035 4.1.1; 0x20).
 */
import { type Clock, hourMs, secondMs } from '../core/process/clock.ts'
import { headerBytes } from '../core/zones/messages.ts'
import type { WireName } from '../core/zones/names.ts'
import { classes, types } from './codes.ts'
import type { SignableZone } from './dnssec.ts'

export type KnownAnswer = {
  readonly zone: SignableZone
  readonly name: WireName
  /** The subject under which the rate limit counts it. */
  readonly subject: string
  readonly bytes: Buffer
}

type Kept = { readonly answer: KnownAnswer; readonly endsAt: number }

export type Packets = {
  get(key: string): KnownAnswer | undefined
  set(key: string, answer: KnownAnswer): void
}

/** A question without options, which many clients ask in the same form. */
export type PlainQuestion = {
  readonly key: string
  /** Where the question ends in the message. */
  readonly end: number
}

const bytesMax = 16 * 1024 * 1024
/** Overhead counted per answer, in addition to its bytes and its key. */
const overheadBytes = 300
/** The longest time a generation grows, so that answers made from an old zone do not keep it in memory for long. */
const keptMs = 30 * secondMs
/** How long an answer may be repeated. */
const answerMs = hourMs
const optBytes = 11
const labelBytesMax = 63
const nameBytesMax = 255
/** The buffer in which a key is assembled. */
const keyBytes = Buffer.alloc(2 + nameBytesMax + 4 + optBytes)

/** Keeps answers in two generations and drops the older one whole, so that no search for old entries is needed. */
export function createPackets(clock: Clock): Packets {
  let young = new Map<string, Kept>()
  let old = new Map<string, Kept>()
  let bytes = 0
  let endsAt = 0
  const keep = (key: string, kept: Kept, now: number) => {
    if (bytes >= bytesMax / 2 || now >= endsAt) {
      old = young
      young = new Map()
      bytes = 0
      endsAt = now + keptMs
    }
    young.set(key, kept)
    bytes += overheadBytes + kept.answer.bytes.length + key.length
  }
  return {
    get(key) {
      const now = clock.now().getTime()
      const recent = young.get(key)
      const kept = recent ?? old.get(key)
      if (kept === undefined || kept.endsAt <= now) return undefined
      if (recent === undefined) keep(key, kept, now)
      return kept.answer
    },
    set(key, answer) {
      const now = clock.now().getTime()
      keep(key, { answer, endsAt: now + answerMs }, now)
    },
  }
}

/** Reads a message as a plain question; null if it is not one, even if it is a valid message. */
export function plainQuestion(packet: Buffer): PlainQuestion | null {
  const { length } = packet
  // A query with one question, no answers and at most an OPT record.
  if (length < headerBytes || packet[2]! >= 0x08 || packet[4] !== 0 || packet[5] !== 1) return null
  for (const zero of [6, 7, 8, 9, 10]) if (packet[zero] !== 0) return null
  let at = headerBytes
  for (let label = packet[at]!; label > 0; label = packet[at]!) {
    at += label + 1
    if (label > labelBytesMax || at >= length || at >= headerBytes + nameBytesMax) return null
  }
  const nameEnd = at + 1
  const end = nameEnd + 4
  const hasOpt = packet[11] === 1
  if (end + (hasOpt ? optBytes : 0) !== length || (!hasOpt && packet[11] !== 0)) return null
  if (hasOpt && (packet[end] !== 0 || packet[end + 1] !== 0 || packet[end + 2] !== types.OPT)) return null
  const type = packet.readUInt16BE(nameEnd)
  // A DS set may come from either of two zones, and transfers are only for some clients.
  const isPlain = type !== types.DS && type !== types.AXFR && type !== types.IXFR
  if (!isPlain || packet.readUInt16BE(nameEnd + 2) !== classes.IN) return null
  return { key: keyOf(packet, nameEnd), end }
}

/** The key: the flags, the name in lower case, and everything after it, as one character per byte. */
function keyOf(packet: Buffer, nameEnd: number): string {
  const { length } = packet
  packet.copy(keyBytes, 0, 2, 4)
  packet.copy(keyBytes, 2, headerBytes, length)
  // The length bytes of labels are below the letters, so they are unchanged.
  const end = nameEnd - headerBytes + 2
  for (let at = 2; at < end; at += 1) {
    const byte = keyBytes[at]!
    if (byte >= 0x41 && byte <= 0x5a) keyBytes[at] = byte | 0x20
  }
  return keyBytes.toString('latin1', 0, length - headerBytes + 2)
}

/** The cached answer, with the id and the letter case of this question. */
export function repeated({ bytes }: KnownAnswer, packet: Buffer, { end }: PlainQuestion): Buffer {
  const again = Buffer.allocUnsafe(bytes.length)
  bytes.copy(again)
  packet.copy(again, 0, 0, 2)
  packet.copy(again, headerBytes, headerBytes, end)
  return again
}
