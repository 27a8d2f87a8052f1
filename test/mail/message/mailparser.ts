import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Reading } from './reading.ts'

export type Mailparser = {
  /** What mailparser says about a message; the error when it gives up, crashes, or says nothing for `answerMs`. */
  read(raw: Buffer): Promise<Reading | Error>
  close(): Promise<void>
}

/** Far more than the largest fixture takes on a busy machine. */
export const answerMs = 60_000

/** Runs mailparser in a thread, and in a new one after each message that it could not read. */
export function startMailparser(): Mailparser {
  let worker: Worker | null = null
  const close = async () => {
    await worker?.terminate()
    worker = null
  }
  return {
    async read(raw) {
      worker ??= new Worker(new URL('./mailparser-worker.ts', import.meta.url))
      worker.postMessage(raw)
      try {
        const [reading] = await once(worker, 'message', { signal: AbortSignal.timeout(answerMs) })
        return reading as Reading
      } catch (error) {
        await close()
        return error as Error
      }
    },
    close,
  }
}
