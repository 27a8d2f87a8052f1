/**
 * Every failure that the engine reports carries mongod's numeric code and code name, because drivers and libraries tell
 * failures apart by number. The table holds the named codes in use. A failure that has only a number in mongod is raised with
 * that number and named `Location<number>`, as in mongod.
 */
export const errorCodes = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  AuthenticationFailed: 18,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  CannotBackfillArray: 34,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  IndexAlreadyExists: 68,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  NoReplicationEnabled: 76,
  UnknownReplWriteConcern: 79,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  ShutdownInProgress: 91,
  OperationFailed: 96,
  UnsatisfiableWriteConcern: 100,
  NotExactValueField: 111,
  CommandNotSupported: 115,
  NotAReplicaSet: 123,
  CommandFailed: 125,
  CappedPositionLost: 136,
  CursorInUse: 143,
  ExceededMemoryLimit: 146,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  QueryPlanKilled: 175,
  AmbiguousIndexKeyPattern: 181,
  InvalidIndexSpecificationOption: 197,
  QueryFeatureNotAllowed: 224,
  MaxSubPipelineDepthExceeded: 232,
  CursorKilled: 237,
  NotImplemented: 238,
  ConversionFailure: 241,
  NoSuchTransaction: 251,
  IndexBuildAborted: 276,
  NoQueryExecutionPlans: 291,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  MechanismUnavailable: 334,
  APIVersionError: 322,
  APIStrictError: 323,
  UserWritesBlocked: 371,
  NotWritablePrimary: 10107,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  InterruptedAtShutdown: 11600,
  Interrupted: 11601,
  OutOfDiskSpace: 14031,
} as const

export type ErrorName = keyof typeof errorCodes

const names = new Map<number, string>(Object.entries(errorCodes).map(([name, code]) => [code, name]))

/**
 * A failure with mongod's code. `name` is a row of the table, or a bare number for failures that mongod does not name.
 * `extra` is merged into the reply (for example `keyPattern` and `keyValue` of a duplicate key).
 */
export class EngineError extends Error {
  readonly code: number
  readonly codeName: string
  readonly extra: Readonly<Record<string, unknown>>

  constructor(name: ErrorName | number, message: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = 'EngineError'
    this.code = typeof name === 'number' ? name : errorCodes[name]
    this.codeName = typeof name === 'number' ? (names.get(name) ?? `Location${name}`) : name
    this.extra = extra
  }
}
