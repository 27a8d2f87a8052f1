/**
 * Bounds the memory that large messages take: work that needs memory waits, first come first served, until there is
 * room. Invariant: the work in progress takes at most `bytesMax`, unless a single piece of work is larger by itself.
 */
import { Failure } from '../../schemas/failures.ts'

/**
 * Runs work that needs `bytes` of memory as soon as there is room for them. Returns what the work returns. Fails with `unavailable`
 * when too much work is already waiting.
 */
export type MemoryRoom = <T>(bytes: number, work: () => Promise<T>) => Promise<T>

/** Makes a room of `bytesMax` bytes in which at most `waitingMax` pieces of work wait. */
export function createMemoryRoom({ bytesMax, waitingMax }: { bytesMax: number; waitingMax: number }): MemoryRoom {
  const waiting: { readonly bytes: number; enter(): void }[] = []
  let usedBytes = 0
  const fits = (bytes: number) => usedBytes === 0 || usedBytes + bytes <= bytesMax
  const admitWaiting = () => {
    for (let first = waiting[0]; first !== undefined && fits(first.bytes); first = waiting[0]) {
      waiting.shift()
      usedBytes += first.bytes
      first.enter()
    }
  }
  return async (bytes, work) => {
    if (waiting.length === 0 && fits(bytes)) usedBytes += bytes
    else if (waiting.length < waitingMax) await new Promise<void>((enter) => waiting.push({ bytes, enter }))
    else throw new Failure('unavailable', 'Too much work waits for memory; please try again later.')
    try {
      return await work()
    } finally {
      usedBytes -= bytes
      admitWaiting()
    }
  }
}
