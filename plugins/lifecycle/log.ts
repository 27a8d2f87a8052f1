import { Writable } from 'node:stream'
import type { Context } from '../../core/process/context.ts'

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'

/** A line of Haraka's log: the name of its level, and its text, which begins with level, transaction and origin in brackets. */
export type LogItem = { readonly level: string; readonly data: string }

const levels: { readonly [haraka: string]: Level } = {
  DATA: 'trace',
  PROTOCOL: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  NOTICE: 'info',
  WARN: 'warn',
  ERROR: 'error',
}

/** Writes a line of Haraka's log into the service's log. */
export function writeLine(log: Context['log'], { level, data }: LogItem): void {
  log[levels[level] ?? 'fatal']({ part: 'haraka' }, data)
}

/**
 * A stream for what Haraka writes before our log is open, and what its packages print at any time. Each line goes into `log`, with
 * `level` if the line itself names none.
 */
export function linesInto(log: Context['log'], level: LogItem['level']): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string | Buffer, _encoding, done) {
      for (const line of text.toString().split('\n'))
        if (line.trim() !== '')
          writeLine(log, { level: /^\[([A-Z]+)\] /.exec(line)?.[1] ?? level, data: line.trimEnd() })
      done()
    },
  })
}
