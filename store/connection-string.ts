/**
 * Refuses connection strings that ask for less than is promised (store/connection.ts). Without the driver: the supervisor asks this
 * before it starts what needs one.
 */

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
