/** Charsets of 7-bit text in which marks show where two-byte characters begin and end. */

/** The bytes that begin and end two-byte characters, each after `mark` unless that is -1. A line end ends them too. */
type Shifts = { readonly mark: number; readonly on: number; readonly off: number }

/** RFC 1843: `~{` and `~}`. */
export const hz: Shifts = { mark: 0x7e, on: 0x7b, off: 0x7d }

/** RFC 1557: SO and SI, without a mark. */
export const shiftOut: Shifts = { mark: -1, on: 0x0e, off: 0x0f }

/**
 * Converts text to the 8-bit form of its charset (EUC), in which each byte of a two-byte character has its high bit set. Removes the
 * announcement of RFC 1557, `ESC $ ) C`, and `~` at the end of a line; `~~` becomes one `~`. Linear.
 */
export function unshifted(bytes: Uint8Array, { mark, on, off }: Shifts): Buffer {
  const out = Buffer.allocUnsafe(bytes.length)
  let length = 0
  let wide = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    const next = bytes[i + 1]
    if (mark < 0 ? byte === on || byte === off : byte === mark && (next === on || next === off)) {
      wide = (mark < 0 ? byte : next) === on
      if (mark >= 0) i++
    } else if (byte === mark && !wide && (next === mark || next === 0x0a || next === 0x0d)) {
      if (next === mark) out[length++] = mark
      i += next === 0x0d && bytes[i + 2] === 0x0a ? 2 : 1
    } else if (mark < 0 && byte === 0x1b && next === 0x24 && bytes[i + 2] === 0x29) i += 3
    else {
      if (byte === 0x0a) wide = false
      out[length++] = wide && byte > 0x20 ? byte | 0x80 : byte
    }
  }
  return out.subarray(0, length)
}
