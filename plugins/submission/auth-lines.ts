/**
 * Reads the lines of AUTH for Haraka. They may be longer than commands (RFC 4954 3 and 4), but Haraka has one limit for all lines, which
 * is set to that of AUTH (plugins/instance.ts). Haraka also logs what it reads, so it is given the word AUTH in place of a password.
 * Invariant: any other line is answered as Haraka answers it, even one beyond the limit of commands.
 */
import { connection as constants } from 'haraka-constants'
import type { Connection, Plugin } from '../haraka.d.ts'

/** Longest command line, with its end. RFC 5321 4.5.3.1.4 requires 512 bytes, and extensions some more. */
const commandBytesMax = 1024

type Reading = Connection & { process_line(line: Buffer): unknown }

/** The line that Haraka is given instead. */
const shown = Buffer.from('AUTH\r\n')

/**
 * Refuses lines that are longer than commands, unless `isOfAuth` says that they belong to AUTH. While the hook for AUTH runs, such a line
 * is in the notes of the connection, without its end.
 */
export function readAuthLines(plugin: Plugin, isOfAuth: (connection: Connection, line: Buffer) => boolean): void {
  const { prototype } = (plugin.haraka_require('connection') as { Connection: { prototype: Reading } }).Connection
  const { process_line: processLine } = prototype
  prototype.process_line = function (this: Reading, line) {
    if (this.state !== constants.state.CMD && this.state !== constants.state.LOOP) return processLine.call(this, line)
    if (isOfAuth(this, line)) {
      this.notes.authLine = line.toString('latin1').replace(/\r?\n$/, '')
      return processLine.call(this, shown)
    }
    if (line.length <= commandBytesMax) return processLine.call(this, beginsAuth(line) ? shown : line)
    this.client.pause()
    return this.respond(521, 'Command line too long', () => this.disconnect())
  }
}

/** Whether a line is AUTH with parameters. Programs send it even where AUTH is not offered. */
export const beginsAuth = (line: Buffer): boolean => /^AUTH /i.test(line.toString('latin1', 0, 5))
