import { isAbsolute } from 'node:path'
import { textField } from '../arguments.ts'
import { EngineError } from '../errors.ts'
import type { Command } from './command.ts'

/**
 * The engine's own command, which mongod does not have. `{ embeddedBackup: PATH }` against `admin` makes a consistent copy of all
 * data in a new file on the engine's machine; reads and writes go on. A client of the unix socket owns the data folder and needs
 * no further permission. Over TCP the command is refused, because it writes a file at any path.
 */
export const embeddedBackup: Command = {
  names: ['embeddedBackup'],
  fields: {},
  run({ engine, body, database, peer }) {
    if (database !== 'admin')
      throw new EngineError('Unauthorized', 'embeddedBackup may only be run against the admin database.')
    if (!peer.local) throw new EngineError('Unauthorized', 'embeddedBackup may only be run over the unix socket.')
    const path = textField(body, 'embeddedBackup')
    if (!isAbsolute(path)) throw new EngineError('BadValue', 'embeddedBackup must be an absolute path')
    return engine.writer.write({ kind: 'backup', path })
  },
}
