/** The files that pages load: styles, scripts, pictures. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Route } from '../routes.ts'

export type PageFile = { readonly path: string; readonly type: string; readonly content: string }

const types: { readonly [extension: string]: string } = { css: 'text/css', js: 'text/javascript' }

/** Reads a file of the project. Its path contains a hash of its content, so browsers may cache it for good. */
export function pageFile(url: URL): PageFile {
  const content = readFileSync(url, 'utf8')
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12)
  const name = url.pathname.slice(url.pathname.lastIndexOf('/') + 1)
  return { path: `/pages/${version}/${name}`, type: types[name.split('.').at(-1) ?? ''] ?? '', content }
}

/** The Cache-Control of a file whose path contains its version. */
export const lastsForGood = 'public, max-age=31536000, immutable'

/** Serves a file, which browsers cache for good unless `lasts` says otherwise. */
export function fileRoute({ path, type, content }: PageFile, lasts: string = lastsForGood): Route {
  return {
    method: 'GET',
    path,
    serve(exchange) {
      exchange.set('Cache-Control', lasts)
      exchange.type = `${type}; charset=utf-8`
      exchange.body = content
    },
  }
}
