/**
 * What is long and on its way: answers that lie in memory until their readers have taken them, bodies until they have come.
 * Peers who stand still could use it up. Invariant: together they take at most `bytesMax`, unless a single one is larger; when
 * there is no room for one more, it is made by those whose peers have not moved for `stillMs`.
 */
import { Failure } from '../schemas/failures.ts'

/** What is needed of a response or a connection. */
type Stream = {
  on(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/** One that is under way: each piece that moves is told, and the end, if that comes before the stream closes. */
export type Moving = { moved(): void; done(): void }

export type UnderWay = {
  /** Notes so many bytes until they are done. Fails with `unavailable` when there is no room. */
  add(stream: Stream, bytes: number): Moving
}

/** A peer on a bad line moves within this time. */
const stillMs = 10_000
const retrySeconds = 5

type Noted = { readonly bytes: number; readonly stream: Stream; readonly onClose: () => void; movedAt: number }

export function createUnderWay({
  bytesMax,
  now = () => performance.now(),
}: {
  bytesMax: () => number
  /** Milliseconds since whenever. */
  now?: () => number
}): UnderWay {
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
      one.stream.destroy()
    }
  }
  return {
    add(stream, bytes) {
      if (bytesHeld + bytes > bytesMax()) makeRoom(bytes)
      if (bytesHeld > 0 && bytesHeld + bytes > bytesMax())
        throw new Failure('unavailable', 'Too much is on its way at once; please try again later.', {
          retryAfter: retrySeconds,
        })
      const done = () => forget(one)
      const one: Noted = { bytes, stream, onClose: done, movedAt: now() }
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
