/**
 * The process that reads files, one at a time, as `core/extraction/extraction.ts` sends them. It waits in a blocking read of its
 * pipe, so that no work on one file continues during the next, and it ends when the pipe does. A thread (`watchdog.ts`) ends it when
 * it passes a limit, even in the middle of a computation.
 */
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type ExtractedText, readFile } from '../../mail/extraction/read-file.ts'
import { nextFrame, writeAnswer } from './frames.ts'
import { peakBytes } from './peak-memory.ts'
import { cpuMsOf, type Watched } from './watchdog.ts'

const [memoryBytesMax = 0, cpuMsMax = 0] = process.argv.slice(2).map(Number)
const reading = new Int32Array(new SharedArrayBuffer(4))
const workerData: Watched = { reading, memoryBytesMax, cpuMsMax, parent: process.ppid }
await once(new Worker(new URL('./watchdog.ts', import.meta.url), { workerData }), 'message')
// Arriving mail has priority over reading files.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
writeAnswer({ ready: true })

for (let file = nextFrame(); file !== null; file = nextFrame()) {
  const begun = cpuMsOf(process.cpuUsage())
  watch(true)
  const extracted = await readFile(file).catch(unreadable)
  watch(false)
  writeAnswer({
    extracted,
    cpuMs: cpuMsOf(process.cpuUsage()) - begun,
    peakBytes: peakBytes(),
    heldBytes: process.memoryUsage.rss(),
  })
}
process.exit(0)

function watch(isReading: boolean): void {
  Atomics.store(reading, 0, isReading ? 1 : 0)
  Atomics.notify(reading, 0)
}

/** The result for a file that is broken, encrypted or too large: whatever the cause, there is no text. */
function unreadable(): ExtractedText | null {
  return null
}
