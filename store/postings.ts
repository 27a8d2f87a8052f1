/**
 * The format of search blocks. A block is a list of words in the order of their UTF-8 bytes, each with the messages that
 * contain it (its postings). It is compressed as a whole. The messages of a segment are numbered from 0, newest first.
 *
 *   block = *(shared length suffix count bytes-of-messages messages bytes-of-positions positions)
 *   messages = for each message: (gap << 1 | several) [fields]      gap: how many numbers lie between it and the previous one
 *   positions = for each message, for each of its fields: count, then the gaps between positions
 *
 * All numbers are varints. `shared` is how many leading bytes a word has in common with the previous one. `fields` is a set of
 * bits; `several` is 1 if it is present. Without it the word occurs in the body only, which is the most common case.
 */

export const fieldBits = { body: 1, subject: 2, from: 4, to: 8, cc: 16, filename: 32, bcc: 64 } as const
export type IndexedField = keyof typeof fieldBits

/**
 * A word of a block with its postings. `count` is the number of messages; `messages` and `positions` are packed as above.
 */
export type WordEntry = {
  readonly word: string
  readonly count: number
  readonly messages: Buffer
  readonly positions: Buffer
}

/** Writes varints and bytes into a buffer that grows. */
export class Packer {
  private buffer: Buffer
  length = 0

  constructor(size = 1024) {
    this.buffer = Buffer.allocUnsafe(size)
  }

  number(value: number): void {
    this.room(8)
    let rest = value
    while (rest >= 0x80) {
      this.buffer[this.length++] = (rest & 0x7f) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.buffer[this.length++] = rest
  }

  bytes(bytes: Buffer): void {
    this.room(bytes.length)
    bytes.copy(this.buffer, this.length)
    this.length += bytes.length
  }

  /** Returns the packed bytes and starts over. They are valid until the next call of any method. */
  take(): Buffer {
    const taken = this.buffer.subarray(0, this.length)
    this.length = 0
    return taken
  }

  private room(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + bytes))
    this.buffer.copy(larger, 0, 0, this.length)
    this.buffer = larger
  }
}

/** Reads what a Packer wrote. `at` is the read position. */
export class Unpacker {
  at = 0
  readonly buffer: Buffer

  constructor(buffer: Buffer) {
    this.buffer = buffer
  }

  get isAtEnd(): boolean {
    return this.at >= this.buffer.length
  }

  number(): number {
    let byte = this.buffer[this.at++]!
    if (byte < 0x80) return byte
    let value = byte & 0x7f
    let scale = 0x80
    for (;;) {
      byte = this.buffer[this.at++]!
      if (byte === undefined) throw new Error('A search block ends within a number.')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 0x80
    }
  }

  bytes(length: number): Buffer {
    const from = this.skip(length)
    return this.buffer.subarray(from, this.at)
  }

  /** Returns the position at which the skipped bytes begin. */
  skip(length: number): number {
    const from = this.at
    this.at += length
    return from
  }
}

/**
 * Packs the entries of a segment of `messages` messages into blocks. Entries must be added in the order of their words. `add`
 * returns a block whenever one is full.
 */
export class BlockPacker {
  /** The first word of each block so far. */
  readonly firstWords: string[] = []
  private readonly blockBytes: number
  private readonly packer: Packer
  private last = Buffer.alloc(0)

  constructor(messages: number) {
    this.blockBytes = messages <= smallSegment ? smallBlockBytes : largeBlockBytes
    this.packer = new Packer(this.blockBytes * 2)
  }

  /** Returns the block when this entry fills it, else null. */
  add({ word, count, messages, positions }: WordEntry): Buffer | null {
    const { packer } = this
    const bytes = Buffer.from(word)
    const begins = packer.length === 0
    if (begins) this.firstWords.push(word)
    const shared = begins ? 0 : sharedLength(this.last, bytes)
    packer.number(shared)
    packer.number(bytes.length - shared)
    packer.bytes(bytes.subarray(shared))
    packer.number(count)
    packer.number(messages.length)
    packer.bytes(messages)
    packer.number(positions.length)
    packer.bytes(positions)
    this.last = bytes
    return packer.length >= this.blockBytes ? this.takeBlock() : null
  }

  /** Returns the block of the entries added since the last one; null when there are none. */
  takeBlock(): Buffer | null {
    return this.packer.length === 0 ? null : Buffer.from(this.packer.take())
  }
}

