/** The script of the service process; its arguments are its roles. The supervisor hands it the settings, and is told why it could not start. */
import type { Settings } from '../schemas/settings.ts'
import { told } from './io.ts'
import { runService, serviceRoles } from './service.ts'

try {
  const roles = serviceRoles.filter((role) => process.argv.includes(role))
  await runService(JSON.parse(process.env.MAILROOM_SETTINGS ?? 'null') as Settings, roles)
} catch (error) {
  console.error(error)
  const failed = told(error)
  if (process.send === undefined) process.exit(1)
  process.send({ failed }, () => process.exit(1))
}
