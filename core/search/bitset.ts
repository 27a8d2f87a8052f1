/** Sets of small numbers as bits. The sets that are combined must have the same length. */

export type Bits = Uint32Array

export const noBits = (length: number): Bits => new Uint32Array((length + 31) >>> 5)

export function allBits(length: number): Bits {
  const bits = noBits(length).fill(0xffff_ffff)
  if (length % 32 !== 0) bits[bits.length - 1] = 2 ** (length % 32) - 1
  return bits
}

export function setBit(bits: Bits, n: number): void {
  bits[n >>> 5]! |= 1 << (n & 31)
}

export const hasBit = (bits: Bits, n: number): boolean => ((bits[n >>> 5]! >>> (n & 31)) & 1) === 1

export const bothBits = (a: Bits, b: Bits): Bits => a.map((word, n) => word & b[n]!)
export const eitherBits = (a: Bits, b: Bits): Bits => a.map((word, n) => word | b[n]!)
/** The numbers in `a` that are not in `b`. */
export const withoutBits = (a: Bits, b: Bits): Bits => a.map((word, n) => word & ~b[n]!)
export const isEmpty = (bits: Bits): boolean => bits.every((word) => word === 0)

/** The first number of the set that is at least `from`; -1 when there is none. */
export function nextBit(bits: Bits, from: number): number {
  let n = from >>> 5
  if (n >= bits.length) return -1
  let word = (bits[n]! >>> (from & 31)) << (from & 31)
  while (word === 0) {
    n += 1
    if (n >= bits.length) return -1
    word = bits[n]!
  }
  return n * 32 + 31 - Math.clz32(word & -word)
}
