/** Large messages as they were read, so that going on with a cursor does not read them again. Messages never change. */
import type { Reading } from '../parsing/jobs.ts'

export type ReadingCache = {
  get(key: string): Reading | undefined
  put(key: string, reading: Reading): void
}

/** Characters of bodies in all: a handful of the largest messages. */
const charsMax = 16 * 1024 * 1024

/** The least recently used go first. Who asks must have been let to the message before. */
export function createReadingCache(max: number = charsMax): ReadingCache {
  const kept = new Map<string, Reading>()
  let chars = 0
  const drop = (key: string) => {
    const reading = kept.get(key)
    if (reading === undefined) return
    kept.delete(key)
    chars -= sizeOf(reading)
  }
  return {
    get(key) {
      const reading = kept.get(key)
      if (reading === undefined) return undefined
      kept.delete(key)
      kept.set(key, reading)
      return reading
    },
    put(key, reading) {
      drop(key)
      kept.set(key, reading)
      chars += sizeOf(reading)
      for (const oldest of kept.keys()) {
        if (chars <= max) break
        drop(oldest)
      }
    },
  }
}

function sizeOf({ text = '', html, reply = '', headers }: Reading): number {
  const header = headers.reduce((sum, { rawValue }) => sum + rawValue.length, 0)
  return text.length + (html?.length ?? 0) + reply.length + header * 2
}
