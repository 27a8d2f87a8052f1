/** Redirects plain lines that Haraka and its packages print into the log, which programs read line by line. */
import { createLog } from '../../core/process/log.ts'
import { settings } from '../process.ts'
import { linesInto } from './log.ts'

const log = createLog(settings(), 'smtp')
Object.defineProperties(process, {
  stdout: { value: linesInto(log, 'INFO') },
  stderr: { value: linesInto(log, 'WARN') },
})
