/** Decodes the content of a part. With an unknown encoding, which RFC 2045 6.4 would refuse, the content is returned unchanged. */
export function decodeTransfer(raw: Buffer, start: number, end: number, encoding: string): Buffer {
  if (encoding === 'base64') return decodeBase64(raw, start, end)
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(raw, start, end)
  if (uuencodings.has(encoding)) return decodeUu(raw, start, end)
  return raw.subarray(start, end)
}

/** The number of bytes that `decodeTransfer` would return, found without building them where the encoding allows that. */
export function decodedSize(raw: Buffer, start: number, end: number, encoding: string): number {
  if (encoding === 'base64') return base64Size(raw, start, end)
  if (encoding === 'quoted-printable' || uuencodings.has(encoding))
    return decodeTransfer(raw, start, end, encoding).length
  return end - start
}

const uuencodings: ReadonlySet<string> = new Set(['x-uuencode', 'uuencode', 'x-uue', 'x-uu'])

const outside = 0
const letter = 1
const padding = 2

/** Which bytes are base64 letters (RFC 2045 6.8: all others are ignored). */
const base64Kind = kinds()

function kinds(): Uint8Array {
  const table = new Uint8Array(256)
  for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
    table[char.charCodeAt(0)] = letter
  table[0x3d] = padding
  return table
}

function base64Size(raw: Buffer, start: number, end: number): number {
  let size = 0
  let letters = 0
  for (let i = start; i < end; i++) {
    const kind = base64Kind[raw[i] as number]
    if (kind === letter) letters++
    else if (kind === padding) {
      size += Math.floor((letters * 3) / 4)
      letters = 0
    }
  }
  return size + Math.floor((letters * 3) / 4)
}

// RFC 2045 6.8. Other bytes are skipped. Text after padding is a new run, because some programs join encoded pieces.
function decodeBase64(raw: Buffer, start: number, end: number): Buffer {
  const clean = Buffer.allocUnsafe(end - start)
  const runs: Buffer[] = []
  let from = 0
  let length = 0
  for (let i = start; i < end; i++) {
    const byte = raw[i] as number
    const kind = base64Kind[byte]
    if (kind === outside) continue
    if (kind === letter) clean[length++] = byte
    else {
      if (length > from) runs.push(decodeRun(clean, from, length))
      from = length
    }
  }
  if (length > from) runs.push(decodeRun(clean, from, length))
  return runs.length === 1 ? (runs[0] as Buffer) : Buffer.concat(runs)
}

function decodeRun(letters: Buffer, from: number, to: number): Buffer {
  return Buffer.from(letters.toString('latin1', from, to), 'base64')
}

// RFC 2045 6.7: blanks at the end of a line are removed, `=` there joins lines, a lone `=` stays unchanged.
function decodeQuotedPrintable(raw: Buffer, start: number, end: number): Buffer {
  const out = Buffer.allocUnsafe(end - start)
  let length = 0
  let kept = 0 // length without the blanks at the end of the line so far
  let i = start
  while (i < end) {
    const byte = raw[i] as number
    if (byte === 0x3d) {
      const joined = softBreakEnd(raw, i + 1, end)
      if (joined > 0) {
        kept = length
        i = joined
        continue
      }
      const value = hexPair(raw[i + 1], i + 2 < end ? raw[i + 2] : undefined)
      out[length++] = value < 0 ? byte : value
      kept = length
      i += value < 0 ? 1 : 3
      continue
    }
    if (byte === 0x0a || (byte === 0x0d && raw[i + 1] === 0x0a)) length = kept
    out[length++] = byte
    if (byte !== 0x20 && byte !== 0x09) kept = length
    i++
  }
  return out.subarray(0, kept)
}

/** Index after the line end if only blanks are between `from` and it (or the end of the content), else -1. */
function softBreakEnd(raw: Buffer, from: number, end: number): number {
  let i = from
  while (i < end && (raw[i] === 0x20 || raw[i] === 0x09)) i++
  if (i >= end) return end
  if (raw[i] === 0x0d && i + 1 < end && raw[i + 1] === 0x0a) return i + 2
  return raw[i] === 0x0a ? i + 1 : -1
}

function hexPair(high: number | undefined, low: number | undefined): number {
  const first = hexDigit(high)
  const second = hexDigit(low)
  return first < 0 || second < 0 ? -1 : first * 16 + second
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const upper = byte & 0xdf
  return upper >= 0x41 && upper <= 0x46 ? upper - 0x37 : -1
}

/** uuencode as `begin 644 name` ... `end` (POSIX); lines outside are skipped. */
function decodeUu(raw: Buffer, start: number, end: number): Buffer {
  const content = raw.subarray(start, end)
  const begin = /(?:^|\n)begin [0-7]{3,4} [^\n]*\n/.exec(content.toString('latin1'))
  return begin === null ? Buffer.alloc(0) : decodeUuLines(content.subarray(begin.index + begin[0].length))
}

/** The lines of a uuencoded file, up to `end`. Linear. */
export function decodeUuLines(lines: Buffer): Buffer {
  const out = Buffer.allocUnsafe(lines.length)
  let length = 0
  let position = 0
  while (position < lines.length) {
    const feed = lines.indexOf(0x0a, position)
    const next = feed < 0 ? lines.length : feed + 1
    const size = ((lines[position] as number) - 0x20) & 0x3f
    const before = length
    if (lines[position] === 0x65 && lines[position + 1] === 0x6e && lines[position + 2] === 0x64) break // end
    for (let i = 0, at = position + 1; i < size && at < next; i += 3, at += 4) {
      const group = (uuValue(lines, at, next) << 18) | (uuValue(lines, at + 1, next) << 12)
      const bits = group | (uuValue(lines, at + 2, next) << 6) | uuValue(lines, at + 3, next)
      for (let n = 0; n < 3 && i + n < size && length < out.length; n++) out[length++] = (bits >> (16 - 8 * n)) & 0xff
    }
    // Blanks at the end of a line, which some programs cut off, are zeros.
    const end = Math.min(out.length, before + size)
    if (length < end) out.fill(0, length, end)
    length = Math.max(length, end)
    position = next
  }
  return out.subarray(0, length)
}

/** A missing character at the end of a line is a blank that was cut off: zero. */
function uuValue(lines: Buffer, at: number, end: number): number {
  const byte = at < end ? (lines[at] as number) : 0x20
  return byte < 0x20 ? 0 : (byte - 0x20) & 0x3f
}

/** The lines of a yEnc file (yEnc 1.3); its control lines, which begin with `=y`, are left out. Linear. */
export function decodeYenc(lines: Buffer): Buffer {
  const out = Buffer.allocUnsafe(lines.length)
  let length = 0
  let i = 0
  while (i < lines.length) {
    const byte = lines[i] as number
    if (byte === 0x3d && lines[i + 1] === 0x79 && (i === 0 || lines[i - 1] === 0x0a)) {
      const feed = lines.indexOf(0x0a, i)
      i = feed < 0 ? lines.length : feed + 1
      continue
    }
    i++
    if (byte === 0x0a || byte === 0x0d) continue
    const escaped = byte === 0x3d
    const value = escaped ? (lines[i++] ?? 0) - 64 : byte
    out[length++] = (value - 42) & 0xff
  }
  return out.subarray(0, length)
}
