/**
 * The guarantees of every connection to the database, whatever its connection string says: a write is acknowledged once a majority of
 * the members has it on disk, reads go to the primary, and every wait is bounded. The bounds are timeouts of the socket and the
 * pool, because `timeoutMS` has no effect in the driver.
 */
import { MongoClient, type MongoClientOptions } from 'mongodb'
import { requireDurable } from './connection-string.ts'
import { noteInArrays } from './under-way.ts'

/** How long the answer to a command may take. After that the connection is closed and the command fails. */
export const answerMs = 20_000
/** How long a command waits for a suitable server, and for a free connection. */
const serverMs = 10_000
const connectionMs = 10_000
const connectMs = 10_000
const connectionsMax = 50
/** The bound for commands that rebuild stored data: indexes and migrations. */
const longAnswerMs = 12 * 3_600_000
/** On an empty database these commands are many and short, and more connections would cost more than they save. */
const rebuildingConnectionsMax = 8

/**
 * The option for reads whose result is handed out as a number, or as proof that something is stored: they see only what a change of
 * primaries cannot roll back. Other reads also see writes that are not acknowledged yet, so that a writer refused as a duplicate
 * finds the first document.
 */
export const settled = { readConcern: 'majority' } as const

/**
 * A client of the database at `url`, not connected yet. `isPatient` is for commands that rebuild stored data, whose duration grows with
 * the data. Throws WeakConnection, or the driver's error for a malformed URL.
 */
export function clientOf(
  url: string,
  { isPatient = false, ...options }: Pick<MongoClientOptions, 'appName' | 'monitorCommands'> & { isPatient?: boolean },
): MongoClient {
  requireDurable(url)
  // The wait for a connection needs the same bound, because all connections may be busy with such commands.
  const patience = {
    socketTimeoutMS: longAnswerMs,
    waitQueueTimeoutMS: longAnswerMs,
    maxPoolSize: rebuildingConnectionsMax,
  }
  return noteInArrays(new MongoClient(url, { ...promised, ...(isPatient && patience), ...options }))
}

const promised = {
  maxPoolSize: connectionsMax,
  serverSelectionTimeoutMS: serverMs,
  connectTimeoutMS: connectMs,
  waitQueueTimeoutMS: connectionMs,
  socketTimeoutMS: answerMs,
  ignoreUndefined: true,
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
  retryReads: true,
  retryWrites: true,
} as const satisfies MongoClientOptions
