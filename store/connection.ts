/**
 * What a connection to the database is like, whatever its connection string says: a write is acknowledged when a majority of
 * the members has it on disk, reads ask the primary, and every wait has an end. A connection string that asks for less is
 * refused. The bounds are the socket's: `timeoutMS` has no effect in the driver.
 */
import { MongoClient, type MongoClientOptions } from 'mongodb'

/** How long a command may take to be answered; then its connection is closed, and the caller told that nobody answered. */
export const answerMs = 20_000
/** How long a command waits for a server that can serve it, and for a connection that is free. */
const serverMs = 10_000
const connectionMs = 10_000
const connectMs = 10_000
const connectionsMax = 50
/** For commands that rebuild what is stored: indexes and migrations. */
const longAnswerMs = 12 * 3_600_000

/**
 * For reads whose answer is given out as a number, or as proof that something is stored: they see only what no change of primaries
 * takes back. Other reads also see what is being acknowledged at the moment, so that who was refused as a duplicate finds the first.
 */
export const settled = { readConcern: 'majority' } as const

/** A connection string that asks for less than is promised; the text says which part of it, and what to write. */
export class WeakConnection extends Error {
  override readonly name = 'WeakConnection'
}

type Rule = {
  /** The values that may stand there, in lower case; none: the option may not. */
  readonly allowed: readonly string[]
  readonly why: string
}

const acknowledged = 'what Mailroom acknowledges must be on the disks of a majority of the members'
const newest = 'other members may be behind, so that what was just stored would be missing'
const repeated = 'a read or write that a change of primaries interrupts must be made again, and only once'
const bounded = 'Mailroom bounds every wait itself'

/** The options that have a say in what is promised, by their names in lower case. */
const rules: ReadonlyMap<string, Rule> = new Map([
  ['w', { allowed: ['majority'], why: acknowledged }],
  ['journal', { allowed: ['true'], why: acknowledged }],
  ['j', { allowed: ['true'], why: acknowledged }],
  ['fsync', { allowed: [], why: acknowledged }],
  ['safe', { allowed: [], why: acknowledged }],
  ['readpreference', { allowed: ['primary'], why: newest }],
  ['readpreferencetags', { allowed: [], why: newest }],
  ['maxstalenessseconds', { allowed: [], why: newest }],
  [
    'readconcernlevel',
    { allowed: ['local'], why: 'Mailroom asks for more than that itself, where a number is given out' },
  ],
  ['retrywrites', { allowed: ['true'], why: repeated }],
  ['retryreads', { allowed: ['true'], why: repeated }],
  ...['timeoutms', 'sockettimeoutms', 'waitqueuetimeoutms', 'serverselectiontimeoutms', 'wtimeoutms', 'wtimeout'].map(
    (name): [string, Rule] => [name, { allowed: [], why: bounded }],
  ),
])

/** Refuses a connection string that asks for less than is promised. Throws WeakConnection. */
export function requireDurable(url: string): void {
  const query = url.slice(url.indexOf('?') + 1)
  if (query === url) return
  for (const [name, value] of new URLSearchParams(query)) {
    const rule = rules.get(name.toLowerCase())
    if (rule === undefined || rule.allowed.includes(value.toLowerCase())) continue
    const [only] = rule.allowed
    const fix = only === undefined ? `Leave ${name} out.` : `Write ${name}=${only}, or leave it out.`
    throw new WeakConnection(`The connection string has ${name}=${value}, but ${rule.why}. ${fix}`)
  }
}

/**
 * A client of the database at `url`, which is not connected yet. `isPatient`: for commands that rebuild what is stored, which
 * take as long as there is much. Throws WeakConnection, and what the driver says of a malformed URL.
 */
export function clientOf(
  url: string,
  { isPatient = false, ...options }: Pick<MongoClientOptions, 'appName' | 'monitorCommands'> & { isPatient?: boolean },
): MongoClient {
  requireDurable(url)
  return new MongoClient(url, { ...promised, ...(isPatient && { socketTimeoutMS: longAnswerMs }), ...options })
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
