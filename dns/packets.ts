/**
 * Answers that were given over UDP, as they went out, by what was asked: most resolvers ask the same few things. Only plain questions are
 * known again, with or without EDNS; one with options, such as a cookie, is answered anew. Invariants: an answer is given again only while
 * its zone is the one that it was made from, and within an hour, so that its signatures are good; id and letters are those of each
 * question (RFC 1035 4.1.1; 0x20).
 */
import { type Clock, hourMs, secondMs } from '../core/process/clock.ts'
import { headerBytes } from '../core/zones/messages.ts'
import type { WireName } from '../core/zones/names.ts'
import { classes, types } from './codes.ts'
import type { SignableZone } from './dnssec.ts'

export type KnownAnswer = {
  readonly zone: SignableZone
  readonly name: WireName
  /** What the rate limit counts it as. */
  readonly subject: string
  readonly bytes: Buffer
}

type Kept = { readonly answer: KnownAnswer; readonly endsAt: number }

export type Packets = {
  get(key: string): KnownAnswer | undefined
  set(key: string, answer: KnownAnswer): void
}

/** A question that is asked often in the same form. */
export type PlainQuestion = {
  readonly key: string
  /** Where the question ends in the message. */
  readonly end: number
}

const bytesMax = 16 * 1024 * 1024
/** Counted for an answer beside its bytes and its question. */
const overheadBytes = 300
/** What was made from a zone that is gone holds it little longer. */
const keptMs = 30 * secondMs
/** How long an answer is given again. */
const answerMs = hourMs
const optBytes = 11
const labelBytesMax = 63
const nameBytesMax = 255
/** Where a key is written before it is a string. */
const keyBytes = Buffer.alloc(2 + nameBytesMax + 4 + optBytes)

/** Keeps them in two generations, of which the older one goes whole: whoever asks for ever more names costs no search for what is old. */
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

/** Reads a message as a plain question. Null: it is none, which says nothing about whether it is a message. */
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
  // Of a DS set two zones may know; transfers are for few.
  const isPlain = type !== types.DS && type !== types.AXFR && type !== types.IXFR
  if (!isPlain || packet.readUInt16BE(nameEnd + 2) !== classes.IN) return null
  return { key: keyOf(packet, nameEnd), end }
}

/** Flags, name in lower case, and all that comes after it, one character for a byte. */
function keyOf(packet: Buffer, nameEnd: number): string {
  const { length } = packet
  packet.copy(keyBytes, 0, 2, 4)
  packet.copy(keyBytes, 2, headerBytes, length)
  // Lengths of labels are no letters.
  const end = nameEnd - headerBytes + 2
  for (let at = 2; at < end; at += 1) {
    const byte = keyBytes[at]!
    if (byte >= 0x41 && byte <= 0x5a) keyBytes[at] = byte | 0x20
  }
  return keyBytes.toString('latin1', 0, length - headerBytes + 2)
}

/** The answer to a question that is the same but for its id and its letters. */
export function repeated({ bytes }: KnownAnswer, packet: Buffer, { end }: PlainQuestion): Buffer {
  const again = Buffer.allocUnsafe(bytes.length)
  bytes.copy(again)
  packet.copy(again, 0, 0, 2)
  packet.copy(again, headerBytes, headerBytes, end)
  return again
}
