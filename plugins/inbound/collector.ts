/**
 * Keeps the bytes of one message as they came. Invariants: `finish()` returns the content of DATA byte for byte, without the
 * stuffed dots and the final dot; its blocks count against the budget until `release()` (while the blocks of a message are
 * joined, it is in memory twice); after a refusal no bytes are held.
 */
import { normaliseAddress } from '../../mail/message/address.ts'
import { joined } from '../../mail/slices.ts'
import type { Reply } from '../hook.ts'

type Limits = {
  readonly messageBytes: number
  readonly headerBytes: number
  readonly headerCount: number
  readonly hops: number
}

export const tooLarge: Reply = { code: 552, enhanced: '5.3.4', text: 'Message too large' }
const headerTooLarge: Reply = { code: 552, enhanced: '5.3.4', text: 'Message header too large' }
const tooManyFields: Reply = { code: 552, enhanced: '5.3.4', text: 'Too many header fields' }
export const noRoom: Reply = { code: 452, enhanced: '4.3.1', text: 'Too much mail at once, try again later' }
export const loop: Reply = { code: 554, enhanced: '5.4.6', text: 'Too many hops, this is a mail loop' }

const [lf, cr, dot] = [0x0a, 0x0d, 0x2e] as const
const firstBlockBytes = 16 * 1024
const blockBytesMax = 1024 * 1024

/** A message on its way in that holds so much has to go on coming while others need room. */
const largeBytes = 256 * 1024
/** For so long it may take no more; against clients who fill all room with mail that they never end. */
const stalledMs = 60_000

/** A message on its way in. */
type Holder = {
  readonly heldBytes: number
  /** Gives its room back; it is refused for now. */
  giveUp(): void
}

/**
 * Bytes that all collectors of the process may hold together. Where they are spent, large messages that have stalled give theirs, the one
 * that took some longest ago first.
 */
export class ByteBudget {
  readonly #limit: number
  readonly #nowMs: () => number
  #used = 0
  /** Large messages that are not whole, with when each took room last: the longest ago first. */
  readonly #large = new Map<Holder, number>()

  constructor(limitBytes: number, nowMs = () => performance.now()) {
    this.#limit = limitBytes
    this.#nowMs = nowMs
  }

  /** Whether there is room for so many bytes; makes it where messages have stalled. */
  hasRoom(bytes: number): boolean {
    for (const [holder, tookAtMs] of this.#large) {
      if (this.#used + bytes <= this.#limit || this.#nowMs() < tookAtMs + stalledMs) break
      holder.giveUp()
    }
    return this.#used + bytes <= this.#limit
  }

  /** Takes bytes from the budget; false when it has not as many left. */
  take(bytes: number, holder: Holder): boolean {
    const isLarge = holder.heldBytes + bytes >= largeBytes
    // Before there is room: it is coming, and gives none.
    if (isLarge) this.#tookNow(holder)
    if (!this.hasRoom(bytes)) return false
    this.#used += bytes
    return true
  }

  /** Gives back what a message has held. */
  give(holder: Holder): void {
    this.#used -= holder.heldBytes
    this.#large.delete(holder)
  }

  /** The message is whole: nobody waits for its client any more. */
  end(holder: Holder): void {
    this.#large.delete(holder)
  }

  #tookNow(holder: Holder): void {
    this.#large.delete(holder)
    this.#large.set(holder, this.#nowMs())
  }
}

export class Collector implements Holder {
  /** Content bytes seen so far, kept or not. */
  sizeBytes = 0
  #refusal: Reply | null = null
  readonly #limits: Limits
  readonly #budget: ByteBudget
  #blocks: Buffer[] = []
  /** Bytes used in the last block. */
  #used = 0
  #held = 0
  /** The run: lines that follow each other in the socket's buffer, and are copied together. */
  #run: ArrayBufferLike | null = null
  #runStart = 0
  #runEnd = 0
  #inHeader = true
  #headerBytes = 0
  #fields = 0
  #hops = 0
  /** The addresses it was delivered to before, as its Delivered-To fields say. */
  readonly #deliveredTo = new Set<string>()

  constructor(limits: Limits, budget: ByteBudget) {
    this.#limits = limits
    this.#budget = budget
  }

  get heldBytes(): number {
    return this.#held
  }

  giveUp(): void {
    this.#refuse(noRoom)
  }

  /** Takes one line as it came: CRLF at its end, a stuffed dot at its start (RFC 5321 4.5.2). */
  add(line: Buffer): void {
    this.#addLine(line, 0, line.length)
  }

