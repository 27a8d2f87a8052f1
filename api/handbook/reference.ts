/**
 * Pages that show the operations of one resource, and let a reader try them: Swagger UI over `openapi.json`, served from this host.
 * Each page shows one resource, because Swagger UI takes seconds for all operations. The page with all of them (`docs/api.md`) needs no
 * script, and is the one that programs and the search read.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { operations } from '../../operations/all.ts'
import { tagOf } from '../../operations/openapi.ts'
import { fileRoute, lastsForGood, pageFile } from '../pages/files.ts'
import { type Html, html } from '../pages/html.ts'
import type { Route } from '../routes.ts'
import type { createAnswers } from './answers.ts'
import { showSheet } from './layout.ts'

const script = pageFile(new URL('reference.js', import.meta.url))
const style = pageFile(new URL('reference.css', import.meta.url))

const require = createRequire(import.meta.url)
const { version }: { version: string } = require('swagger-ui-dist/package.json')
const rendererFiles = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' } as const
const rendererPath = (name: keyof typeof rendererFiles) => `/docs/renderer/${version}/${name}`

/** Additional sources of these pages: they read the description, send requests for the reader, and have images in their style sheet. */
const sources = { images: 'data:', connections: "'self'" } as const

const head: Html = html`<link rel="stylesheet" href="${rendererPath('swagger-ui.css')}">
<link rel="stylesheet" href="${style.path}">
<script src="${rendererPath('swagger-ui-bundle.js')}" defer></script>
<script src="${script.path}" type="module"></script>
`

/** The resources that the operations are about. */
export const groups: readonly string[] = [...new Set(operations.map(tagOf))]

/** The pages of all resources, and their files. */
export function referenceRoutes(answer: ReturnType<typeof createAnswers>): readonly Route[] {
  const files = (Object.keys(rendererFiles) as (keyof typeof rendererFiles)[]).map((name): Route => {
    const path = rendererPath(name)
    const make = () => readFile(require.resolve(`swagger-ui-dist/${name}`))
    return {
      method: 'GET',
      path,
      serve: (exchange) => answer(exchange, { key: path, type: rendererFiles[name], make, lasts: lastsForGood }),
    }
  })
  const pages = groups.map(
    (group): Route => ({
      method: 'GET',
      path: `/docs/api/${group}`,
      async serve(exchange) {
        const about = `The operations of ${group}, to read and to try.`
        const sheet = { title: `API: ${group}`, about, entry: null, content: contentOf(group), head, sources }
        showSheet(exchange, sheet, 200)
      },
    }),
  )
  return [...pages, ...files, fileRoute(script), fileRoute(style)]
}

const contentOf = (group: string) => html`<h1>API: ${group}</h1>
<nav aria-label="Resources"><ul class="groups">
${groups.map((each) => html`<li><a href="/docs/api/${each}"${each === group ? html` aria-current="page"` : null}>${each}</a></li>`)}
</ul></nav>
<p id="plain">The same on one page, which needs no script: <a href="/docs/api#${group.toLowerCase()}">API reference</a>.</p>
<h2>Operations</h2>
<div id="reference" data-group="${group}"></div>`
