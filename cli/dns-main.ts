/** The script of the DNS process. */
import { runDns } from './dns.ts'
import { runPart } from './run-part.ts'

await runPart('dns', runDns)
