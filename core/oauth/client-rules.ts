/** The rules for client metadata (RFC 7591 2), whether programs register or publish a client ID metadata document. */
import type { ClientMetadata } from 'oidc-provider'

/** What programs can do here, as client metadata name it. */
export const flows = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] } as const

const redirectUrisMax = 20
const uriLengthMax = 2_000
const nameLengthMax = 200
const loopbacks: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
/** Schemes that cannot be a program's own: they lead to other machines, or to recipients that the URI names. */
const publicSchemes: readonly string[] = ['ftp:', 'ws:', 'wss:', 'mailto:', 'tel:', 'sms:', 'intent:', 'view-source:']

/**
 * Completes metadata in place. Returns what is wrong with it, beginning with the name of the field; null when it is valid. A program
 * with a redirect URI that stays on the person's computer is a native one unless it says otherwise, or has one with https there, which
 * only programs of the web may have; native programs may use any port there (RFC 8252 7.3).
 */
export function completeMetadata(metadata: ClientMetadata): string | null {
  const uris: unknown = metadata.redirect_uris
  if (!Array.isArray(uris) || uris.length === 0) return 'redirect_uris must be a list of URIs'
  if (uris.length > redirectUrisMax) return `redirect_uris may have at most ${redirectUrisMax} members`
  for (const uri of uris) {
    const why = whyRefused(uri)
    if (why !== null) return `redirect_uris must only contain URIs that ${why}`
  }
  const name: unknown = metadata.client_name
  if (name !== undefined && (typeof name !== 'string' || name.length > nameLengthMax || /\p{C}/u.test(name)))
    return `client_name must be a line of at most ${nameLengthMax} characters`
  metadata.application_type ??= uris.some(staysOnMachine) && !uris.some(isSecureLoopback) ? 'native' : 'web'
  for (const [field, here] of Object.entries(flows)) keepThose(metadata, field, here)
  // The scope is decided with each request, so that a program can ask for more later.
  delete metadata.scope
  return null
}

/**
 * Keeps those values of a list that are known here: a program also names what it can do elsewhere, such as the device flow (RFC 7591 2).
 * A list without any of them stays as it is, and is refused.
 */
function keepThose(metadata: ClientMetadata, field: string, here: readonly string[]): void {
  const named: unknown = metadata[field]
  const kept = Array.isArray(named) ? named.filter((each) => here.includes(each)) : []
  if (kept.length > 0) metadata[field] = kept
}

/** Why a redirect URI is refused; null when it is valid: https, http on the machine itself, or a program's own scheme (RFC 8252 7). */
function whyRefused(uri: unknown): string | null {
  if (typeof uri !== 'string' || uri.length > uriLengthMax) return `are texts of at most ${uriLengthMax} characters`
  const parsed = URL.parse(uri)
  if (parsed === null) return 'are absolute'
  if (parsed.username !== '' || parsed.password !== '') return 'name no user'
  if (parsed.protocol === 'http:' && !isLoopback(parsed)) return 'use https, unless they stay on the machine'
  if (publicSchemes.includes(parsed.protocol)) return 'use https, or a scheme of the program'
  return uri.includes('#') ? 'have no fragment' : null
}

const isLoopback = ({ hostname }: URL) => loopbacks.includes(hostname)

const isSecureLoopback = (uri: string) => {
  const parsed = new URL(uri)
  return parsed.protocol === 'https:' && isLoopback(parsed)
}

/** Whether a redirect to a URI stays on the person's computer: it leads to a loopback address or to a program there. */
export function staysOnMachine(uri: string): boolean {
  const parsed = URL.parse(uri)
  return parsed !== null && (parsed.protocol === 'http:' ? isLoopback(parsed) : parsed.protocol !== 'https:')
}

/** Where a redirect URI leads, as shown to people: a host, or the scheme of a program. */
export function placeOfRedirect(uri: string): string {
  const { protocol, host } = new URL(uri)
  return protocol === 'http:' || protocol === 'https:' ? host : protocol
}
