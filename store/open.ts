/** Opens the database: the embedded engine's socket or any MongoDB deployment, through the ordinary driver. */
import { channel } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import {
  type Db,
  MongoBulkWriteError,
  MongoClient,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb'
import { type Collections, collectionsOf, ensureIndexes } from './collections.ts'
import { migrate } from './migrations.ts'

export type Store = Collections & {
  readonly db: Db
  /** Raw command round trip, for health checks. Rejects when the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

const databaseName = 'mailroom'
const connectMs = 10_000

wakeWritersOfClosedSockets()

/**
 * Connects, brings the schema up to date and makes missing indexes. `url` is a MongoDB connection string; the database is
 * the one it names, else `mailroom`. Rejects when no server answers within 10 s.
 */
export async function openStore({ url, role }: { url: string; role: string }): Promise<Store> {
  const client = new MongoClient(url, {
    appName: `mailroom-${role}`,
    maxPoolSize: 50,
    serverSelectionTimeoutMS: 10_000,
    connectTimeoutMS: connectMs,
    ignoreUndefined: true,
    writeConcern: { w: 'majority', journal: true },
  })
  await client.connect()
  const db = client.db(databaseOf(url))
  await ensureIndexes(db)
  await migrate(db)
  return {
    ...collectionsOf(db),
    db,
    async ping() {
      await db.command({ ping: 1 })
    },
    close: () => client.close(),
  }
}

/**
 * The driver waits for the drain of any write that was not taken at once. A socket that is destroyed but has not said so yet
 * takes no write and never drains: the command would never end, and behind a look at the server nor would any other. So once
 * a socket is closed, whoever still waits for its drain is woken, and finds the connection closed.
 */
function wakeWritersOfClosedSockets(): void {
  channel('net.client.socket').subscribe((message) => {
    const { socket } = message as { readonly socket: Socket }
    socket.once('close', () => process.nextTick(() => socket.emit('drain')))
  })
}

/** The database a connection string names, else `mailroom`. */
export function databaseOf(url: string): string {
  const named = new URL(
    url
      .replace(/^mongodb(\+srv)?:/, 'http:')
      .replaceAll(/%2[fF]/g, '-')
      .replaceAll(',', '-'),
  ).pathname.slice(1)
  return named === '' ? databaseName : named
}

/** Whether an error is the refusal of a second document with the same unique key; `field` narrows it to one index. */
export function isDuplicate(error: unknown, field?: string): boolean {
  if (!(error instanceof MongoServerError) || error.code !== 11000) return false
  return field === undefined || Object.keys((error.keyPattern as object | undefined) ?? {}).includes(field)
}

/** Codes with which a server says that it cannot write, or not for now: full, stopping, starting, stepping down. */
const unavailableCodes: readonly unknown[] = [91, 189, 10107, 11600, 11602, 13435, 13436, 14031]

/**
 * Whether an error says that the database cannot serve now: it is away, stopping, has no room left, or could not make a
 * write durable.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true
  if (error instanceof MongoWriteConcernError) return true
  if (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined) return true
  // A bulk write wraps whatever it failed of.
  if (error instanceof MongoBulkWriteError && isUnavailable(error.errorResponse)) return true
  return error instanceof MongoServerError && unavailableCodes.includes(error.code)
}

/**
 * Whether a bulk write failed for nothing but documents that were there already. Not when the write concern was missed too:
 * then the documents that were written are not known to be durable.
 */
export function onlyDuplicates(error: unknown): error is MongoBulkWriteError {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false
  const errors = writeErrorsOf(error)
  return errors.length > 0 && errors.every(({ code }) => code === 11000)
}

/** The places in a bulk write of the documents that were there already. Throws an error that says anything else. */
export function duplicatesIn(error: unknown): number[] {
  if (!onlyDuplicates(error)) throw error
  return writeErrorsOf(error).map(({ index }) => index)
}

const writeErrorsOf = ({ writeErrors }: MongoBulkWriteError) =>
  Array.isArray(writeErrors) ? writeErrors : [writeErrors]
