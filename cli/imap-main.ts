/** The script of the IMAP process. The supervisor hands it the settings, and is told why it could not start. */
import type { Settings } from '../schemas/settings.ts'
import { runImap } from './imap.ts'
import { told } from './io.ts'

try {
  await runImap(JSON.parse(process.env.MAILROOM_SETTINGS ?? 'null') as Settings)
} catch (error) {
  console.error(error)
  const failed = told(error)
  if (process.send === undefined) process.exit(1)
  process.send({ failed }, () => process.exit(1))
}
