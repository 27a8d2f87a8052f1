/**
 * Writes answers. Names are compressed where every reader must expect it (RFC 3597 4), so that more fits into a packet. Additional
 * records that do not fit are left out; otherwise the answer is truncated (TC), and the client asks again over TCP.
 */
import { parentOf, rootName, type WireName } from '../core/zones/names.ts'
import { classes, types } from './codes.ts'
import type { QueryQuestion } from './query.ts'
import type { RrSet } from './zone-index.ts'

export type Reply = {
  readonly id: number
  /** Opcode and flags; QR is added. */
  readonly flags: number
  /** May have more than four bits if there is EDNS (RFC 6891 6.1.3). */
  readonly rcode: number
  /** The question, repeated byte for byte; null if there was none. */
  readonly question: Pick<QueryQuestion, 'name' | 'bytes'> | null
  readonly answers?: readonly RrSet[]
  readonly authorities?: readonly RrSet[]
  readonly additionals?: readonly RrSet[]
  /** Whether the answer is useless without the additional records (RFC 9471). */
  readonly needsAdditionals?: boolean
  readonly edns: ReplyEdns | null
}

export type ReplyEdns = {
  readonly flags: number
  /** Options in wire form. */
  readonly options: Buffer
}

/** The largest UDP packet that we accept, announced in OPT; every network carries it whole (RFC 9715). */
export const udpBytesMax = 1_232
/** The largest UDP packet without EDNS (RFC 1035 4.2.1). */
export const plainUdpBytes = 512
export const tcpBytesMax = 65_535
export const flagBits = { AA: 0x0400, TC: 0x0200, QR: 0x8000, opcodeShift: 11 } as const
const headerBytes = 12
const optBytes = 11
/** The highest offset that a pointer can hold in its 14 bits. */
const pointerMax = 0x3fff

/** Writes the message, at most `limit` bytes long unless the question and the OPT record alone are longer. */
export function writeReply(reply: Reply, limit: number): Buffer {
  const { answers = [], authorities = [], additionals = [], edns } = reply
  const sets = [...answers, ...authorities, ...additionals]
  const head = headerBytes + (reply.question?.bytes.length ?? 0) + (edns === null ? 0 : optBytes + edns.options.length)
  const wanted = sets.reduce((sum, set) => sum + sizeOf(set), head)
  const writer = new Writer(reply, Math.max(head, Math.min(wanted, limit)))
  const isWhole =
    writer.sets('answers', answers) &&
    writer.sets('authorities', authorities) &&
    (writer.extras(additionals) || reply.needsAdditionals !== true)
  if (!isWhole) writer.cut()
  return writer.end()
}

/** The bytes of a set without compression: at least what it takes when written. */
export function sizeOf({ owner, values }: RrSet): number {
  let bytes = 0
  for (const value of values) {
    bytes += owner.length + 10
    for (const part of value) bytes += part.length
  }
  return bytes
}

const sectionCounts = { answers: 6, authorities: 8, additionals: 10 } as const
type Section = keyof typeof sectionCounts

class Writer {
  readonly #reply: Reply
  readonly #bytes: Buffer
  readonly #limit: number
  /** Offsets of names, and of the ends of names, that were written. */
  readonly #names = new Map<WireName, number>()
  #at: number

  constructor(reply: Reply, bytes: number) {
    const { id, flags, rcode, question, edns } = reply
    this.#reply = reply
    this.#bytes = Buffer.allocUnsafe(bytes)
    this.#limit = bytes - (edns === null ? 0 : optBytes + edns.options.length)
    this.#bytes.fill(0, 0, headerBytes)
    this.#bytes.writeUInt16BE(id, 0)
    this.#bytes.writeUInt16BE(flagBits.QR | flags | (rcode & 0xf), 2)
    this.#at = headerBytes
    if (question === null) return
    this.#bytes.writeUInt16BE(1, 4)
    this.#at += question.bytes.copy(this.#bytes, headerBytes)
    this.#note(question.name, headerBytes)
  }

