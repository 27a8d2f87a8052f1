/**
 * Lets the lines of AUTH be longer than commands (RFC 4954 3 and 4). Haraka has one limit for all, which is that of AUTH
 * (plugins/instance.ts). Invariant: what is not of AUTH is answered as Haraka answers a line past its limit.
 */
import { connection as constants } from 'haraka-constants'
import type { Connection, Plugin } from '../haraka.d.ts'

/** A line with its end; RFC 5321 4.5.3.1.4 asks for 512 bytes, and extensions for some more. */
const commandBytesMax = 1024

type Reading = Connection & { process_line(line: Buffer): unknown }

/** Refuses lines that are longer than commands, unless `isOfAuth` says that they are of AUTH. */
export function allowLongAuth(plugin: Plugin, isOfAuth: (connection: Connection, line: Buffer) => boolean): void {
  const { prototype } = (plugin.haraka_require('connection') as { Connection: { prototype: Reading } }).Connection
  const { process_line: processLine } = prototype
  prototype.process_line = function (this: Reading, line) {
    const isCommand = this.state === constants.state.CMD || this.state === constants.state.LOOP
    if (!isCommand || line.length <= commandBytesMax || isOfAuth(this, line)) return processLine.call(this, line)
    this.client.pause()
    return this.respond(521, 'Command line too long', () => this.disconnect())
  }
}
