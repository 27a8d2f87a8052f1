/** The script of the DNS process. The supervisor hands it the settings, and is told why it could not start. */
import type { Settings } from '../schemas/settings.ts'
import { runDns } from './dns.ts'
import { told } from './io.ts'

try {
  await runDns(JSON.parse(process.env.MAILROOM_SETTINGS ?? 'null') as Settings)
} catch (error) {
  console.error(error)
  const failed = told(error)
  if (process.send === undefined) process.exit(1)
  process.send({ failed }, () => process.exit(1))
}
