/**
 * The errors that mean that a database deployment is temporarily unable to serve: a table of the error codes of its servers, and a list
 * of the driver's own errors. Callers are answered `unavailable` (HTTP 503, SMTP 451).
 *
 * Retries: for the codes marked `driver`, the driver retries reads and single writes once, on a deployment that numbers writes, so that
 * none is made twice. Everything else is retried by the caller, with the Idempotency-Key or Message-ID that identifies the repeat.
 *
 * Sources: MongoDB's src/mongo/base/error_codes.yml; the drivers' specifications of retryable reads, retryable writes, and
 * server discovery ("not writable primary", "node is recovering").
 */
import {
  MongoBulkWriteError,
  MongoClientBulkWriteError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoUnexpectedServerResponseError,
  MongoWriteConcernError,
} from 'mongodb'
import { ObjectStoreError } from './object-store.ts'

type Unwell = {
  readonly name: string
  /** The kind of trouble. */
  readonly why: 'network' | 'step-down' | 'time' | 'durability' | 'snapshot' | 'contention' | 'room'
  /** Who retries: the driver by itself (the specification of retryable reads and writes), or the caller. */
  readonly again: 'driver' | 'caller'
}

const unwell = (why: Unwell['why'], name: string, again: Unwell['again'] = 'caller'): Unwell => ({ name, why, again })

const diskFull = 14031

export const unwellCodes: Readonly<Record<number, Unwell>> = {
  6: unwell('network', 'HostUnreachable', 'driver'),
  7: unwell('network', 'HostNotFound', 'driver'),
  24: unwell('contention', 'LockTimeout'),
  43: unwell('step-down', 'CursorNotFound'),
  46: unwell('contention', 'LockBusy'),
  50: unwell('time', 'MaxTimeMSExpired'),
  64: unwell('durability', 'WriteConcernTimeout'),
  70: unwell('network', 'ShardNotFound'),
  71: unwell('network', 'ReplicaSetNotFound'),
  89: unwell('network', 'NetworkTimeout', 'driver'),
  91: unwell('step-down', 'ShutdownInProgress', 'driver'),
  94: unwell('step-down', 'NotYetInitialized'),
  100: unwell('durability', 'UnsatisfiableWriteConcern'),
  107: unwell('contention', 'LockFailed'),
  109: unwell('contention', 'ConfigurationInProgress'),
  112: unwell('contention', 'WriteConflict'),
  133: unwell('step-down', 'FailedToSatisfyReadPreference'),
  134: unwell('durability', 'ReadConcernMajorityNotAvailableYet', 'driver'),
  145: unwell('network', 'PooledConnectionsDropped'),
  150: unwell('contention', 'StaleEpoch'),
  172: unwell('network', 'TransportSessionClosed'),
  175: unwell('contention', 'QueryPlanKilled'),
  189: unwell('step-down', 'PrimarySteppedDown', 'driver'),
  202: unwell('time', 'NetworkInterfaceExceededTimeLimit'),
  216: unwell('step-down', 'ElectionInProgress'),
  237: unwell('step-down', 'CursorKilled'),
  239: unwell('snapshot', 'SnapshotTooOld'),
  246: unwell('snapshot', 'SnapshotUnavailable'),
  249: unwell('contention', 'StaleDbVersion'),
  250: unwell('snapshot', 'StaleChunkHistory'),
  262: unwell('time', 'ExceededTimeLimit', 'driver'),
  264: unwell('room', 'TooManyFilesOpen'),
  272: unwell('snapshot', 'MigrationConflict'),
  279: unwell('network', 'ClientDisconnect'),
  290: unwell('time', 'TransactionExceededLifetimeLimitSeconds'),
  317: unwell('network', 'ConnectionPoolExpired'),
  342: unwell('contention', 'ReshardingCriticalSectionTimeout'),
  355: unwell('step-down', 'InterruptedDueToStorageChange'),
  365: unwell('room', 'TemporarilyUnavailable'),
  371: unwell('contention', 'UserWritesBlocked'),
  384: unwell('network', 'ConnectionError'),
  402: unwell('room', 'ResourceExhausted'),
  406: unwell('contention', 'MigrationBlockingOperationCoordinatorCleaningUp'),
  407: unwell('network', 'PooledConnectionAcquisitionExceededTimeLimit'),
  433: unwell('room', 'AdmissionQueueOverflow', 'driver'),
  449: unwell('room', 'RateLimitExceeded', 'driver'),
  9001: unwell('network', 'SocketException', 'driver'),
  10058: unwell('step-down', 'LegacyNotPrimary'),
  10107: unwell('step-down', 'NotWritablePrimary', 'driver'),
  11600: unwell('step-down', 'InterruptedAtShutdown', 'driver'),
  11601: unwell('step-down', 'Interrupted'),
  11602: unwell('step-down', 'InterruptedDueToReplStateChange', 'driver'),
  13388: unwell('contention', 'StaleConfig'),
  13435: unwell('step-down', 'NotPrimaryNoSecondaryOk', 'driver'),
  13436: unwell('step-down', 'NotPrimaryOrSecondary', 'driver'),
  [diskFull]: unwell('room', 'OutOfDiskSpace'),
}

/** The driver's own errors: no server answered, none that can write, not in time, or not durably. */
const unwellErrors = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoOperationTimeoutError,
  MongoWriteConcernError,
  MongoServerClosedError,
  MongoTopologyClosedError,
  MongoNotConnectedError,
  MongoUnexpectedServerResponseError,
] as const

/** Errors of the driver's connection pool, by name, because the driver does not export them. */
const unwellNames: ReadonlySet<string> = new Set(['MongoWaitQueueTimeoutError', 'MongoPoolClosedError'])

/** Whether an error means that the database or the object store cannot serve now, or could not make a write durable. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ObjectStoreError) return true
  if (unwellErrors.some((kind) => error instanceof kind)) return true
  if (error instanceof Error && unwellNames.has(error.name)) return true
  if (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined) return true
  // The error of a bulk write may wrap the error that caused it.
  if (error instanceof MongoBulkWriteError && isUnavailable(error.errorResponse)) return true
  if (error instanceof MongoClientBulkWriteError && isUnwellBulk(error)) return true
  return error instanceof MongoServerError && typeof error.code === 'number' && Object.hasOwn(unwellCodes, error.code)
}

/** Whether an error means that the disk of the database is full: nothing was written, but reads still work. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError && isDiskFull(error.errorResponse)) return true
  if (error instanceof MongoClientBulkWriteError && isDiskFull(error.cause)) return true
  return error instanceof MongoServerError && error.code === diskFull
}

function isUnwellBulk({ cause, writeConcernErrors, writeErrors }: MongoClientBulkWriteError): boolean {
  const isUnwell = ({ code }: { readonly code: number }) => Object.hasOwn(unwellCodes, code)
  return writeConcernErrors.length > 0 || [...writeErrors.values()].some(isUnwell) || isUnavailable(cause)
}
