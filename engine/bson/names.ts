/**
 * A bounded cache of field names. The same few names occur in every document, and an interned string as name makes the decoder's
 * property stores several times faster. A slot is only a hint: its name is compared with the bytes before it is used, so a
 * collision only costs time.
 */

const slotCount = 4096
const slots: (string | undefined)[] = new Array(slotCount).fill(undefined)

/** Longer names are not cached: they are not worth a slot, and could be used to fill the memory. */
const cachedNameMax = 40

/** The field name at `start` up to `stop` of `bytes`, which must be ASCII. */
export function internName(bytes: Buffer, start: number, stop: number): string {
  const length = stop - start
  if (length > cachedNameMax) return bytes.toString('latin1', start, stop)
  let hash = length
  for (let index = start; index < stop; index++) hash = (Math.imul(hash, 31) + bytes[index]!) | 0
  const slot = (hash ^ (hash >>> 12)) & (slotCount - 1)
  const known = slots[slot]
  if (known !== undefined && known.length === length && sameBytes(known, bytes, start)) return known
  const name = bytes.toString('latin1', start, stop)
  slots[slot] = name
  return name
}

function sameBytes(name: string, bytes: Buffer, start: number): boolean {
  for (let index = 0; index < name.length; index++) if (name.charCodeAt(index) !== bytes[start + index]) return false
  return true
}
