import { createSlice, nextTurn, sliceBytes } from '../slices.ts'
import { withCrlf } from './encode.ts'

/** Returns a message in which every line ends with CRLF: bare CR and bare LF become CRLF. Returns `raw` itself when it has neither. */
export async function withCrlfLines(raw: Buffer): Promise<Buffer> {
  return (await hasBareLineEnds(raw)) ? Buffer.from(withCrlf(raw.toString('latin1')), 'latin1') : raw
}

async function hasBareLineEnds(raw: Buffer): Promise<boolean> {
  const slice = createSlice()
  for (let from = 0; from < raw.length; from += sliceBytes) {
    const to = Math.min(from + sliceBytes, raw.length)
    for (let i = from; i < to; i++) {
      const byte = raw[i]
      if (byte === 0x0a && raw[i - 1] !== 0x0d) return true
      if (byte === 0x0d && raw[i + 1] !== 0x0a) return true
    }
    if (slice.isOver(to - from)) await nextTurn()
  }
  return false
}
