/**
 * Loaded into the processes of a service under test (`NODE_OPTIONS=--import`), so that a test can run the mail servers (port 25)
 * and policy hosts (port 443) of other domains. A connection to `address:port` goes to the local port that `TEST_ELSEWHERE`
 * (JSON) gives for it. Connections to other addresses beyond this machine are refused.
 */
import { isIP, Socket } from 'node:net'

type Target = { host?: unknown; port?: unknown }

const ports = JSON.parse(process.env.TEST_ELSEWHERE ?? '{}') as { readonly [target: string]: number }
/** The port of TCPMUX, on which no program listens. */
const closedPort = 1

const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket
Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  const [first] = args
  // node:net calls itself with its arguments as one array.
  const target = (Array.isArray(first) ? first[0] : first) as Target | undefined
  const port = ports[`${target?.host}:${target?.port}`] ?? (isElsewhere(target) ? closedPort : null)
  if (target !== undefined && port !== null) Object.assign(target, { host: '127.0.0.1', port })
  return connect.apply(this, args)
} as typeof Socket.prototype.connect

function isElsewhere(target: Target | undefined): boolean {
  return typeof target?.host === 'string' && isIP(target.host) === 4 && !target.host.startsWith('127.')
}
