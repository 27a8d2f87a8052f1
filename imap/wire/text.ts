/** Strings, names and dates in wire form. */
import { No } from './answers.ts'

/** Returns the UTF-8 bytes of a text as a string with one character for each byte, as the writer takes it. */
export const utf8 = (text: string): string => (isAscii(text) ? text : Buffer.from(text).toString('latin1'))

/** Whether a text is ASCII only. */
export const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text)

/** Longer strings are written as literals. */
const quotedMax = 1_000

/** Formats bytes as a string (RFC 9051 4.3): quoted where possible, otherwise as a literal. */
export function quoted(bytes: string): string {
  if (bytes.length <= quotedMax && /^[^\r\n\P{ASCII}]*$/u.test(bytes) && !bytes.includes('\0'))
    return `"${bytes.replace(/["\\]/g, '\\$&')}"`
  return `{${bytes.length}}\r\n${bytes}`
}

/** A string or NIL. */
export const nstring = (bytes: string | null): string => (bytes === null ? 'NIL' : quoted(bytes))

/** Formats the name of a metadata entry as an astring. */
export const entryName = (name: string): string => (/^[a-z0-9/$+,.:;=@_-]+$/.test(name) ? name : quoted(name))

/** Formats a metadata value, which may contain any bytes (RFC 5464 5), or NIL. */
export function metadataValue(value: Buffer | null): string {
  const bytes = value?.toString('latin1') ?? null
  return bytes?.includes('\0') === true ? `~{${bytes.length}}\r\n${bytes}` : nstring(bytes)
}

/** Replaces NUL, which a literal must not contain (RFC 9051 4.3), by 0x80. */
export function withoutNul(bytes: Buffer): Buffer {
  if (!bytes.includes(0)) return bytes
  const clean = Buffer.from(bytes)
  for (let at = clean.indexOf(0); at >= 0; at = clean.indexOf(0, at)) clean[at] = 0x80
  return clean
}

/** How folder names are written: in modified UTF-7 (RFC 3501 5.1.3), or in UTF-8 once the client has enabled it. */
export type NameForm = 'utf7' | 'utf8'

/** Formats a folder name as an astring. */
export function folderName(path: string, form: NameForm): string {
  const name = form === 'utf8' ? utf8(path) : encodeUtf7(path)
  if (/^[A-Za-z0-9!#$&'+,\-./:;<=>?@^_`|~]+$/.test(name) && name.toUpperCase() !== 'NIL') return name
  if (form === 'utf8' && /^[\x20-\x7e\x80-\xff]*$/.test(name)) return `"${name.replace(/["\\]/g, '\\$&')}"`
  return quoted(name)
}

/** Reads a folder name. A name with bytes above ASCII is read as UTF-8, not as modified UTF-7. Fails with CANNOT. */
export function readFolderName(bytes: string, form: NameForm): string {
  if (form === 'utf8' || /[\x80-\xff]/.test(bytes)) return readUtf8(bytes)
  return decodeUtf7(bytes)
}

/** Reads a pattern of folder names. A pattern that is not a valid name is returned unchanged. */
export function readFolderPattern(bytes: string, form: NameForm): string {
  try {
    return readFolderName(bytes, form)
  } catch (error) {
    if (error instanceof No) return bytes
    throw error
  }
}

/** Reads bytes as UTF-8. Fails with CANNOT. */
export function readUtf8(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    throw new No('CANNOT', 'That is not valid UTF-8')
  }
}

/** Encodes modified UTF-7: `&` begins UTF-16 in base64 with `,` for `/`, `-` ends it; `&-` is `&` itself. */
export function encodeUtf7(text: string, isDirect = /[\x20-\x25\x27-\x7e]/): string {
  let out = ''
  let shifted = ''
  const flush = () => {
    if (shifted === '') return
    const bytes = Buffer.from(shifted, 'utf16le').swap16()
    out += `&${bytes.toString('base64').replaceAll('/', ',').replace(/=+$/, '')}-`
    shifted = ''
  }
  for (const unit of text.split('')) {
    if (unit === '&' && shifted === '') out += '&-'
    else if (unit !== '&' && isDirect.test(unit)) {
      flush()
      out += unit
    } else shifted += unit
  }
  flush()
  return out
}

/** Reads modified UTF-7. Fails with CANNOT. */
export function decodeUtf7(text: string): string {
  const wrong = () => new No('CANNOT', 'That is not valid modified UTF-7')
  return text.replace(/&([^-]*)(-?)/g, (_, base64: string, end: string) => {
    if (end === '') throw wrong()
    if (base64 === '') return '&'
    const bytes = Buffer.from(base64.replaceAll(',', '/'), 'base64')
    if (!/^[A-Za-z0-9+,]+$/.test(base64) || bytes.length % 2 !== 0) throw wrong()
    const decoded = bytes.swap16().toString('utf16le')
    if (!decoded.isWellFormed()) throw wrong()
    return decoded
  })
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (n: number) => String(n).padStart(2, '0')

/** Formats a date-time (RFC 9051 9) in UTC. */
export function formatDateTime(at: Date): string {
  const day = `${String(at.getUTCDate()).padStart(2, ' ')}-${months[at.getUTCMonth()]}-${String(at.getUTCFullYear()).padStart(4, '0')}`
  return `"${day} ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} +0000"`
}

/** Reads a date-time (RFC 9051 9). Returns null when it is not valid. */
export function readDateTime(text: string): Date | null {
  const match = /^([ \d]\d)-([A-Za-z]{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)$/.exec(text)
  if (match === null) return null
  const [, day, month, year, hours, minutes, seconds, sign, zoneHours, zoneMinutes] = match
  const date = readDay(`${day?.trim()}-${month}-${year}`)
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)]
  if (date === null || h > 23 || m > 59 || s > 60) return null
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '+' ? 60_000 : -60_000)
  return new Date(date.getTime() + ((h * 60 + m) * 60 + s) * 1_000 - zone)
}

/** Reads a date (RFC 9051 9). Returns its midnight in UTC, or null when it is not valid. */
export function readDay(text: string): Date | null {
  const match = /^(\d{1,2})-([A-Za-z]{3})-(\d{4})$/.exec(text)
  if (match === null) return null
  const month = months.findIndex((name) => name.toLowerCase() === match[2]?.toLowerCase())
  const date = new Date(Date.UTC(2000, month, Number(match[1])))
  date.setUTCFullYear(Number(match[3]), month, Number(match[1]))
  return month >= 0 && date.getUTCDate() === Number(match[1]) ? date : null
}