  /**
   * Takes the lines that `bytes` begins with, as they came. Returns how many bytes they are: before the end of DATA, a line that
   * does not end with CRLF or has more than `lineBytesMax` bytes, or a part of a line.
   */
  addLines(bytes: Buffer, lineBytesMax: number): number {
    let start = 0
    for (let end = bytes.indexOf(lf) + 1; end > 0; end = bytes.indexOf(lf, start) + 1) {
      const isWhole = end - start >= 2 && bytes[end - 2] === cr && end - start <= lineBytesMax
      const isEndOfData = end - start === 3 && bytes[start] === dot
      if (!isWhole || isEndOfData) break
      this.#addLine(bytes, start, end)
      start = end
    }
    return start
  }

  /** Takes the line of `bytes` from `from` to before `end`. */
  #addLine(bytes: Buffer, from: number, end: number): void {
    const first = bytes[from] === dot ? from + 1 : from
    const length = end - first
    this.sizeBytes += length
    if (this.#refusal !== null) return
    if (this.sizeBytes > this.#limits.messageBytes) {
      this.#refuse(tooLarge)
      return
    }
    if (this.#inHeader && !this.#countHeader(bytes, first, end)) return
    const start = bytes.byteOffset + first
    if (bytes.buffer !== this.#run || start !== this.#runEnd) {
      if (!this.#keepRun()) return
      this.#run = bytes.buffer
      this.#runStart = start
    }
    this.#runEnd = start + length
    if (this.#runEnd - this.#runStart >= firstBlockBytes) this.#keepRun() // from now on it counts against the budget
  }

  /** Returns the message, or why it is refused. */
  async finish(): Promise<
    { readonly raw: Buffer; readonly deliveredTo: ReadonlySet<string> } | { readonly refusal: Reply }
  > {
    if (this.#refusal === null) this.#keepRun()
    if (this.#refusal !== null) return { refusal: this.#refusal }
    this.#budget.end(this)
    const last = this.#blocks.at(-1)?.subarray(0, this.#used) ?? Buffer.alloc(0)
    const raw = this.#blocks.length < 2 ? last : await joined([...this.#blocks.slice(0, -1), last])
    return { raw, deliveredTo: this.#deliveredTo }
  }

  /** Gives the memory back, after which the collector cannot be used. May be called again. */
  release(): void {
    this.#budget.give(this)
    this.#held = 0
    this.#blocks = []
    this.#run = null
  }

  /** Counts a line of the header; false when the header is too long. */
  #countHeader(bytes: Buffer, start: number, end: number): boolean {
    const length = end - start
    if (length === 2) {
      this.#inHeader = false
      return true
    }
    this.#headerBytes += length
    if (this.#headerBytes > this.#limits.headerBytes) return this.#refuse(headerTooLarge)
    const folded = bytes[start] === 0x20 || bytes[start] === 0x09
    if (folded) return true
    if (++this.#fields > this.#limits.headerCount) return this.#refuse(tooManyFields)
    if (isField(bytes, start, 'received:') && ++this.#hops > this.#limits.hops) return this.#refuse(loop)
    if (isField(bytes, start, 'delivered-to:') && this.#deliveredTo.size < this.#limits.hops)
      this.#deliveredTo.add(normaliseAddress(bytes.toString('utf8', start + 'delivered-to:'.length, end)) ?? '')
    return true
  }

  #refuse(reply: Reply): false {
    this.release()
    this.#refusal = reply
    return false
  }

  /** Copies the run into blocks; false when the budget is spent. */
  #keepRun(): boolean {
    if (this.#run === null) return true
    let rest = Buffer.from(this.#run, this.#runStart, this.#runEnd - this.#runStart)
    while (rest.length > 0) {
      const block = this.#roomyBlock()
      if (block === null) return false
      const copied = rest.copy(block, this.#used)
      this.#used += copied
      rest = rest.subarray(copied)
    }
    this.#run = null
    return true
  }

  /** Returns the last block, or when it is full a new one, as large as all before it; null when the budget is spent. */
  #roomyBlock(): Buffer | null {
    const last = this.#blocks.at(-1)
    if (last !== undefined && this.#used < last.length) return last
    const size = Math.min(Math.max(this.#held, firstBlockBytes), blockBytesMax)
    if (!this.#budget.take(size, this)) {
      this.#refuse(noRoom)
      return null
    }
    const block = Buffer.allocUnsafeSlow(size)
    this.#held += size
    this.#blocks.push(block)
    this.#used = 0
    return block
  }
}

/** Whether the line that begins at `start` is a field of this name (lower-case, with its colon). */
function isField(bytes: Buffer, start: number, name: string): boolean {
  if (((bytes[start] ?? 0) | 0x20) !== name.charCodeAt(0)) return false
  return bytes.toString('latin1', start, start + name.length).toLowerCase() === name
}
