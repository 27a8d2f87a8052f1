/**
 * Takes the lines of DATA many at a time. Haraka searches for the end of each line byte by byte, and makes two buffers of it. Invariant:
 * whatever Haraka decides on is left to it: the end of DATA, a line that ends with LF alone (RFC 5321 2.3.8), a line that is too long.
 */
import { connection as constants } from 'haraka-constants'
import type { Connection, Plugin, Transaction } from '../haraka.d.ts'

/** A connection, with the bytes from the socket that are not processed yet. */
type Buffered = Connection & { current_data: Buffer | null; _process_data(): void }

/**
 * Passes the bytes of DATA to `take` before Haraka looks at them. `take` returns how many bytes it took: whole lines from the beginning.
 * It may end the session.
 */
export function takeLines(plugin: Plugin, take: (transaction: Transaction, bytes: Buffer) => number): void {
  const { prototype } = (plugin.haraka_require('connection') as { Connection: { prototype: Buffered } }).Connection
  const { _process_data: processData } = prototype
  prototype._process_data = function (this: Buffered) {
    const { transaction, current_data: bytes } = this
    if (this.state === constants.state.DATA && transaction !== null && bytes !== null) {
      const taken = take(transaction, bytes)
      transaction.data_bytes += taken
      // If the session was ended, Haraka has already dropped the bytes.
      if (this.current_data === bytes) this.current_data = bytes.subarray(taken)
    }
    processData.call(this)
  }
}
