/**
 * A queue of byte strings from one thread to another, in shared memory. It costs one copy. A message port costs serialization,
 * an event on either side and a transfer of memory, which is more than a small command itself costs.
 *
 * Invariants
 * - One thread offers, one takes. Only the first moves `head`, only the second `tail`; both count bytes and wrap.
 * - A record is its length followed by its bytes. The reader sees it only once all of it is written.
 */
export type RingMemory = {
  readonly positions: Int32Array<SharedArrayBuffer>
  readonly bytes: Uint8Array<SharedArrayBuffer>
}

const head = 0
const tail = 1
const lengthBytes = 4

/** `size` is in bytes and a power of two. */
export function newRing(size: number): RingMemory {
  return {
    positions: new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)),
    bytes: new Uint8Array(new SharedArrayBuffer(size)),
  }
}

/** Puts the parts into the ring as one record. @returns false if there is not enough room */
export function offer({ positions, bytes }: RingMemory, ...parts: readonly Uint8Array[]): boolean {
  let length = 0
  for (const part of parts) length += part.length
  let at = Atomics.load(positions, head)
  const used = (at - Atomics.load(positions, tail)) >>> 0
  if (used + lengthBytes + length > bytes.length) return false
  const size = Buffer.allocUnsafe(lengthBytes)
  size.writeUInt32LE(length, 0)
  at = write(bytes, at, size)
  for (const part of parts) at = write(bytes, at, part)
  Atomics.store(positions, head, at)
  return true
}

/** The next record, in memory of its own; undefined when there is none. */
export function take({ positions, bytes }: RingMemory): Buffer | undefined {
  const at = Atomics.load(positions, tail)
  if (at === Atomics.load(positions, head)) return undefined
  const length = read(bytes, at, lengthBytes).readUInt32LE(0)
  const record = read(bytes, at + lengthBytes, length)
  Atomics.store(positions, tail, (at + lengthBytes + length) | 0)
  return record
}

/** @returns the position after it */
function write(bytes: Uint8Array, position: number, part: Uint8Array): number {
  const at = position & (bytes.length - 1)
  const first = Math.min(part.length, bytes.length - at)
  bytes.set(first === part.length ? part : part.subarray(0, first), at)
  if (first < part.length) bytes.set(part.subarray(first), 0)
  return (position + part.length) | 0
}

function read(bytes: Uint8Array, position: number, length: number): Buffer {
  const at = position & (bytes.length - 1)
  const first = Math.min(length, bytes.length - at)
  const out = Buffer.allocUnsafe(length)
  out.set(bytes.subarray(at, at + first), 0)
  if (first < length) out.set(bytes.subarray(0, length - first), first)
  return out
}
