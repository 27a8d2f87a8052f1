import { documentBytesMax, nestingMax } from './bson/limits.ts'

/** Every bound of the server in one place; each comment names the abuse or the accident the bound stops. */
export const limits = {
  /** One document, as mongod advertises it: a larger one cannot be read back by a driver. */
  documentBytes: documentBytesMax,
  /** One wire message: stops a peer from announcing a length that would fill the memory. */
  messageBytes: 48_000_000,
  /** Bytes of requests held at once over all connections; past it sockets are not read until answers have gone out. */
  requestBytes: 256 * 1024 * 1024,
  /** Operations in one insert, update or delete command. */
  writeBatch: 100_000,
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
  /** Open cursors, and how long one may lie unused: stops clients that never read to the end. */
  cursors: 1_000,
  cursorIdleMs: 10 * 60_000,
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
  /** Updates or deletes of one command before others get their turn. */
  stepOperations: 100,
  /** One group commit takes at most this much of the queue. */
  groupCommands: 64,
  groupBytes: 8 * 1024 * 1024,
  groupMs: 5,
  /** A long scan gives the event loop back after this time, and looks at the clock after so many documents. */
  scanSliceMs: 5,
  scanClockEvery: 100,
  /** Intervals one `$in` or `$or` may open before the planner falls back to a wider range. */
  intervals: 2_000,
  /** The write-ahead log: checkpointed in the background, and forced to restart above this size. */
  checkpointEveryMs: 250,
  walHardBytes: 64 * 1024 * 1024,
  /** How long the writer waits for readers when it forces that. */
  walRestartWaitMs: 100,
  /** How long a stop waits for writes that are queued. */
  stopMs: 10_000,
  /** The sweeper of expired documents. */
  ttlEveryMs: 60_000,
  ttlDeletes: 1_000,
  /** Page cache of each connection. */
  cacheBytes: 64 * 1024 * 1024,
} as const
