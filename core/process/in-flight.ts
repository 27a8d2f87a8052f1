/**
 * Limits the memory of transfers in flight: long answers until their peers have read them, long bodies until they have arrived.
 * Invariant: together they take at most `bytesMax`, unless a single one is larger. When there is no room for another transfer,
 * those whose peers have not read or sent anything for `stillMs` are cut off, the longest idle first.
 */
import { Failure } from '../../schemas/failures.ts'

/** The part of a response or connection that this file uses. */
type Stream = {
  on(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/** To be called for each piece that moved, and at the end if it comes before the stream closes. */
export type Transfer = { moved(): void; done(): void }

export type InFlight = {
  /**
   * Counts `bytes` until the transfer is done or its stream closes. `onCut` is called if the transfer is cut off to make room. Fails
   * with `unavailable` when there is no room.
   */
  add(stream: Stream, bytes: number, onCut?: () => void): Transfer
}

/** Even a peer with a bad connection reads or sends something within this time. */
const stillMs = 10_000
const retrySeconds = 5

type Noted = {
  readonly bytes: number
  readonly stream: Stream
  readonly onClose: () => void
  readonly onCut: () => void
  movedAt: number
}

export function createInFlight({
  bytesMax,
  now = () => performance.now(),
}: {
  bytesMax: () => number
  /** Milliseconds since any fixed moment. */
  now?: () => number
}): InFlight {
  const noted = new Set<Noted>()
  let bytesHeld = 0
  const forget = (one: Noted) => {
    if (!noted.delete(one)) return
    bytesHeld -= one.bytes
    one.stream.off('close', one.onClose)
  }
  const makeRoom = (bytes: number) => {
    let missing = bytesHeld + bytes - bytesMax()
    const going: Noted[] = []
    for (const one of [...noted].sort((a, b) => a.movedAt - b.movedAt)) {
      if (missing <= 0 || now() - one.movedAt < stillMs) break
      going.push(one)
      missing -= one.bytes
    }
    if (missing > 0) return
    for (const one of going) {
      forget(one)
      one.onCut()
      one.stream.destroy()
    }
  }
  return {
    add(stream, bytes, onCut = () => undefined) {
      if (bytesHeld + bytes > bytesMax()) makeRoom(bytes)
      if (bytesHeld > 0 && bytesHeld + bytes > bytesMax())
        throw new Failure('unavailable', 'Too many long bodies and answers are in transfer at once.', {
          retryAfter: retrySeconds,
        })
      const done = () => forget(one)
      const one: Noted = { bytes, stream, onClose: done, onCut, movedAt: now() }
      noted.add(one)
      bytesHeld += bytes
      stream.on('close', done)
      return {
        moved() {
          one.movedAt = now()
        },
        done,
      }
    },
  }
}
