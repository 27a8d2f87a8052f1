/** The log of a process. */
import { type Logger, pino } from 'pino'
import type { Settings } from '../../schemas/settings.ts'

/** Makes the structured log of a process, on standard error. Fields named like credentials are removed. */
export function createLog(settings: Settings, role: string): Logger {
  return pino(
    {
      level: settings.log.level,
      base: { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          'authorization',
          'apiKey',
          'password',
          'secret',
          '*.authorization',
          '*.apiKey',
          '*.password',
          '*.secret',
        ],
        remove: true,
      },
    },
    pino.destination({ fd: 2, sync: false }),
  )
}
