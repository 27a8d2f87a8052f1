/** Opens the database: the embedded engine's socket or any MongoDB deployment, through the ordinary driver. */
import {
  type Db,
  MongoBulkWriteError,
  MongoClient,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
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
/** Looks at the server end within their time-outs, and commands soon after their connection ended; what does not never will. */
const tickMs = 5_000
const lookTicksMax = 4
const commandTicksMax = 6

/**
 * Connects, brings the schema up to date and makes missing indexes. `url` is a MongoDB connection string; the database is
 * the one it names, else `mailroom`. Rejects when no server answers within 10 s. `onLost` is told when the driver has lost
 * the server for good: it hangs now and then when a connection is reset just as it writes, and then nothing is answered.
 */
export async function openStore({
  url,
  role,
  onLost = () => undefined,
}: {
  url: string
  role: string
  onLost?: () => void
}): Promise<Store> {
  const client = new MongoClient(url, {
    appName: `mailroom-${role}`,
    maxPoolSize: 50,
    serverSelectionTimeoutMS: 10_000,
    connectTimeoutMS: connectMs,
    ignoreUndefined: true,
    writeConcern: { w: 'majority', journal: true },
  })
  watchDriver(client, onLost)
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
 * Finds out when the driver hangs: a look at the server that does not end, or a command that does not although its connection
 * was given up. Counts ticks, not time: a process that was stopped for a while has lost nothing.
 */
function watchDriver(client: MongoClient, onLost: () => void): void {
  const looks = new Map<string, number>()
  const inUse = new Set<number>()
  const givenUp = new Map<number, number>()
  client.on('serverHeartbeatStarted', ({ connectionId }) => looks.set(connectionId, 0))
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => looks.delete(connectionId))
  client.on('serverHeartbeatFailed', ({ connectionId }) => looks.delete(connectionId))
  client.on('connectionCheckedOut', ({ connectionId }) => inUse.add(Number(connectionId)))
  client.on('connectionCheckedIn', ({ connectionId }) => {
    inUse.delete(Number(connectionId))
    givenUp.delete(Number(connectionId))
  })
  client.on('connectionPoolCleared', () => {
    for (const id of inUse) givenUp.set(id, 0)
  })
  const timer = setInterval(() => {
    if (lasts(looks, lookTicksMax) || lasts(givenUp, commandTicksMax)) onLost()
  }, tickMs).unref()
  client.once('topologyClosed', () => clearInterval(timer))
}

/** Counts a tick for each, and tells whether one has just lasted too long. */
function lasts<K>(ticks: Map<K, number>, most: number): boolean {
  for (const [key, count] of ticks) ticks.set(key, count + 1)
  return [...ticks.values()].some((count) => count === most)
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

/** Whether an error says that the database cannot serve now: it is away, stopping, or has no room left. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true
  return error instanceof MongoServerError && unavailableCodes.includes(error.code)
}

/** Whether a bulk write failed for nothing but documents that were there already. */
export function onlyDuplicates(error: unknown): error is MongoBulkWriteError {
  if (!(error instanceof MongoBulkWriteError)) return false
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