  /** Writes all sets; returns false if they do not fit. */
  sets(section: Section, sets: readonly RrSet[]): boolean {
    for (const set of sets) if (!this.#set(section, set)) return false
    return true
  }

  /** Writes the sets that fit. Returns whether all did. */
  extras(sets: readonly RrSet[]): boolean {
    let all = true
    for (const set of sets) {
      const before = this.#at
      const count = this.#bytes.readUInt16BE(sectionCounts.additionals)
      if (this.#set('additionals', set)) continue
      all = false
      this.#at = before
      this.#bytes.writeUInt16BE(count, sectionCounts.additionals)
      for (const [name, place] of this.#names) if (place >= before) this.#names.delete(name)
    }
    return all
  }

  /** Drops everything but the question, and sets TC. */
  cut(): void {
    for (const offset of Object.values(sectionCounts)) this.#bytes.writeUInt16BE(0, offset)
    this.#bytes.writeUInt16BE(this.#bytes.readUInt16BE(2) | flagBits.TC, 2)
    this.#at = headerBytes + (this.#reply.question?.bytes.length ?? 0)
  }

  end(): Buffer {
    const { edns, rcode } = this.#reply
    if (edns !== null) {
      const { flags, options } = edns
      const bytes = this.#bytes
      let at = this.#at
      bytes[at] = 0
      at = bytes.writeUInt16BE(types.OPT, at + 1)
      at = bytes.writeUInt16BE(udpBytesMax, at)
      at = bytes.writeUInt16BE((rcode >> 4) << 8, at)
      at = bytes.writeUInt16BE(flags, at)
      at = bytes.writeUInt16BE(options.length, at)
      this.#at = at + options.copy(bytes, at)
      bytes.writeUInt16BE(bytes.readUInt16BE(10) + 1, 10)
    }
    return this.#bytes.subarray(0, this.#at)
  }

  #set(section: Section, { owner, type, ttlSeconds, values }: RrSet): boolean {
    const offset = sectionCounts[section]
    for (const value of values) {
      if (!this.#name(owner) || this.#at + 10 > this.#limit) return false
      this.#at = this.#bytes.writeUInt16BE(type, this.#at)
      this.#at = this.#bytes.writeUInt16BE(classes.IN, this.#at)
      this.#at = this.#bytes.writeUInt32BE(ttlSeconds, this.#at)
      const start = this.#at
      this.#at += 2
      for (const part of value) {
        if (typeof part === 'string' ? !this.#name(part) : !this.#copy(part)) return false
      }
      this.#bytes.writeUInt16BE(this.#at - start - 2, start)
      this.#bytes.writeUInt16BE(this.#bytes.readUInt16BE(offset) + 1, offset)
    }
    return true
  }

  #copy(part: Buffer): boolean {
    if (this.#at + part.length > this.#limit) return false
    this.#at += part.copy(this.#bytes, this.#at)
    return true
  }

  /** Writes a name: labels, then a pointer to where the rest of it was written already. */
  #name(name: WireName): boolean {
    let rest = name
    let place = this.#names.get(rest)
    while (place === undefined && rest !== rootName) {
      rest = parentOf(rest)
      place = this.#names.get(rest)
    }
    const own = name.length - rest.length
    if (this.#at + own + (place === undefined ? 1 : 2) > this.#limit) return false
    this.#note(name, this.#at, rest)
    this.#at += this.#bytes.write(name, this.#at, own, 'latin1')
    this.#at =
      place === undefined ? this.#bytes.writeUInt8(0, this.#at) : this.#bytes.writeUInt16BE(0xc000 | place, this.#at)
    return true
  }

  /** Notes the offset of a name, and of each of its ends down to one that is already known. */
  #note(name: WireName, at: number, known: WireName = rootName): void {
    for (let rest = name; rest !== known && rest !== rootName; rest = parentOf(rest)) {
      const place = at + name.length - rest.length
      if (place <= pointerMax) this.#names.set(rest, place)
    }
  }
}
