import { databaseName } from '../arguments.ts'
import type { Peer } from '../auth/peer.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { log, reason } from '../log.ts'
import type { Message } from '../wire/message.ts'
import type { Body } from '../wire/reply.ts'
import { errorBody } from '../wire/reply.ts'
import { type Call, checkFields, type Engine } from './command.ts'
import { commandNamed } from './table.ts'

/** Runs one command and returns its answer. A failure is an answer too: nothing is thrown. */
export async function dispatch(engine: Engine, message: Message, peer: Peer): Promise<Body> {
  try {
    return await perform(engine, message, peer)
  } catch (error) {
    if (error instanceof EngineError) return errorBody(error)
    log('error', 'command failed', { command: message.fields[0], reason: reason(error) })
    return errorBody(new EngineError('InternalError', 'the command failed; see the log of the engine'))
  }
}

function perform(engine: Engine, message: Message, peer: Peer): Body | Promise<Body> {
  const name = message.fields[0] ?? ''
  const command = commandNamed(name)
  if (command === undefined) throw new EngineError('CommandNotFound', `no such command: '${name}'`)
  if (!peer.trusted && command.beforeLogin !== true)
    throw new EngineError('Unauthorized', `Command ${name} requires authentication`)
  checkFields(command, message.body, message.fields)
  const call: Call = {
    engine,
    message,
    body: message.body,
    database: databaseName(message.body.$db, limits.databaseNameBytes),
    peer,
  }
  const { commands } = engine.counters
  commands.set(command.names[0]!, (commands.get(command.names[0]!) ?? 0) + 1)
  return command.run(call)
}
