/**
 * Loaded into the processes of a service under test (`NODE_OPTIONS=--import`), so that a test can play the mail servers at
 * port 25 and the policy hosts at port 443 of other domains: connections to `address:port` go to the port of this machine
 * that `TEST_ELSEWHERE` (JSON) names for it. Addresses for documentation (RFC 5737) that it does not name are refused.
 */
import { Socket } from 'node:net'

type Target = { host?: unknown; port?: unknown }

const ports = JSON.parse(process.env.TEST_ELSEWHERE ?? '{}') as { readonly [target: string]: number }
/** TCPMUX: nobody listens there. */
const closedPort = 1

const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket
Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  const [first] = args
  // What node:net hands on to itself are its arguments as an array.
  const target = (Array.isArray(first) ? first[0] : first) as Target | undefined
  const port = ports[`${target?.host}:${target?.port}`] ?? (isElsewhere(target) ? closedPort : null)
  if (target !== undefined && port !== null) Object.assign(target, { host: '127.0.0.1', port })
  return connect.apply(this, args)
} as typeof Socket.prototype.connect

function isElsewhere(target: Target | undefined): boolean {
  return typeof target?.host === 'string' && target.host.startsWith('192.0.2.')
}
