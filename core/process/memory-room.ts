/**
 * Room in memory for what is large: whoever works on it waits until there is room, in the order of coming. Invariant: what
 * is worked on at once takes at most `bytesMax`, unless it is a single thing that is larger by itself.
 */
import { Failure } from '../../schemas/failures.ts'

/** Does work on so many bytes when there is room for them. Fails with `unavailable` when too many wait already. */
export type MemoryRoom = <T>(bytes: number, work: () => Promise<T>) => Promise<T>

export function createMemoryRoom({ bytesMax, waitingMax }: { bytesMax: number; waitingMax: number }): MemoryRoom {
  const waiting: { readonly bytes: number; enter(): void }[] = []
  let taken = 0
  const fits = (bytes: number) => taken === 0 || taken + bytes <= bytesMax
  const letIn = () => {
    for (let first = waiting[0]; first !== undefined && fits(first.bytes); first = waiting[0]) {
      waiting.shift()
      taken += first.bytes
      first.enter()
    }
  }
  return async (bytes, work) => {
    if (waiting.length === 0 && fits(bytes)) taken += bytes
    else if (waiting.length < waitingMax) await new Promise<void>((enter) => waiting.push({ bytes, enter }))
    else throw new Failure('unavailable', 'Too many large messages are being read; please try again later.')
    try {
      return await work()
    } finally {
      taken -= bytes
      letIn()
    }
  }
}
