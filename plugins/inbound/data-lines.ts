/**
 * Takes the lines of DATA many at a time. Haraka looks for the end of each byte by byte, and makes two buffers of each. Invariant:
 * what Haraka decides on is left to it: the end of DATA, a line that ends with LF alone (RFC 5321 2.3.8), one that is too long.
 */
import { connection as constants } from 'haraka-constants'
import type { Connection, Plugin, Transaction } from '../haraka.d.ts'

/** What the socket brought and nobody took yet. */
type Buffered = Connection & { current_data: Buffer | null; _process_data(): void }

/**
 * Shows `take` what came in DATA before Haraka looks at it. It returns how many bytes it took: whole lines from the beginning on.
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
      // Nothing is left of it when the session was ended.
      if (this.current_data === bytes) this.current_data = bytes.subarray(taken)
    }
    processData.call(this)
  }
}
