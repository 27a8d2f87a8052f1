/**
 * Ends sessions of clients that send byte by byte. Invariant: a command line takes at most `limits.smtp.commandSeconds`, and the data of
 * a message one second more for each `slowBytesPerSecond` bytes. Haraka itself bounds the silence between two bytes.
 */
import { connection as constants } from 'haraka-constants'
import { secondMs } from '../../core/process/clock.ts'
import type { Connection } from '../haraka.d.ts'
import { settings } from '../process.ts'

const slowBytesPerSecond = 4 * 1024
const lineFeed = 0x0a

/** Watches what a client sends, from now on. Haraka's own listener has taken in each chunk before. */
export function watchPace(connection: Connection): void {
  let begun: { readonly isData: boolean; readonly at: number; bytes: number } | null = null
  let isEnded = false
  connection.client.on('data', ({ length }) => {
    const isData = connection.state === constants.state.DATA
    const line = connection.current_data
    const isPartOfLine = line !== null && line.length > 0 && !line.includes(lineFeed)
    if (!isData && !isPartOfLine) begun = null
    else if (begun?.isData !== isData) begun = { isData, at: performance.now(), bytes: 0 }
    if (begun === null || isEnded) return
    begun.bytes += length
    const seconds = settings().limits.smtp.commandSeconds + (isData ? begun.bytes / slowBytesPerSecond : 0)
    if (performance.now() - begun.at < seconds * secondMs) return
    isEnded = true
    connection.logwarn(`${connection.remote.ip} sends byte by byte: the session was ended`)
    connection.respond(421, '4.4.2 Too slow, try again later', () => connection.disconnect())
  })
}
