import { documentBytesMax, nestingMax } from './bson/limits.ts'

/** Every bound of the server in one place; each comment names the abuse or the accident the bound stops. */
export const limits = {
  /** One document, as mongod advertises it: a larger one cannot be read back by a driver. */
  documentBytes: documentBytesMax,
  /** One wire message: stops a peer from announcing a length that would fill the memory. */
  messageBytes: 48_000_000,
  /** Bytes of unanswered requests over all connections. Past it sockets are not read until answers have gone out, apart from one
   *  message per connection that may already be on its way in; the process stays below 400 MB of memory. */
  requestBytes: 64 * 1024 * 1024,
  /** Buffers of this size or more are released explicitly, not left to the garbage collector. */
  largeBytes: 256 * 1024,
  /** Bytes of answers that a client may leave unread before its next message has to wait. */
  unsentBytes: 1024 * 1024,
  /** Connections over TCP at once; the unix socket is for the owner of the data. */
  tcpConnections: 1_000,
  /** One message before a login; a handshake is far smaller. */
  messageBytesBeforeLogin: 16 * 1024,
  /** Failed logins on one connection, and the delay of the answer to each: slows down guessing. */
  loginFailures: 3,
  loginFailureDelayMs: 250,
  /** Operations in one insert, update, delete or bulkWrite command. */
  writeBatch: 100_000,
  /** Bytes of the results of one bulkWrite, which are held until they are read: past it no further operation runs. */
  bulkResultBytes: 32 * 1024 * 1024,
  /** Levels of documents and arrays inside one document: stops stack exhaustion. */
  depth: nestingMax,
  /** Indexes of one collection and fields of one index, as in mongod. */
  indexesPerCollection: 64,
  fieldsPerIndex: 32,
  /** One index key: a longer value cannot be indexed. */
  keyBytes: 64 * 1024,
  /** `database.collection`, and the database alone, as in mongod. */
  namespaceBytes: 255,
  databaseNameBytes: 63,
  /** Open cursors, and how long one may be unused: stops clients that never read to the end, and bounds the number of waiting ones. */
  cursors: 1_000,
  cursorIdleMs: 10 * 60_000,
  /** How long an awaitData cursor waits for documents if the client gives no time, as in mongod. */
  awaitMs: 1_000,
  /** Logical sessions remembered, and how long one may be unused. */
  sessions: 100_000,
  sessionIdleMs: 30 * 60_000,
  /** Documents of a first batch if the client gives no size, and bytes of any batch. */
  firstBatch: 101,
  batchBytes: 16 * 1024 * 1024,
  /** Bytes kept by one sort or one distinct in memory. */
  sortBytes: 100 * 1024 * 1024,
  /** Documents that one step of a multi-document write may change before other statements get their turn, and their bytes. */
  writeChunk: 1_000,
  writeChunkBytes: 8 * 1024 * 1024,
  /** Documents that one step of an index build reads. */
  buildChunk: 250,
  /** Updates or deletes of one command before other statements get their turn. */
  stepOperations: 100,
  /** The commands, bytes and time that one group commit takes from the queue at most. */
  groupCommands: 64,
  groupBytes: 8 * 1024 * 1024,
  groupMs: 5,
  /** A long scan yields to the event loop after this time, and checks the clock after this many documents or bytes. */
  scanSliceMs: 5,
  scanClockEvery: 100,
  scanClockBytes: 256 * 1024,
  /** Entries counted, and entries sorted, between two checks of the clock. */
  countChunk: 20_000,
  sortChunk: 1_000,
  /** Key intervals of one index scan before the planner leaves later components unbounded. */
  intervals: 2_000,
  /** The write-ahead log is checkpointed in the background at this interval or after this growth, and restarted above the hard size. */
  checkpointEveryMs: 250,
  checkpointEveryBytes: 8 * 1024 * 1024,
  walHardBytes: 64 * 1024 * 1024,
  /** How often a checkpoint that keeps failing is logged. */
  checkpointWarnEveryMs: 60_000,
  /** How long the writer waits for readers when it restarts the log. */
  walRestartWaitMs: 100,
  /** How long clients may still write after the process that started the engine has ended. */
  orphanMs: 4_000,
  /** How long a stop waits for commands and queued writes. */
  stopMs: 10_000,
  /** How often expired documents are removed, and how many of one index in one round. */
  ttlEveryMs: 60_000,
  ttlDeletes: 1_000,
  /** Page caches. Every commit empties that of a reader, so it is small; the operating system caches the file too. */
  writerCacheBytes: 48 * 1024 * 1024,
  readerCacheBytes: 16 * 1024 * 1024,
} as const
