/**
 * Refuses connection strings whose options weaken the guarantees of store/connection.ts. Does not import the driver, because the
 * supervisor checks the string before it starts a process that needs the driver.
 */

/** The connection string weakens the guarantees; the text says which option does, and what to write instead. */
export class WeakConnection extends Error {
  override readonly name = 'WeakConnection'
}

type Rule = {
  /** The allowed values, in lower case; empty if the option is not allowed at all. */
  readonly allowed: readonly string[]
  readonly why: string
}

const acknowledged = 'what Mailroom acknowledges must be on the disks of a majority of the members'
const newest = 'other members may be behind, so that what was just stored would be missing'
const repeated = 'a read or write that a change of primaries interrupts must be made again, and only once'
const bounded = 'Mailroom bounds every wait itself'

/** The options that affect the guarantees, by their names in lower case. */
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
    { allowed: ['local'], why: 'Mailroom itself asks for a stronger read concern where it needs one' },
  ],
  ['retrywrites', { allowed: ['true'], why: repeated }],
  ['retryreads', { allowed: ['true'], why: repeated }],
  ...['timeoutms', 'sockettimeoutms', 'waitqueuetimeoutms', 'serverselectiontimeoutms', 'wtimeoutms', 'wtimeout'].map(
    (name): [string, Rule] => [name, { allowed: [], why: bounded }],
  ),
])

/** Throws WeakConnection if an option of the connection string weakens the guarantees. */
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
