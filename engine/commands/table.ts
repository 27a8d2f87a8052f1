/** The one table of supported commands: it drives the dispatcher, and the compatibility page is generated from it. */
import { aggregate } from './aggregate.ts'
import { embeddedBackup } from './backup.ts'
import { bulkWrite } from './bulkWrite.ts'
import type { Command } from './command.ts'
import { count, distinct } from './count.ts'
import { getMore, killCursors } from './cursors.ts'
import {
  collStats,
  connectionStatus,
  dbStats,
  getParameter,
  serverStatus,
  validate,
  whatsmyuri,
} from './diagnostics.ts'
import { explainOf } from './explain.ts'
import { find } from './find.ts'
import { buildInfo, endSessions, hello, ping, refreshSessions, startSession } from './hello.ts'
import { listCollections, listDatabases, listIndexes } from './lists.ts'
import { saslContinue, saslStart } from './login.ts'
import { embeddedJournal, setUserWriteBlockMode } from './moving.ts'
import { collMod, create, createIndexes, drop, dropDatabase, dropIndexes, renameCollection } from './schema.ts'
import { findAndModify, insert, remove, update } from './writes.ts'

export const commands: readonly Command[] = [
  hello,
  ping,
  saslStart,
  saslContinue,
  buildInfo,
  find,
  getMore,
  killCursors,
  insert,
  update,
  remove,
  bulkWrite,
  findAndModify,
  aggregate,
  count,
  distinct,
  explainOf((name) => commandNamed(name)),
  create,
  drop,
  dropDatabase,
  createIndexes,
  dropIndexes,
  collMod,
  renameCollection,
  listCollections,
  listDatabases,
  listIndexes,
  validate,
  collStats,
  dbStats,
  serverStatus,
  getParameter,
  connectionStatus,
  whatsmyuri,
  startSession,
  refreshSessions,
  endSessions,
  embeddedBackup,
  embeddedJournal,
  setUserWriteBlockMode,
]

const byName = new Map(commands.flatMap((command) => command.names.map((name) => [name, command] as const)))

/** The command of that name, undefined if the engine has none. */
export function commandNamed(name: string): Command | undefined {
  return byName.get(name)
}
