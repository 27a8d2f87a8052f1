/**
 * What a connection to the database is like, whatever its connection string says: a write is acknowledged when a majority of
 * the members has it on disk, reads ask the primary, and every wait has an end. The bounds are the socket's: `timeoutMS` has no
 * effect in the driver.
 */
import { MongoClient, type MongoClientOptions } from 'mongodb'
import { requireDurable } from './connection-string.ts'
import { noteInArrays } from './under-way.ts'

/** How long a command may take to be answered; then its connection is closed, and the caller told that nobody answered. */
export const answerMs = 20_000
/** How long a command waits for a server that can serve it, and for a connection that is free. */
const serverMs = 10_000
const connectionMs = 10_000
const connectMs = 10_000
const connectionsMax = 50
/** For commands that rebuild what is stored: indexes and migrations. */
const longAnswerMs = 12 * 3_600_000
/** Where there is nothing yet they are many and short, and connections would cost more than they save. */
const rebuildingConnectionsMax = 8

/**
 * For reads whose answer is given out as a number, or as proof that something is stored: they see only what no change of primaries
 * takes back. Other reads also see what is being acknowledged at the moment, so that who was refused as a duplicate finds the first.
 */
export const settled = { readConcern: 'majority' } as const

/**
 * A client of the database at `url`, which is not connected yet. `isPatient`: for commands that rebuild what is stored, which
 * take as long as there is much. Throws WeakConnection, and what the driver says of a malformed URL.
 */
export function clientOf(
  url: string,
  { isPatient = false, ...options }: Pick<MongoClientOptions, 'appName' | 'monitorCommands'> & { isPatient?: boolean },
): MongoClient {
  requireDurable(url)
  // What has no connection yet waits for commands that take as long.
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
