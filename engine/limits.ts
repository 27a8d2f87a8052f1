import { documentBytesMax, nestingMax } from './bson/limits.ts'

/** Every bound of the server in one place; each comment names the abuse or the accident the bound stops. */
export const limits = {
  /** One document, as mongod advertises it: a larger one cannot be read back by a driver. */
  documentBytes: documentBytesMax,
  /** One wire message: stops a peer from announcing a length that would fill the memory. */
  messageBytes: 48_000_000,
  /** Bytes of requests held at once over all connections; past it sockets are not read until answers have gone out. Beyond it
   *  one message of each connection may still come in; the process stays below 400 MB of memory. */
  requestBytes: 64 * 1024 * 1024,
  /** Memory from this size on is given back by hand. */
  largeBytes: 256 * 1024,
  /** Bytes of answers that a client has not read yet, before its next message is answered. */
  unsentBytes: 1024 * 1024,
  /** Connections over TCP at once; the unix socket is for the owner of the data. */
  tcpConnections: 1_000,
  /** A message before a login: a handshake is far smaller. */
  messageBytesBeforeLogin: 16 * 1024,
  /** Attempts to log in on one connection, and how late a failed one is answered: stops guessing. */
  loginFailures: 3,
  loginFailureDelayMs: 250,
  /** Operations in one insert, update, delete or bulkWrite command. */
  writeBatch: 100_000,
  /** Results of one bulkWrite, which are held until they are read: past it its further operations are not tried. */
  bulkResultBytes: 32 * 1024 * 1024,
  /** Levels of documents and arrays inside one document: stops stack exhaustion. */
  depth: nestingMax,
  /** Indexes of one collection and fields of one index, as mongod. */
  indexesPerCollection: 64,
  fieldsPerIndex: 32,
  /** One index key: a longer value cannot be indexed. */
  keyBytes: 64 * 1024,
  /** `database.collection`, as mongod. */
  namespaceBytes: 255,
  databaseNameBytes: 63,
  /** Open cursors, and how long one may lie unused: stops clients that never read to the end, and bounds those who wait. */
  cursors: 1_000,
  cursorIdleMs: 10 * 60_000,
  /** How long an awaiting cursor waits for documents when the client names no time, as mongod. */
  awaitMs: 1_000,
  /** Logical sessions remembered, and their life without use. */
  sessions: 100_000,
  sessionIdleMs: 30 * 60_000,
  /** Documents of a first batch when the client names no size, and bytes of any batch. */
  firstBatch: 101,
  batchBytes: 16 * 1024 * 1024,
  /** Bytes kept by one sort or one distinct in memory. */
  sortBytes: 100 * 1024 * 1024,
  /** Documents one step of a multi-document write may change before others get their turn. */
  writeChunk: 1_000,
  writeChunkBytes: 8 * 1024 * 1024,
  /** Documents that one step of building an index enters. */
  buildChunk: 250,
  /** Updates or deletes of one command before others get their turn. */
  stepOperations: 100,
  /** One group commit takes at most this much of the queue. */
  groupCommands: 64,
  groupBytes: 8 * 1024 * 1024,
  groupMs: 5,
  /** A long scan gives the event loop back after this time, and looks at the clock after so many documents or bytes. */
  scanSliceMs: 5,
  scanClockEvery: 100,
  scanClockBytes: 256 * 1024,
  /** Entries counted, or sorted, in one go between two looks at the clock. */
  countChunk: 20_000,
  sortChunk: 1_000,
  /** Intervals one `$in` or `$or` may open before the planner falls back to a wider range. */
  intervals: 2_000,
  /** The write-ahead log: checkpointed in the background at this pace, or after so much; started anew above the hard size. */
  checkpointEveryMs: 250,
  checkpointEveryBytes: 8 * 1024 * 1024,
  walHardBytes: 64 * 1024 * 1024,
  /** How often a checkpoint that goes on to fail is told of. */
  checkpointWarnEveryMs: 60_000,
  /** How long the writer waits for readers when it forces that. */
  walRestartWaitMs: 100,
  /** How long clients may still write when whoever started the engine is gone. */
  orphanMs: 4_000,
  /** How long a stop waits for writes that are queued. */
  stopMs: 10_000,
  /** The sweeper of expired documents. */
  ttlEveryMs: 60_000,
  ttlDeletes: 1_000,
  /** Page caches. That of a reader is emptied by every commit, and the operating system keeps the file in memory too. */
  writerCacheBytes: 48 * 1024 * 1024,
  readerCacheBytes: 16 * 1024 * 1024,
} as const
