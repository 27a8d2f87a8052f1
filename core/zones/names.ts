/**
 * Domain names as they are on the wire: a length and as many bytes for each label, a zero at the end (RFC 1035 3.1). As a
 * string each byte is one character, so that any label has exactly one form, the name above is a slice, and names compare
 * as strings. A `WireName` is in lower case, as names are compared (RFC 4343).
 */

/** Such as `\x03www\x07example\x00`; the root is `\x00`. Without compression, at most 255 bytes. */
export type WireName = string

export const rootName: WireName = '\0'
const nameBytesMax = 255
const labelBytesMax = 63
/** A pointer may only lead back (RFC 1035 4.1.4), and no name has more labels: more pointers are a trap. */
const pointersMax = 127

/**
 * Writes a name given as text (`www.example`; `''` and `.` are the root), of visible ASCII characters that stand for
 * themselves. Throws when it is no name that fits.
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
 * Reads a name in a message, with its letters as they are there. Null when it is none: it runs out of the message, is too
 * long, or its pointers do not lead back.
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

/** A name in lower case: of ASCII letters alone, whatever other bytes mean elsewhere (RFC 4343 3). */
export function lowerCase(name: string): WireName {
  return /[\x80-\xff]/.test(name) ? name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : name.toLowerCase()
}

/** Skips a name in a message without following its pointer. Null when the message ends before, or it is none. */
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

/** Whether a name is another one, or below it. */
export function isWithin(name: WireName, zone: WireName): boolean {
  let rest = name
  while (rest.length > zone.length) rest = parentOf(rest)
  return rest === zone
}

/** The name above; of the root itself the root. */
export function parentOf(name: WireName): WireName {
  return name === rootName ? name : name.slice(1 + name.charCodeAt(0))
}

/** How many labels a name has, the root none. */
export function labelCount(name: WireName): number {
  let count = 0
  for (let rest = name; rest !== rootName; rest = parentOf(rest)) count += 1
  return count
}

/** A name as text, in the form of master files (RFC 1035 5.1): what is special or not visible is escaped. No dot at its end. */
export function nameText(name: string): string {
  const labels: string[] = []
  for (let rest = name; rest !== rootName; rest = parentOf(rest)) {
    const label = rest.slice(1, 1 + rest.charCodeAt(0))
    labels.push(label.replace(/[^\x21-\x7e]|[".;\\()@$]/g, escaped))
  }
  return labels.length === 0 ? '.' : labels.join('.')
}

/** A dot within a label too is told by its number, so that the dots of the text are those between labels. */
function escaped(char: string): string {
  const code = char.charCodeAt(0)
  const isSpecial = code > 0x20 && code < 0x7f && char !== '.'
  return `\\${isSpecial ? char : String(code).padStart(3, '0')}`
}
