/** The script of a process that the supervisor starts: it receives the settings, and reports why it could not start. */
import { createLog } from '../core/process/log.ts'
import { listenFailure } from '../schemas/doors.ts'
import type { Settings } from '../schemas/settings.ts'
import { errorText } from './io.ts'

/** Runs the part; if that rejects, the cause goes to the log and to the supervisor, and the process ends. */
export async function runPart(role: string, run: (settings: Settings) => Promise<void>): Promise<void> {
  const settings = JSON.parse(process.env.MAILROOM_SETTINGS ?? 'null') as Settings | null
  if (settings === null) throw new Error('MAILROOM_SETTINGS is not set: this process is started by the supervisor.')
  try {
    await run(settings)
  } catch (error) {
    createLog(settings, role).fatal({ err: error }, 'could not start')
    const failed = errorText(listenFailure(error, settings))
    if (process.send === undefined) process.exit(1)
    process.send({ failed }, () => process.exit(1))
  }
}
