import { readFileSync } from 'node:fs'

/** The file in which Linux reports the current and the peak memory of a process. */
export const memoryReport = '/proc/self/status'

/**
 * The peak memory of this process, in bytes. On systems without that report it is `maxRSS`, which may include the memory of the
 * process that this one was forked from.
 */
export function peakBytes(): number {
  try {
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(memoryReport, 'latin1')) ?? []
    if (kilobytes !== undefined) return Number(kilobytes) * 1024
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024
}
