/** The names under which the service itself is reached. */
import { normaliseDomain } from '../../mail/domain.ts'
import type { Context } from './context.ts'

type Named = Pick<Context, 'settings' | 'hostname'>

/** The names of the mail server and of the base URL, and those that the settings list for certificates, which may be wildcards. */
export function serviceNames({ settings, hostname }: Named): readonly string[] {
  const host = settings.baseUrl === null ? null : URL.parse(settings.baseUrl)?.hostname
  const names = [hostname, host, ...settings.acme.names].map((name) => (name == null ? null : normalised(name)))
  return [...new Set(names.filter((name) => name !== null))]
}

/** The name servers of the zones; the first one is named in SOA. */
export const nameServersOf = ({ settings, hostname }: Named): readonly string[] =>
  settings.dns.nameServers.length > 0 ? settings.dns.nameServers : [`ns1.${hostname}`]

/** Whether a name is a wildcard, for all names one label below a domain (RFC 8555 7.1.3). */
export const isWildcard = (name: string): boolean => name.startsWith('*.')

function normalised(name: string): string | null {
  const plain = normaliseDomain(isWildcard(name) ? name.slice(2) : name)
  return plain !== null && isWildcard(name) ? `*.${plain}` : plain
}
