/** The names under which the service itself is reached. */
import { normaliseDomain } from '../../mail/domain.ts'
import type { Context } from './context.ts'

type Named = Pick<Context, 'settings' | 'hostname'>

/** Its mail server, its address on the web, and those that the settings name for certificates, which may be wildcards. */
export function serviceNames({ settings, hostname }: Named): readonly string[] {
  const host = settings.baseUrl === null ? null : URL.parse(settings.baseUrl)?.hostname
  const names = [hostname, host, ...settings.acme.names].map((name) => (name == null ? null : normalised(name)))
  return [...new Set(names.filter((name) => name !== null))]
}

/** The servers of the zones, the first of them in SOA. */
export const nameServersOf = ({ settings, hostname }: Named): readonly string[] =>
  settings.dns.nameServers.length > 0 ? settings.dns.nameServers : [`ns1.${hostname}`]

/** What a certificate for all names one label below a domain is ordered for (RFC 8555 7.1.3). */
export const isWildcard = (name: string): boolean => name.startsWith('*.')

function normalised(name: string): string | null {
  const plain = normaliseDomain(isWildcard(name) ? name.slice(2) : name)
  return plain !== null && isWildcard(name) ? `*.${plain}` : plain
}
