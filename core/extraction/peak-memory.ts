import { readFileSync } from 'node:fs'

/** Where Linux tells what memory a process has and had. */
export const memoryReport = '/proc/self/status'

/**
 * The most memory that this process ever had, in bytes. Where the system does not tell, what it tells for processes and those they
 * come from together.
 */
export function peakBytes(): number {
  try {
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(memoryReport, 'latin1')) ?? []
    if (kilobytes !== undefined) return Number(kilobytes) * 1024
  } catch {
    // No Linux.
  }
  return process.resourceUsage().maxRSS * 1024
}
