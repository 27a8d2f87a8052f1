/**
 * A bounded cache of field names: the same few names occur in every document, and a name that is already an interned
 * string makes the decoder's property stores several times faster. A slot is only a hint; its name is compared with the
 * bytes before it is used, so a collision costs time and nothing else.
 */

const slotCount = 4096
const slots: (string | undefined)[] = new Array(slotCount).fill(undefined)

/** Long names are not worth a slot (and cannot be used to fill the cache). */
const cachedNameMax = 40

/** The field name in `bytes[start, stop)`, which must be ASCII. */
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
