/**
 * Keeps the bytes of one message as they arrive. Invariants: `finish()` returns the content of DATA byte for byte, without the
 * stuffed dots and the final dot. The blocks count against the budget until `release()`; while the blocks of a message are
 * joined, it is in memory twice. After a refusal no bytes are held.
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

/** An incoming message that holds this much may lose its room to others if it stalls. */
const largeBytes = 256 * 1024
/** How long a message may take no more room; stops clients that fill the budget with mail that they never finish. */
const stalledMs = 60_000

/** An incoming message. */
type Holder = {
  readonly heldBytes: number
  /** Gives its room back; the message is refused for now. */
  giveUp(): void
}

/**
 * The bytes that all collectors of the process may hold together. When they are used up, large messages that have stalled lose their
 * room, beginning with the one that has been stalled longest.
 */
export class ByteBudget {
  readonly #limit: number
  readonly #nowMs: () => number
  #used = 0
  /** Unfinished large messages, with the time when each last took room, the longest ago first. */
  readonly #large = new Map<Holder, number>()

  constructor(limitBytes: number, nowMs = () => performance.now()) {
    this.#limit = limitBytes
    this.#nowMs = nowMs
  }

  /** Whether there is room for this many bytes; takes it from stalled messages if necessary. */
  hasRoom(bytes: number): boolean {
    for (const [holder, tookAtMs] of this.#large) {
      if (this.#used + bytes <= this.#limit || this.#nowMs() < tookAtMs + stalledMs) break
      holder.giveUp()
    }
    return this.#used + bytes <= this.#limit
  }

  /** Takes bytes from the budget; false if there are not enough left. */
  take(bytes: number, holder: Holder): boolean {
    const isLarge = holder.heldBytes + bytes >= largeBytes
    // Before room is made: this message is still arriving, so it must not lose its own.
    if (isLarge) this.#tookNow(holder)
    if (!this.hasRoom(bytes)) return false
    this.#used += bytes
    return true
  }

  /** Gives back what a message holds. */
  give(holder: Holder): void {
    this.#used -= holder.heldBytes
    this.#large.delete(holder)
  }

  /** The message is complete: it no longer waits for its client, so it cannot stall. */
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
  /** The addresses in its Delivered-To fields, to which it was delivered before. */
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

  /** Takes one line as it arrives: with its CRLF, and with a stuffed dot at its start (RFC 5321 4.5.2). */
  add(line: Buffer): void {
    this.#addLine(line, 0, line.length)
  }

  /**
   * Takes the lines at the beginning of `bytes`, as they arrive. Returns how many bytes they have. Stops before the end of DATA, and
   * before a line that does not end with CRLF, has more than `lineBytesMax` bytes, or is incomplete.
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

  /** Takes the line in `bytes` from `from` up to, but not including, `end`. */
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
    if (this.#runEnd - this.#runStart >= firstBlockBytes) this.#keepRun() // from here on it counts against the budget
  }

  /** Returns the message, or the reply that refuses it. */
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

  /** Gives the memory back; the collector cannot be used afterwards. May be called again. */
  release(): void {
    this.#budget.give(this)
    this.#held = 0
    this.#blocks = []
    this.#run = null
  }

  /** Counts a line of the header; false if the message is refused for it. */
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

  /** Copies the run into blocks; false if the budget is used up. */
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

  /** Returns the last block or, if it is full, a new one as large as all before it; null if the budget is used up. */
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
