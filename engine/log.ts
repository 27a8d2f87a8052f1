import { writeSync } from 'node:fs'

export type Level = 'info' | 'warn' | 'error'

/** Writes one JSON line to stderr, synchronously, so that a line just before an exit is not lost. */
export function log(level: Level, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
  writeSync(2, `${JSON.stringify({ time: new Date().toISOString(), level, service: 'engine', event, ...fields })}\n`)
}

/** The stack or text of a thrown value, for a log line. */
export function reason(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
