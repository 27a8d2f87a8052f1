/** Decides which URLs may be posted to, whatever their host names resolve to (interface.md, Events, rule 9). */
import { isIP } from 'node:net'
import { Failure } from '../../schemas/failures.ts'
import { isPublicAddress } from '../access/public-address.ts'

/** Ports below this belong to other protocols, except that of https. */
const freePortMin = 1_024
const httpsPort = 443
/**
 * Ports from there on that belong to other protocols: those that the Fetch standard blocks (2.9, Port blocking), and those of
 * well-known databases.
 */
const otherPorts: ReadonlySet<number> = new Set([
  ...[
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  ],
  ...[1433, 1521, 2379, 3306, 3389, 5432, 5900, 5984, 6379, 9042, 9200, 9300, 11211, 27017, 27018, 27019],
])

/**
 * Returns a URL in the one form in which it is stored, shown and called: as the URL standard writes it, without a fragment and
 * without dots after the host. Fails with `validation_error` for a URL that must never be posted to. With `allowPrivate` (a
 * closed network) any host, any port and plain http are allowed. `param` is the field that it came in.
 */
export function allowedUrl(text: string, allowPrivate: boolean, param = 'url'): string {
  const refuse = (why: string, fix: string) => new Failure('validation_error', `"${param}" ${why}`, { param, fix })
  if (!URL.canParse(text)) throw refuse('is not a valid URL.', 'Write it like "https://example.org/hook".')
  const url = new URL(text)
  const { protocol, username, password } = url
  if (protocol !== 'https:' && !(allowPrivate && protocol === 'http:'))
    throw refuse('must be an https URL.', 'Begin it with "https://".')
  if (username !== '' || password !== '')
    throw refuse(
      'must not contain a user name or password.',
      'Remove them: the signature of a delivery shows who sent it.',
    )
  url.hash = ''
  url.hostname = url.hostname.replace(/\.+$/, '')
  if (!allowPrivate && isPrivateHost(url.hostname))
    throw refuse('must be on a public address, not on a private network.', 'Give a host that the internet reaches.')
  if (!allowPrivate && !isOpenPort(url.port))
    throw refuse(
      `must not name the port ${url.port}, which is used for other protocols.`,
      'Leave the port out, or choose one from 1024 on, such as 8443.',
    )
  return url.href
}

/** Whether a host, as the URL standard writes it, is an address that is not public, or a name that never leads to one. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  // RFC 6761 6.3, RFC 6762 3, RFC 8375, and ICANN's name for private use.
  return isIP(host) === 0 ? /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/.test(host) : !isPublicAddress(host)
}

function isOpenPort(port: string): boolean {
  const number = port === '' ? httpsPort : Number(port)
  return number === httpsPort || (number >= freePortMin && !otherPorts.has(number))
}