/**
 * A block is full at this size, before compression. A lookup of one word reads a whole block, so blocks are small: in a small
 * segment about a page of the database. In a large segment, blocks that small would make the list of first words too long.
 */
const smallBlockBytes = 6.5 * 1024
const largeBlockBytes = 32 * 1024
const smallSegment = 1_000
/** More bytes than any word has. mail/limits.ts limits the characters of a word. */
const wordBytesMax = 1024

/** The entries of a block. */
export function* entriesOf(block: Buffer): Generator<WordEntry> {
  const unpacker = new Unpacker(block)
  const word = Buffer.allocUnsafe(wordBytesMax)
  while (!unpacker.isAtEnd) {
    const shared = unpacker.number()
    const length = unpacker.bytes(unpacker.number()).copy(word, shared) + shared
    yield { word: word.toString('utf8', 0, length), ...readPostings(unpacker) }
  }
}

/** The entries of a block whose word is `wanted`, or begins with it if `prefix` is set. */
export function findEntries(block: Buffer, wanted: string, { prefix }: { prefix: boolean }): Omit<WordEntry, 'word'>[] {
  const found: Omit<WordEntry, 'word'>[] = []
  const target = Buffer.from(wanted)
  const unpacker = new Unpacker(block)
  // How many bytes the previous word has in common with the target. Words are in order, so if the next word shares fewer
  // bytes with the previous one, no later word can match.
  let matched = 0
  while (!unpacker.isAtEnd) {
    const shared = unpacker.number()
    const length = unpacker.number()
    const suffix = unpacker.skip(length)
    if (shared < matched) break
    if (shared === matched) {
      let at = suffix
      while (at < unpacker.at && matched < target.length && block[at] === target[matched]) {
        at += 1
        matched += 1
      }
      if (at < unpacker.at && matched < target.length && block[at]! > target[matched]!) break
    }
    const isFound = matched === target.length && (prefix || shared + length === target.length)
    if (isFound) found.push(readPostings(unpacker))
    else skipPostings(unpacker)
    if (matched === target.length && !prefix) break
  }
  return found
}

/**
 * The words of a block as one text, their bytes as Latin-1, each followed by a line feed. `begins` are the offsets of the words in the
 * text, `postings` those of their postings in the block.
 */
export type WordList = { readonly text: string; readonly begins: Uint32Array; readonly postings: Uint32Array }

export function wordsOf(block: Buffer): WordList {
  const unpacker = new Unpacker(block)
  let text = Buffer.allocUnsafe(block.length)
  let length = 0
  const [begins, postings]: [number[], number[]] = [[], []]
  for (let last = 0; !unpacker.isAtEnd; ) {
    const shared = unpacker.number()
    const suffix = unpacker.number()
    if (length + shared + suffix + 1 > text.length) text = Buffer.concat([text], text.length * 2 + wordBytesMax)
    text.copyWithin(length, last, last + shared)
    const from = unpacker.skip(suffix)
    block.copy(text, length + shared, from, from + suffix)
    begins.push(length)
    postings.push(unpacker.at)
    last = length
    length += shared + suffix
    text[length++] = lineFeed
    skipPostings(unpacker)
  }
  return {
    text: text.toString('latin1', 0, length),
    begins: Uint32Array.from(begins),
    postings: Uint32Array.from(postings),
  }
}

const lineFeed = 0x0a

/** The entries of a block whose word contains these bytes, none of which may be a line feed. */
export function findEntriesWith(
  block: Buffer,
  { text, begins, postings }: WordList,
  part: string,
): Omit<WordEntry, 'word'>[] {
  const found: Omit<WordEntry, 'word'>[] = []
  const unpacker = new Unpacker(block)
  let n = 0
  for (let at = text.indexOf(part); at >= 0; at = n < begins.length ? text.indexOf(part, begins[n]) : -1) {
    while (n < begins.length && begins[n]! <= at) n += 1
    unpacker.at = postings[n - 1]!
    found.push(readPostings(unpacker))
  }
  return found
}

/** Whether `a` comes before `b` in the order of their UTF-8 bytes, which is the order of code points. */
export function isBefore(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length)
  for (let n = 0; n < most; n++) {
    const [left, right] = [a.charCodeAt(n), b.charCodeAt(n)]
    if (left !== right) return aboveSurrogates(left) < aboveSurrogates(right)
  }
  return a.length < b.length
}

