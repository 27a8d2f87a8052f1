/** Writes values and bodies for the wire. All output has CRLF line ends, and is ASCII if the input is. */

/** Characters of a line without its CRLF: the length aimed at, and the limit (RFC 5322 2.1.1). */
const lineAim = 76
export const lineMax = 998

/**
 * One header field, folded, with its CRLF (RFC 5322 2.2.3). White space in `value` is kept; it must not contain line ends.
 * @throws RangeError when a word is longer than a line may be: blanks have to be put into it
 */
export function headerLine(name: string, value: string): string {
  let out = `${name}:`
  let length = out.length
  for (const token of ` ${value.trim()}`.match(/[ \t]+[^ \t]*/g) ?? []) {
    if (length + token.length > lineAim && length > name.length + 1) {
      out += '\r\n'
      length = 0
    }
    out += token
    length += token.length
    if (length > lineMax)
      throw new RangeError(`Put blanks into the words of ${name}: a line has at most ${lineMax} characters.`)
  }
  return `${out}\r\n`
}

/** A free-text value, such as Subject: unchanged if plain ASCII, else encoded (RFC 2047). `offset`: characters before it on its line. */
export function unstructured(text: string, offset: number): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text) && !text.includes('=?') && !/\S{900}/.test(text)
  return isPlain ? text.trim() : encodedWords(text.trim(), offset)
}

/** A display name as atoms, a quoted string or encoded words, as it requires (RFC 5322 3.4, RFC 2047 5). */
export function phrase(name: string): string {
  if (!/^[\x20-\x7e]*$/.test(name) || name.includes('=?') || /\S{200}/.test(name))
    return encodedWords(name, lineAim / 2)
  return /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(name) ? name : quoted(name)
}

/** A quoted string of printable ASCII. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Encoded words of whole characters, each at most 75 characters, joined by blanks (RFC 2047 2). */
function encodedWords(text: string, offset: number): string {
  const bytes = Buffer.byteLength(text)
  const encoding = bytes - asciiCount(text) > bytes / 3 ? 'B' : 'Q'
  const overhead = '=?utf-8?Q??='.length
  const words: string[] = []
  let room = Math.max(lineAim - offset - overhead - 1, 16)
  let chunk = ''
  let cost = 0
  const flush = () => {
    if (chunk !== '')
      words.push(`=?utf-8?${encoding}?${encoding === 'Q' ? chunk : Buffer.from(chunk).toString('base64')}?=`)
    chunk = ''
    cost = 0
    room = 75 - overhead
  }
  for (const char of text.toWellFormed()) {
    const piece = encoding === 'Q' ? qWord(char) : char
    const next = encoding === 'Q' ? cost + piece.length : cost + Buffer.byteLength(char)
    if ((encoding === 'Q' ? next : Math.ceil(next / 3) * 4) > room) flush()
    chunk += piece
    cost += encoding === 'Q' ? piece.length : Buffer.byteLength(char)
  }
  flush()
  return words.join(' ')
}

// RFC 2047 5 (3): the characters that may stand for themselves everywhere, even in a phrase.
function qWord(char: string): string {
  if (/[A-Za-z0-9!*+/-]/.test(char)) return char
  return char === ' ' ? '_' : percent(Buffer.from(char), '=')
}

function percent(bytes: Buffer, sign: string): string {
  return bytes.toString('hex').toUpperCase().replace(/../g, `${sign}$&`)
}

/**
 * `; name=value` parameters of a file name: quoted ASCII, else RFC 2231 in sections that fit on a line.
 */
export function fileNameParameters(name: string): string {
  if (/^[\x20-\x7e]{1,60}$/.test(name)) return `; filename=${quoted(name)}`
  const sections: string[] = []
  let section = "utf-8''"
  for (const char of name.toWellFormed()) {
    const piece = /[A-Za-z0-9._-]/.test(char) ? char : percent(Buffer.from(char), '%')
    if (section.length + piece.length > 55) {
      sections.push(section)
      section = ''
    }
    section += piece
  }
  sections.push(section)
  if (sections.length === 1) return `; filename*=${section}`
  return sections.map((text, i) => `; filename*${i}*=${text}`).join('')
}

/** Base64 in lines of 76 characters (RFC 2045 6.8). */
export function wrapBase64(bytes: Buffer): string {
  return inBase64Lines(bytes.toString('base64'))
}

/** The digits of base64 in lines of 76 characters. */
export function inBase64Lines(digits: string): string {
  return digits.replace(/.{1,76}/g, '$&\r\n')
}

/** Makes every line end CRLF: bare CR and bare LF become one. */
export function withCrlf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n')
}

/** Text as quoted-printable (RFC 2045 6.7), line by line; `From ` at the start is encoded because mbox files would change it. */
export function quotedPrintable(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .split('\r\n')
    .map((line) => softBroken(line.replace(/[^\t\x20-\x3c\x3e-\x7e]/g, hex).replace(/[ \t]$|^F(?=rom )/, hex)))
    .join('\r\n')
}

function hex(char: string): string {
  return `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

function softBroken(line: string): string {
  if (line.length <= lineAim) return line
  let out = ''
  let from = 0
  while (line.length - from > lineAim) {
    let to = from + lineAim - 1
    if (line[to - 1] === '=') to--
    else if (line[to - 2] === '=') to -= 2
    out += `${line.slice(from, to)}=\r\n`
    from = to
  }
  return out + line.slice(from)
}

/** How many characters are ASCII. */
export function asciiCount(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 0x80) count++
  return count
}
