/** Values by property id. Unicode text is decoded; text in the message's code page is left as bytes. */
export type MapiValues = ReadonlyMap<number, string | Buffer>

/**
 * Reads the strings and byte strings of a list of MAPI properties ([MS-OXTNEF] 2.1.3.4, MsgPropertyList). If a property has several
 * values, the first one counts. What follows broken data is left out. Linear. Never throws.
 */
export function readMapi(bytes: Buffer): MapiValues {
  const values = new Map<number, string | Buffer>()
  const reader = readerOf(bytes)
  const count = Math.min(reader.number(), propertiesMax)
  for (let i = 0; i < count && !reader.isOver(); i++) {
    const type = reader.short()
    const id = reader.short()
    if (id >= namedFrom) skipName(reader)
    const many = (type & multiValued) !== 0
    const kind = type & ~multiValued
    const size = fixedSizes.get(kind)
    const isVariable = kind === string8 || kind === unicode || kind === binary || kind === objectKind
    if (size === undefined && !isVariable) return values // its length is unknown
    const entries = many || isVariable ? reader.number() : 1
    if (size !== undefined) {
      reader.skip(size * entries)
      continue
    }
    for (let n = 0; n < entries && !reader.isOver(); n++) {
      const value = reader.padded(reader.number())
      if (value !== null && n === 0 && !values.has(id)) values.set(id, kind === unicode ? utf16(value) : value)
    }
  }
  return values
}

/** Lists of millions of tiny properties. */
const propertiesMax = 5000
/** Named properties carry their name ([MS-OXTNEF] 2.1.3.5). */
const namedFrom = 0x8000
const multiValued = 0x1000
const string8 = 0x1e
const unicode = 0x1f
const binary = 0x102
const objectKind = 0x0d

/** The size in bytes of each type with a fixed length, padded to four. */
const fixedSizes: ReadonlyMap<number, number> = new Map([
  [0x01, 4],
  [0x02, 4],
  [0x03, 4],
  [0x04, 4],
  [0x0a, 4],
  [0x0b, 4],
  [0x05, 8],
  [0x06, 8],
  [0x07, 8],
  [0x14, 8],
  [0x40, 8],
  [0x48, 16],
])

type MapiReader = {
  readonly short: () => number
  readonly number: () => number
  readonly skip: (count: number) => void
  /** The next `count` bytes, followed by padding to a multiple of four; null when they are missing. */
  readonly padded: (count: number) => Buffer | null
  readonly isOver: () => boolean
}

function readerOf(bytes: Buffer): MapiReader {
  let position = 0
  const take = (count: number): number => {
    const from = position
    position += count
    return from + count <= bytes.length ? from : -1
  }
  return {
    short() {
      const at = take(2)
      return at < 0 ? 0 : bytes.readUInt16LE(at)
    },
    number() {
      const at = take(4)
      return at < 0 ? 0 : bytes.readUInt32LE(at)
    },
    skip: (count) => void take(count),
    padded(count) {
      const at = take(count)
      take((4 - (count % 4)) % 4)
      return at < 0 ? null : bytes.subarray(at, at + count)
    },
    isOver: () => position >= bytes.length,
  }
}

function skipName(reader: MapiReader): void {
  reader.skip(16)
  if (reader.number() === 0) reader.skip(4)
  else reader.padded(reader.number())
}

function utf16(bytes: Buffer): string {
  return bytes
    .subarray(0, bytes.length - (bytes.length % 2))
    .toString('utf16le')
    .replace(/\0+$/, '')
}
