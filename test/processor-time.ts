/** Processor time, which does not include what other processes do on a busy machine. */
import { readFileSync } from 'node:fs'

/** Returns the processor time of this thread so far, in milliseconds, without that of threads that collect garbage or compile. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Returns the processor time of the main thread of another process so far, in milliseconds; elapsed time where it is unknown. */
export function mainThreadMs(pid: number): number {
  if (process.platform !== 'linux') return performance.now()
  // proc(5), schedstats: nanoseconds on a processor, nanoseconds waiting for one, time slices.
  const [ranNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(ranNs) / 1e6
}

/** How long this thread works without a pause, sampled every millisecond: meanwhile nobody else is served. */
export type Stretches = {
  /** Returns the given percentile of the stretches, in milliseconds of processor time. */
  percentile(percent: number): number
  stop(): void
}

export function watchStretches(): Stretches {
  const stretches: number[] = []
  let last = threadMs()
  const timer = setInterval(() => {
    const current = threadMs()
    stretches.push(current - last)
    last = current
  }, 1)
  return {
    percentile(percent) {
      const sorted = stretches.toSorted((a, b) => a - b)
      return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0
    },
    stop: () => clearInterval(timer),
  }
}

/** Which share of a piece of work is done without asking the pace, by the processor time of this thread. */
export type WorkMeter = {
  /** Used in place of a pace (imap/pace.ts). */
  readonly note: () => null
  /** Returns the longest stretch between two calls of `note` so far, as a share of all work since `meterWork`. */
  longestShare(): number
}

export function meterWork(): WorkMeter {
  const began = threadMs()
  let [last, longest] = [began, 0]
  const note = () => {
    const now = threadMs()
    longest = Math.max(longest, now - last)
    last = now
    return null
  }
  return {
    note,
    longestShare() {
      note()
      return longest / (last - began)
    },
  }
}
