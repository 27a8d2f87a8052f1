/** The script of the IMAP process. */
import { runImap } from './imap.ts'
import { runPart } from './run-part.ts'

await runPart('imap', runImap)
