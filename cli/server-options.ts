/** The Mailroom that a command calls over HTTP, and the key that it uses. */
import { authorityOf } from '../schemas/authority.ts'
import { Failure } from '../schemas/failures.ts'
import type { Io } from './io.ts'

export type ServerOptions = { readonly key?: string; readonly server?: string }

/** Takes both from the options, the environment, or the settings. Fails with `missing_api_key`, and with `invalid_request`. */
export function serverWithKey(io: Io, options: ServerOptions): { readonly key: string; readonly server: URL } {
  const key = options.key ?? io.env.MAILROOM_API_KEY
  if (key === undefined || key === '')
    throw new Failure('missing_api_key', 'There is no API key.', { fix: 'Pass --key, or set MAILROOM_API_KEY.' })
  return { key, server: urlOf(options.server ?? (io.env.MAILROOM_URL || serverOf(io)), '--server') }
}

/** The server of the settings, which may be on this machine. */
function serverOf(io: Io): string {
  const { baseUrl, http } = io.settings()
  if (baseUrl === null && http.port === 0)
    throw new Failure('invalid_request', 'The settings do not say where the server is.', {
      fix: 'Pass --server with its URL, or set MAILROOM_URL.',
    })
  return baseUrl ?? `http://${authorityOf(http.host, http.port)}`
}

/** The URL of a path of a server, which may itself be below a path of its host, behind a proxy. The query of `server` is dropped. */
export function urlBelow(server: URL, path: string): URL {
  return new URL(`${server.pathname.replace(/\/+$/, '')}${path}`, server)
}

/** Parses a URL. Fails with `invalid_request` if it is not an http or https URL. */
export function urlOf(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new Failure('invalid_request', `"${text}" is not an http or https URL.`, {
      fix: `Write ${option} like http://127.0.0.1:3000.`,
    })
  return url
}
