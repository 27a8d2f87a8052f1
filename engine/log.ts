import { writeSync } from 'node:fs'

export type Level = 'info' | 'warn' | 'error'

/** Writes one JSON line on stderr. Synchronous, so that a line before an exit is not lost. */
export function log(level: Level, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
  writeSync(2, `${JSON.stringify({ time: new Date().toISOString(), level, service: 'engine', event, ...fields })}\n`)
}

/** The text of whatever was thrown, for a log line. */
export function reason(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
