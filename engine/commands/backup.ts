import { isAbsolute } from 'node:path'
import { textField } from '../arguments.ts'
import { EngineError } from '../errors.ts'
import type { Command } from './command.ts'

/**
 * The engine's own command, which no mongod has: `{ embeddedBackup: PATH }` against `admin` copies all data, consistently,
 * to a new file on the engine's machine; reads and writes go on. Whoever can open the unix socket owns the data folder and
 * needs no further permission; over TCP it is refused, because it writes where it is told.
 */
export const embeddedBackup: Command = {
  names: ['embeddedBackup'],
  fields: {},
  run({ engine, body, database, peer }) {
    if (database !== 'admin')
      throw new EngineError('Unauthorized', 'embeddedBackup may only be run against the admin database.')
    if (!peer.local) throw new EngineError('Unauthorized', 'embeddedBackup may only be run over the unix socket.')
    const path = textField(body, 'embeddedBackup')
    if (!isAbsolute(path)) throw new EngineError('BadValue', 'embeddedBackup needs an absolute path')
    return engine.writer.write({ kind: 'backup', path })
  },
}
