/** The script of the service process; its arguments are its roles. */
import { runPart } from './run-part.ts'
import { runService, serviceRoles } from './service.ts'

const roles = serviceRoles.filter((role) => process.argv.includes(role))
await runPart('service', (settings) => runService(settings, roles))
