/** Opens the database with the ordinary driver: the embedded engine through its socket, or a MongoDB deployment. */
import { channel } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { type Db, MongoBulkWriteError, type MongoClient, MongoServerError } from 'mongodb'
import { Failure } from '../schemas/failures.ts'
import { type Collections, collectionsOf } from './collections.ts'
import { clientOf } from './connection.ts'
import { WeakConnection } from './connection-string.ts'
import { createWriteCounted, type WriteCounted } from './counted-writes.ts'
import { createKnownUids, type KnownUids } from './known-uids.ts'
import { createModseqs } from './modseq.ts'
import { refuseMoved } from './moved.ts'
import type { ObjectStore } from './object-store.ts'
import { isReady, prepare } from './preparation.ts'
import {
  createWrites,
  duplicateKey,
  keepsListsWhole,
  knowsBulkWrite,
  type WriteEach,
  type WriteSoon,
  type WriteTogether,
} from './writes.ts'

export type Store = Collections & {
  readonly db: Db
  readonly writeTogether: WriteTogether
  readonly writeSoon: WriteSoon
  readonly writeEach: WriteEach
  readonly writeCounted: WriteCounted
  /** Whether a crash leaves all writes of a short list or none (store/writes.ts). */
  readonly listsAreWhole: boolean
  /** Assigns the modseq for a reservation (store/modseq.ts). */
  readonly nextModseq: (at: Date) => number
  /** Where large bodies are stored; null: in the database. */
  readonly objects: ObjectStore | null
  /** The next UIDs of folders, as far as they are known. */
  readonly uids: KnownUids
  /** One round trip to the database, for health checks. Rejects when the database does not answer. */
  ping(): Promise<void>
  /** The current time by the clock of the database server. */
  time(): Promise<Date>
  close(): Promise<void>
}

/** Called with the name of a command, `other` for a rare one, and its duration in seconds. */
export type OnCommand = (command: string, seconds: number) => void

/** The commands measured by name. `getMore` is not measured at all, because most of its time is spent waiting for change notes. */
const measuredCommands: ReadonlySet<string> = new Set([
  'aggregate',
  'bulkWrite',
  'count',
  'delete',
  'distinct',
  'find',
  'findAndModify',
  'insert',
  'ping',
  'update',
])
const databaseName = 'mailroom'

emitDrainOnClose()

/**
 * Connects, and makes sure that the database is ready (store/preparation.ts). `url` is a MongoDB connection string; the database
 * is the one it names, or `mailroom` if it names none. `onCommand` receives the duration of each command. Fails with `unavailable` when no
 * server answers within 10 s or the login is refused. Rejects with WeakConnection when the string weakens the guarantees, and with an
 * error when the database was moved elsewhere.
 */
export async function openStore({
  url,
  role,
  objects = null,
  onCommand,
}: {
  url: string
  role: string
  objects?: ObjectStore | null
  onCommand?: OnCommand
}): Promise<Store> {
  const appName = `mailroom-${role}`
  const client = await connected(url, { appName, onCommand })
  try {
    return await storeOf(client, { url, appName, objects })
  } catch (error) {
    await client.close()
    throw error
  }
}

async function storeOf(
  client: MongoClient,
  { url, appName, objects }: { readonly url: string; readonly appName: string; readonly objects: ObjectStore | null },
): Promise<Store> {
  const db = client.db(databaseOf(url))
  await refuseMoved(db)
  if (!(await isReady(db))) await makeReady(url, appName)
  const isTogether = await knowsBulkWrite(db)
  return {
    ...collectionsOf(db),
    db,
    ...createWrites(db, isTogether),
    writeCounted: createWriteCounted(db, isTogether),
    listsAreWhole: await keepsListsWhole(db),
    nextModseq: createModseqs(),
    uids: createKnownUids(),
    async ping() {
      await db.command({ ping: 1 })
    },
    async time() {
      return (await db.command({ hello: 1 })).localTime as Date
    },
    objects,
    async close() {
      objects?.close()
      await client.close()
    },
  }
}

async function connected(
  url: string,
  { appName, onCommand }: { readonly appName: string; readonly onCommand: OnCommand | undefined },
): Promise<MongoClient> {
  try {
    const client = clientOf(url, { appName, ...(onCommand !== undefined && { monitorCommands: true }) })
    if (onCommand !== undefined) measureCommands(client, onCommand)
    return await client.connect()
  } catch (error) {
    if (error instanceof WeakConnection) throw error
    const [, where = ''] = /^[^:]+:\/\/(?:.*@)?([^/?]*)/.exec(url) ?? []
    const reason = (error as Error).message.replace(/\.$/, '')
    throw new Failure('unavailable', `The database at ${decodeURIComponent(where)} cannot be used: ${reason}.`, {
      cause: error,
      fix: 'Check that the database is running there and, if MONGODB_URL is set, that it is correct.',
    })
  }
}

async function makeReady(url: string, appName: string): Promise<void> {
  const client = clientOf(url, { appName, isPatient: true })
  try {
    await prepare(client.db(databaseOf(url)))
  } finally {
    await client.close()
  }
}

function measureCommands(client: MongoClient, onCommand: OnCommand): void {
  const heard = ({ commandName, duration }: { readonly commandName: string; readonly duration: number }) => {
    if (commandName !== 'getMore')
      onCommand(measuredCommands.has(commandName) ? commandName : 'other', duration / 1_000)
  }
  client.on('commandSucceeded', heard)
  client.on('commandFailed', heard)
}

/**
 * Works around a hang in the driver. After a write that the socket cannot accept at once, the driver waits for the event `drain`. A
 * socket that was destroyed but has not emitted `close` yet accepts no write and never drains, so the command would never end. If
 * that command is the driver's check of the server, no other command would start either. Emitting `drain` after `close` wakes the
 * driver, which then finds the connection closed.
 */
function emitDrainOnClose(): void {
  channel('net.client.socket').subscribe((message) => {
    const { socket } = message as { readonly socket: Socket }
    socket.once('close', () => process.nextTick(() => socket.emit('drain')))
  })
}

/** The name of the database in a connection string, or `mailroom` if it names none. */
export function databaseOf(url: string): string {
  // Not parsed as a URL, because a host may be the path of a socket, even one with a space in it.
  const named = /^[^:]+:\/\/[^/?]*\/([^?#]*)/.exec(url)?.[1] ?? ''
  return named === '' ? databaseName : named
}

/** Whether an error is a duplicate key error. `field`: only if the unique index has this field. */
export function isDuplicate(error: unknown, field?: string): boolean {
  if (!(error instanceof MongoServerError) || error.code !== duplicateKey) return false
  return field === undefined || Object.keys((error.keyPattern as object | undefined) ?? {}).includes(field)
}

/**
 * Whether a bulk write failed only because of duplicate keys. False if its write concern also failed, because the documents that were
 * written are then not known to be durable.
 */
export function onlyDuplicates(error: unknown): error is MongoBulkWriteError {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false
  const errors = writeErrorsOf(error)
  return errors.length > 0 && errors.every(({ code }) => code === duplicateKey)
}

/** The indexes of the operations of a bulk write that failed because of duplicate keys. Rethrows any other error. */
export function duplicatesIn(error: unknown): number[] {
  if (!onlyDuplicates(error)) throw error
  return writeErrorsOf(error).map(({ index }) => index)
}

const writeErrorsOf = ({ writeErrors }: MongoBulkWriteError) =>
  Array.isArray(writeErrors) ? writeErrors : [writeErrors]
