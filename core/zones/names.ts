/**
 * Domain names in wire form: for each label its length and its bytes, then a zero (RFC 1035 3.1). They are kept as strings with one
 * character per byte. So any label has exactly one form, the parent name is a slice, and names compare as strings. A `WireName` is
 * in lower case, since names are compared without regard to case (RFC 4343).
 */

/** For example `\x03www\x07example\x00`; the root is `\x00`. Without compression, at most 255 bytes. */
export type WireName = string

export const rootName: WireName = '\0'
const nameBytesMax = 255
const labelBytesMax = 63
/** A pointer may only point back (RFC 1035 4.1.4), and no name has more labels than this: more pointers are an attack. */
const pointersMax = 127

/**
 * Converts a name given as text (`www.example`; `''` and `.` are the root) of visible ASCII characters without escapes. Throws if it
 * is not a valid name.
 */
export function wireName(text: string): WireName {
  const plain = text.replace(/\.$/, '').toLowerCase()
  if (plain === '') return rootName
  const labels = plain.split('.')
  const fits = labels.every(
    (label) => label.length > 0 && label.length <= labelBytesMax && /^[\x21-\x7e]+$/.test(label),
  )
  const name = `${labels.map((label) => String.fromCharCode(label.length) + label).join('')}\0`
  if (!fits || name.length > nameBytesMax) throw new Error(`"${text}" is not a domain name.`)
  return name
}

/**
 * Reads a name in a message, keeping its letter case. Null if it is malformed: it runs past the end of the message, is too long,
 * or a pointer does not point back.
 */
export function readName(message: Buffer, at: number): { readonly name: string; readonly end: number } | null {
  let name = ''
  let end: number | null = null
  for (let from = at, pointers = 0; ; pointers += 1) {
    let n = from
    let length = message[n]
    while (length !== undefined && length > 0 && length <= labelBytesMax) {
      n += 1 + length
      length = message[n]
    }
    if (length === undefined || name.length + n - from >= nameBytesMax) return null
    name += message.toString('latin1', from, n)
    if (length === 0) return { name: `${name}\0`, end: end ?? n + 1 }
    const low = message[n + 1]
    if (length < 0xc0 || low === undefined) return null
    end ??= n + 2
    const to = ((length & 0x3f) << 8) | low
    if (to >= from || pointers === pointersMax) return null
    from = to
  }
}

/** A name in lower case. Only ASCII letters change, whatever other bytes mean elsewhere (RFC 4343 3). */
export function lowerCase(name: string): WireName {
  return /[\x80-\xff]/.test(name) ? name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : name.toLowerCase()
}

/** Skips a name in a message without following its pointer. Null if the message ends before it, or it is malformed. */
export function afterName(message: Buffer, at: number): number | null {
  for (let n = at; n < message.length; ) {
    const length = message[n]!
    if (length === 0) return n + 1
    if (length >= 0xc0) return n + 2
    if (length > labelBytesMax) return null
    n += 1 + length
  }
  return null
}

/** Whether a name equals another or is below it. */
export function isWithin(name: WireName, zone: WireName): boolean {
  let rest = name
  while (rest.length > zone.length) rest = parentOf(rest)
  return rest === zone
}

/** The parent of a name; the root is its own parent. */
export function parentOf(name: WireName): WireName {
  return name === rootName ? name : name.slice(1 + name.charCodeAt(0))
}

/** The number of labels of a name; the root has none. */
export function labelCount(name: WireName): number {
  let count = 0
  for (let rest = name; rest !== rootName; rest = parentOf(rest)) count += 1
  return count
}

/** A name as text, as in master files (RFC 1035 5.1): special and invisible characters are escaped. Without a final dot. */
export function nameText(name: string): string {
  const labels: string[] = []
  for (let rest = name; rest !== rootName; rest = parentOf(rest)) {
    const label = rest.slice(1, 1 + rest.charCodeAt(0))
    labels.push(label.replace(/[^\x21-\x7e]|[".;\\()@$]/g, escaped))
  }
  return labels.length === 0 ? '.' : labels.join('.')
}

/** Escapes a character. A dot within a label is written as a number, so that every dot in the text separates labels. */
function escaped(char: string): string {
  const code = char.charCodeAt(0)
  const isSpecial = code > 0x20 && code < 0x7f && char !== '.'
  return `\\${isSpecial ? char : String(code).padStart(3, '0')}`
}
