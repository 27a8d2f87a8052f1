/**
 * Serves the dashboard (web/) below /app. It is built after the service is ready (cli/web-build.ts); until then its pages say so.
 * Every path below /app is a page within the dashboard, so all of them get the same document.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Failure } from '../schemas/failures.ts'
import { html } from './pages/html.ts'
import { showPage } from './pages/page.ts'
import type { Exchange, Route } from './routes.ts'

export type Dashboard = {
  state():
    | { readonly is: 'being made' | 'not made' }
    /** The folder has index.html, and assets/ with files named by a hash of their content, each also as .br and .gz. */
    | { readonly is: 'made'; readonly folder: string }
}

const root = '/app'
/** Nothing inline and no other host. Images may be data: or blob: URLs, for those in mail; mail is shown in frames with their own policy. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const codings = { br: '.br', gzip: '.gz', identity: '' } as const
/** How soon the page that says that the dashboard is being built reloads. */
const againSeconds = 2

export function dashboardRoutes(dashboard: Dashboard): readonly Route[] {
  const serve = (exchange: Exchange) => serveDocument(exchange, dashboard)
  return [
    { method: 'GET', path: '/', serve: leadToDashboard },
    { method: 'GET', path: root, serve },
    // Of two routes with the same number of parameters, the first serves.
    { method: 'GET', path: `${root}/assets/{file}`, serve: (exchange) => serveAsset(exchange, dashboard) },
    { method: 'GET', path: `${root}/{place...}`, serve },
  ]
}

/** Redirects a browser at the root to the dashboard; programs get `not_found`. */
function leadToDashboard(exchange: Exchange): void {
  if (exchange.accepts('json', 'html') !== 'html')
    throw new Failure('not_found', 'There is nothing at this path.', {
      fix: `The API begins at ${exchange.state.ctx.baseUrl}/api/v1; a browser is redirected from here to the dashboard.`,
    })
  exchange.status = 303
  exchange.set('Location', root)
  exchange.body = ''
}

async function serveDocument(exchange: Exchange, dashboard: Dashboard): Promise<void> {
  const state = dashboard.state()
  if (state.is !== 'made') return sayThatItIsMissing(exchange, state.is)
  exchange.set('Content-Security-Policy', policy)
  exchange.type = 'text/html; charset=utf-8'
  exchange.body = await readFile(path.join(state.folder, 'index.html'))
}

async function serveAsset(exchange: Exchange, dashboard: Dashboard): Promise<void> {
  const state = dashboard.state()
  const { file = '' } = exchange.params
  const type = types[path.extname(file)]
  const folder = state.is === 'made' && /^[\w-][\w.-]*$/.test(file) && type !== undefined ? state.folder : null
  const content = folder === null ? null : await inCoding(exchange, path.join(folder, 'assets', file))
  if (type === undefined || content === null)
    throw new Failure('not_found', 'There is no such file of the dashboard.', {
      fix: 'Reload the page: the dashboard has been updated.',
    })
  exchange.set('Cache-Control', 'public, max-age=31536000, immutable')
  exchange.type = type
  exchange.body = content
}

/** A file in the best coding that the client accepts and that exists; null if there is no such file. */
async function inCoding(exchange: Exchange, file: string): Promise<Buffer | null> {
  exchange.vary('Accept-Encoding')
  // The smallest one that the client accepts: browsers name all of them without a preference.
  const wanted = (['br', 'gzip'] as const).find((coding) => exchange.acceptsEncodings(coding) === coding) ?? 'identity'
  for (const coding of new Set([wanted, 'identity'] as const)) {
    const content = await readIfThere(`${file}${codings[coding]}`)
    if (content === null) continue
    if (coding !== 'identity') exchange.set('Content-Encoding', coding)
    return content
  }
  return null
}

async function readIfThere(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

/** 503 (RFC 9110 15.6.4), as a page that loads itself again without a script. */
function sayThatItIsMissing(exchange: Exchange, is: 'being made' | 'not made'): void {
  if (is === 'being made') {
    exchange.set('Retry-After', String(againSeconds))
    exchange.set('Refresh', String(againSeconds))
  }
  showPage(exchange, {
    title: is === 'being made' ? 'The dashboard is being made' : 'The dashboard could not be made',
    status: 503,
    isNarrow: true,
    content:
      is === 'being made'
        ? html`<h1>The dashboard is being made</h1>
<p role="status">This happens once after an installation and takes less than a minute. The page loads itself again.</p>
<p>The API, mail and the <a href="/settings">settings</a> work meanwhile.</p>`
        : html`<h1>The dashboard could not be made</h1>
<p role="alert">The log of the service says why. Restart the service when the cause is mended.</p>
<p>The API, mail and the <a href="/settings">settings</a> work without it.</p>`,
  })
}