/** Calls `visit` with the number and the fields of each message of an entry, in order. */
export function eachMessage(
  { count, messages }: Pick<WordEntry, 'count' | 'messages'>,
  visit: (number: number, fields: number) => void,
): void {
  const unpacker = new Unpacker(messages)
  let number = -1
  for (let n = 0; n < count; n++) {
    const head = unpacker.number()
    number += Math.floor(head / 2) + 1
    visit(number, head % 2 === 1 ? unpacker.number() : fieldBits.body)
  }
}

/** Calls `visit` with every position of the word in the messages that `wants` accepts, in order. */
export function eachPosition(
  entry: Omit<WordEntry, 'word'>,
  wants: (number: number, fields: number) => boolean,
  visit: (number: number, field: number, position: number) => void,
): void {
  const unpacker = new Unpacker(entry.positions)
  eachMessage(entry, (number, fields) => {
    const wanted = wants(number, fields)
    for (let field = 1; field <= fields; field <<= 1) {
      if ((fields & field) === 0) continue
      const count = unpacker.number()
      let position = -1
      for (let n = 0; n < count; n++) {
        position += unpacker.number() + 1
        if (wanted) visit(number, field, position)
      }
    }
  })
}

/** One message of an entry: its number, the fields that contain the word, and the packed positions in these fields. */
export type WordPosition = { readonly number: number; readonly fields: number; readonly positions: Buffer }

/** The messages of an entry, each with its packed positions. */
export function* wordPositionsOf(entry: WordEntry): Generator<WordPosition> {
  const messages = new Unpacker(entry.messages)
  const positions = new Unpacker(entry.positions)
  let number = -1
  for (let n = 0; n < entry.count; n++) {
    const head = messages.number()
    number += Math.floor(head / 2) + 1
    const fields = head % 2 === 1 ? messages.number() : fieldBits.body
    const from = positions.at
    for (let field = 1; field <= fields; field <<= 1) {
      if ((fields & field) === 0) continue
      for (let count = positions.number(); count > 0; count--) positions.number()
    }
    yield { number, fields, positions: entry.positions.subarray(from, positions.at) }
  }
}

const messagesPacker = new Packer()
const positionsPacker = new Packer()

/** The entry of a word, from its messages in the order of their numbers. It is valid until the next call. */
export function entryOf(word: string, wordPositions: readonly WordPosition[]): WordEntry {
  messagesPacker.take()
  positionsPacker.take()
  let last = -1
  for (const { number, fields, positions } of wordPositions) {
    const several = fields !== fieldBits.body
    messagesPacker.number((number - last - 1) * 2 + (several ? 1 : 0))
    if (several) messagesPacker.number(fields)
    positionsPacker.bytes(positions)
    last = number
  }
  return { word, count: wordPositions.length, messages: messagesPacker.take(), positions: positionsPacker.take() }
}

/**
 * The entries of one word in several segments, as one entry. The messages of each segment follow those of the previous one;
 * `shift` is added to their numbers. Only the first gap of each part changes; all other bytes are copied. The entry is valid
 * until the next call.
 */
export function concatenateEntries(
  word: string,
  parts: readonly { readonly entry: WordEntry; readonly shift: number }[],
): WordEntry {
  messagesPacker.take()
  positionsPacker.take()
  let count = 0
  let last = -1
  for (const { entry, shift } of parts) {
    const unpacker = new Unpacker(entry.messages)
    const head = unpacker.number()
    messagesPacker.number(head + 2 * (shift - last - 1))
    messagesPacker.bytes(entry.messages.subarray(unpacker.at))
    positionsPacker.bytes(entry.positions)
    count += entry.count
    last = shift + lastNumber(entry)
  }
  return { word, count, messages: messagesPacker.take(), positions: positionsPacker.take() }
}

function lastNumber(entry: WordEntry): number {
  let last = -1
  eachMessage(entry, (number) => {
    last = number
  })
  return last
}

function readPostings(unpacker: Unpacker): Omit<WordEntry, 'word'> {
  const count = unpacker.number()
  const messages = unpacker.bytes(unpacker.number())
  const positions = unpacker.bytes(unpacker.number())
  return { count, messages, positions }
}

function skipPostings(unpacker: Unpacker): void {
  unpacker.number()
  unpacker.skip(unpacker.number())
  unpacker.skip(unpacker.number())
}

/** A number that sorts UTF-16 code units like code points: surrogates, which encode characters above U+FFFF, come last. */
function aboveSurrogates(unit: number): number {
  if (unit < 0xd800) return unit
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000
}

function sharedLength(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && a[length] === b[length]) length += 1
  return length
}
