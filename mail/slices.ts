/** Processes large messages in slices, each in its own turn of the event loop, so that other work does not wait for the whole. */
import { setImmediate } from 'node:timers/promises'

/** Bytes processed in one go: a few milliseconds at most. */
export const sliceBytes = 256 * 1024

/** Counts bytes of work as it is done: `isOver` tells that a slice is complete, and begins the next one. */
export type WorkSlice = { isOver(bytes: number): boolean }

/** A counter at the beginning of a slice. */
export function createSlice(): WorkSlice {
  let left = sliceBytes
  return {
    isOver(bytes) {
      left -= bytes
      if (left > 0) return false
      left = sliceBytes
      return true
    },
  }
}

/** Waits for the next turn of the event loop, so that other work can go on. */
export const nextTurn = (): Promise<unknown> => setImmediate()

/** An uninitialised buffer. If it is longer than a slice, its memory is shared, so that other threads can read it without a copy. */
export function roomFor(bytes: number): Buffer {
  return bytes <= sliceBytes ? Buffer.allocUnsafe(bytes) : Buffer.from(new SharedArrayBuffer(bytes))
}

/** Joins buffers, slice by slice. */
export async function joined(parts: readonly Buffer[]): Promise<Buffer> {
  const whole = roomFor(parts.reduce((sum, part) => sum + part.length, 0))
  const slice = createSlice()
  let at = 0
  for (const part of parts) {
    for (let from = 0; from < part.length; from += sliceBytes) {
      const copied = part.copy(whole, at, from, Math.min(from + sliceBytes, part.length))
      at += copied
      if (slice.isOver(copied)) await nextTurn()
    }
  }
  return whole
}
