/** What programs may say of themselves (RFC 7591 2), whether they register or publish a client ID metadata document. */
import type { ClientMetadata } from 'oidc-provider'

const redirectUrisMax = 20
const uriLengthMax = 2_000
const nameLengthMax = 200
const loopbacks: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
/** Schemes that are no program's own: they lead to other machines, or to whom somebody else names. */
const publicSchemes: readonly string[] = ['ftp:', 'ws:', 'wss:', 'mailto:', 'tel:', 'sms:', 'intent:', 'view-source:']

/**
 * Completes metadata in place, and says what is wrong with it, the field first; null when nothing is. A program whose
 * redirect URIs all stay on the person's computer is a native one unless it says otherwise: these may take any port there
 * (RFC 8252 7.3).
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
  metadata.application_type ??= uris.every(staysOnMachine) ? 'native' : 'web'
  // What a program asks for is decided with each request, so that it can ask for more later.
  delete metadata.scope
  return null
}

/** Why a redirect URI is not taken: only https, http on the machine itself, and schemes of programs (RFC 8252 7) are. */
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

/** Whether what is sent to a URI stays on the person's computer: on a loopback address, or in a program there. */
export function staysOnMachine(uri: string): boolean {
  const parsed = URL.parse(uri)
  return parsed !== null && (parsed.protocol === 'http:' ? isLoopback(parsed) : parsed.protocol !== 'https:')
}

/** Where a redirect URI leads to, for people: a host, or the scheme of a program. */
export function placeOfRedirect(uri: string): string {
  const { protocol, host } = new URL(uri)
  return protocol === 'http:' || protocol === 'https:' ? host : protocol
}
