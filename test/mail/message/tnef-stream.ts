/** Writes TNEF as [MS-OXTNEF] 2.1 lays it down, for tests of what reads it. */

/** Signature, key, then the attributes. */
export function stream(...attributes: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('789f3e220100', 'hex'), ...attributes])
}

/** Level, id, length, data, checksum. */
export function attribute(id: number, data: Buffer | string): Buffer {
  const bytes = Buffer.from(data)
  const sum = bytes.reduce((total, byte) => (total + byte) & 0xffff, 0)
  return Buffer.concat([Buffer.from([(id >>> 16) & 0xff ? 1 : 2]), number(id), number(bytes.length), bytes, short(sum)])
}

/** The MAPI properties of the message. */
export function properties(...list: readonly Buffer[]): Buffer {
  return attribute(0x00069003, Buffer.concat([number(list.length), ...list]))
}

/** A string or a byte string; text is written as Unicode. */
export function property(id: number, type: number, value: Buffer | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(`${value}\0`, 'utf16le') : value
  return Buffer.concat([short(type), short(id), number(1), number(bytes.length), padded(bytes)])
}

/** An attached file, its title in the code page and its properties in Unicode. */
export function file(title: string, data: Buffer | string, ...list: readonly Buffer[]): Buffer {
  return Buffer.concat([
    attribute(0x00069002, Buffer.alloc(14)),
    attribute(0x00018010, `${title}\0`),
    attribute(0x0006800f, data),
    attribute(0x00069005, Buffer.concat([number(list.length), ...list])),
  ])
}

export function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

export function short(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
}
