/**
 * A thread that watches its process while that reads a file: its whole memory, of which the heap that Node can limit is only a part,
 * and its processor time. It ends the process past a limit, or when the process that it works for is gone.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { writeAnswer } from './frames.ts'
import { peakBytes } from './peak-memory.ts'

export type Watched = {
  /** 1 while a file is read; a change is notified with `Atomics.notify`. */
  readonly reading: Int32Array
  readonly memoryBytesMax: number
  readonly cpuMsMax: number
  /** The id of the process that the worker works for. */
  readonly parent: number
}

/** Pause between two checks. Memory grows by some 50 MB in that time at most, since no more can be written. */
const lookMs = 20

if (parentPort !== null) {
  parentPort.postMessage('ready')
  watch(workerData as Watched)
}

export function cpuMsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000
}

function watch({ reading, memoryBytesMax, cpuMsMax, parent }: Watched): never {
  for (;;) {
    Atomics.wait(reading, 0, 0)
    const begun = cpuMsOf(process.cpuUsage())
    while (Atomics.load(reading, 0) === 1) {
      const over = process.memoryUsage.rss() > memoryBytesMax ? 'memory' : 'time'
      const cpuMs = cpuMsOf(process.cpuUsage()) - begun
      if (over === 'memory' || cpuMs > cpuMsMax) end(() => writeAnswer({ over, cpuMs, peakBytes: peakBytes() }))
      if (process.ppid !== parent) end()
      Atomics.wait(reading, 0, 1, lookMs)
    }
  }
}

/** Ends the process at once, whatever its other thread does. */
function end(first?: () => void): void {
  try {
    first?.()
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
}
