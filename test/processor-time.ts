/** Processor time, of which a busy machine gives less and says so: what others do meanwhile is not in it. */
import { readFileSync } from 'node:fs'

/** Of this thread so far, in milliseconds: of nobody who collects garbage or compiles beside it. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Of the main thread of another process so far, in milliseconds; where the system does not tell, the time itself. */
export function mainThreadMs(pid: number): number {
  if (process.platform !== 'linux') return performance.now()
  // proc(5), schedstats: nanoseconds on a processor, nanoseconds waiting for one, time slices.
  const [ranNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(ranNs) / 1e6
}

/** What this thread does at a stretch, looked at every millisecond: while it works, nobody else is served. */
export type Stretches = {
  /** The stretch that so many percent are not longer than, in milliseconds of processor time. */
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

/** Which share of a piece of work is done without a question whether to rest, by the processor time of this thread. */
export type Shares = {
  /** To be asked as a pace is (imap/pace.ts). */
  readonly note: () => null
  /** The longest stretch up to now between two questions, of all the work since `sharesOfWork`. */
  longestShare(): number
}

export function sharesOfWork(): Shares {
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
