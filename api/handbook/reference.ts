/**
 * The API reference: Swagger UI over /openapi.json, served from this host. Without JavaScript its page shows the list of
 * operations that its Markdown has.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { operations } from '../../operations/all.ts'
import { tagOf } from '../../operations/openapi.ts'
import { fileRoute, lastsForGood, pageFile } from '../pages/files.ts'
import { type Html, html } from '../pages/html.ts'
import type { Route } from '../routes.ts'
import type { createAnswers } from './answers.ts'
import { handbookPolicy } from './layout.ts'
import type { Place } from './search.ts'

/** The entry that is the reference. */
export const referenceName = 'api'

const script = pageFile(new URL('reference.js', import.meta.url))
const style = pageFile(new URL('reference.css', import.meta.url))

const require = createRequire(import.meta.url)
const { version }: { version: string } = require('swagger-ui-dist/package.json')
const rendererFiles = [
  { name: 'swagger-ui.css', type: 'text/css' },
  { name: 'swagger-ui-bundle.js', type: 'text/javascript' },
] as const
const pathOf = (name: (typeof rendererFiles)[number]['name']) => `/docs/renderer/${version}/${name}`

/** Of this page alone: it reads the description, asks what a reader tries out, and has pictures in its style sheet. */
export const referencePolicy: string = handbookPolicy({ images: 'data:', connections: "'self'" })

export const referenceHead: Html = html`<link rel="stylesheet" href="${pathOf('swagger-ui.css')}">
<link rel="stylesheet" href="${style.path}">
<script src="${pathOf('swagger-ui-bundle.js')}" defer></script>
<script src="${script.path}" defer></script>
`

/** What the page shows: the list of operations, until the renderer has taken its place. */
export const referenceContent = (list: Html): Html => html`<div id="reference"></div>
<div id="operations">${list}</div>`

/** The files that the page asks for. */
export function referenceRoutes(answer: ReturnType<typeof createAnswers>): readonly Route[] {
  const files = rendererFiles.map(({ name, type }): Route => {
    const path = pathOf(name)
    const make = () => readFile(require.resolve(`swagger-ui-dist/${name}`))
    return {
      method: 'GET',
      path,
      serve: (exchange) => answer(exchange, { key: path, type, make, lasts: lastsForGood }),
    }
  })
  return [...files, fileRoute(script), fileRoute(style)]
}

/** What a search finds of the API: each operation, where the reference shows it. */
export function operationPlaces(): readonly Place[] {
  return operations.map((operation) => ({
    path: `/docs/api#/${tagOf(operation)}/${operation.name}`,
    page: 'API reference',
    heading: `${operation.method} ${operation.path}`,
    content: operation.summary,
  }))
}
