/** Commands for moving a database elsewhere while it is in use: the journal of its writes, and the block of all writes at the end. */
import { missingField } from '../arguments.ts'
import { EngineError } from '../errors.ts'
import { type Command, flag, implemented } from './command.ts'
import { toWriter } from './writes.ts'

/**
 * The engine's own command, which mongod does not have. `{ embeddedJournal: true }` begins a journal in `system.journal` of the
 * database, with an entry for each written document; false ends the journal and removes it.
 */
export const embeddedJournal: Command = {
  names: ['embeddedJournal'],
  fields: { trimBefore: implemented },
  run: (call) => toWriter(call),
}

/** Source: `setUserWriteBlockMode` of MongoDB 6.0. */
export const setUserWriteBlockMode: Command = {
  names: ['setUserWriteBlockMode'],
  fields: { global: { rule: 'implemented', check: flag('global') }, embeddedForMs: implemented },
  run(call) {
    if (call.database !== 'admin')
      throw new EngineError('Unauthorized', 'setUserWriteBlockMode may only be run against the admin database.')
    if (call.body.global === undefined) throw missingField('setUserWriteBlockMode.global')
    return call.engine.writer.write({ kind: 'command', message: call.message.bytes })
  },
}
