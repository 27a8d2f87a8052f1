/** Writes a message from its pieces: text and bytes that stay unchanged, and bytes that become lines of base64. */
import { createSlice, nextTurn, roomFor, sliceBytes } from '../slices.ts'

export type Piece = string | Buffer | { readonly base64: Buffer }

/** RFC 2045 6.8: lines of at most 76 characters. */
const lineBytes = 57
const lineChars = 76
/** As many bytes as make one slice of whole base64 lines. */
const base64SliceBytes = lineBytes * Math.floor(sliceBytes / (lineChars + 2))

/** Writes the pieces one after the other, text as UTF-8, slice by slice. Never throws. */
export async function writePieces(pieces: readonly Piece[]): Promise<Buffer> {
  const whole = roomFor(pieces.reduce((sum, piece) => sum + sizeOf(piece), 0))
  const slice = createSlice()
  let at = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      const size = whole.write(piece, at)
      at += size
      if (slice.isOver(size)) await nextTurn()
      continue
    }
    const isPlain = Buffer.isBuffer(piece)
    const bytes = isPlain ? piece : piece.base64
    const step = isPlain ? sliceBytes : base64SliceBytes
    for (let from = 0; from < bytes.length; from += step) {
      const part = bytes.subarray(from, from + step)
      const size = isPlain ? part.copy(whole, at) : writeBase64(whole, at, part)
      at += size
      if (slice.isOver(size)) await nextTurn()
    }
  }
  return whole
}

function sizeOf(piece: Piece): number {
  if (typeof piece === 'string') return Buffer.byteLength(piece)
  return Buffer.isBuffer(piece) ? piece.length : base64Size(piece.base64.length)
}

const base64Size = (bytes: number) => Math.ceil(bytes / 3) * 4 + Math.ceil(bytes / lineBytes) * 2

const alphabet = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
const padding = 0x3d

/** Writes bytes as lines of base64, each with CRLF, without making a string of them first. Returns the number of bytes written. */
function writeBase64(into: Buffer, start: number, bytes: Buffer): number {
  let at = start
  for (let line = 0; line < bytes.length; line += lineBytes) {
    const end = Math.min(line + lineBytes, bytes.length)
    for (let i = line; i < end; i += 3) {
      // After the end there are zeros, whose characters are replaced by padding.
      const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
      into[at++] = alphabet[group >> 18] ?? 0
      into[at++] = alphabet[(group >> 12) & 63] ?? 0
      into[at++] = i + 1 < end ? (alphabet[(group >> 6) & 63] ?? 0) : padding
      into[at++] = i + 2 < end ? (alphabet[group & 63] ?? 0) : padding
    }
    into[at++] = 0x0d
    into[at++] = 0x0a
  }
  return at - start
}
