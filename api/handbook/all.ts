/** The handbook: the routes of its pages, each as HTML and as Markdown, of the search, and of the files for programs. */
import { readFile } from 'node:fs/promises'
import type { Context } from '../../core/process/context.ts'
import { Failure } from '../../schemas/failures.ts'
import { fileRoute } from '../pages/files.ts'
import { html, ownMarkup } from '../pages/html.ts'
import type { Exchange, Route } from '../routes.ts'
import { createAnswers } from './answers.ts'
import { type Entry, entries, markdownPathOf, pathOf } from './contents.ts'
import { handbookPolicy, script, sheetOf, showSheet, style } from './layout.ts'
import { render } from './markdown.ts'
import { referenceRoutes } from './reference.ts'
import { createSearch, type Hit } from './search.ts'
import { llmsFull, llmsIndex, markdownOf, portableMarkdown, type Shown } from './sources.ts'

/** All routes below /docs, and llms.txt. Nothing is read or loaded before it is requested. */
export function handbookRoutes(ctx: Context): readonly Route[] {
  const answer = createAnswers(ctx)
  let searching: ReturnType<typeof createSearch> | undefined
  const search = async (question: string) => {
    searching ??= createSearch(ctx)
    return (await searching)(question)
  }

  const asMarkdown = (exchange: Exchange, entry: Entry) =>
    answer(exchange, {
      key: markdownPathOf(entry),
      type: 'text/markdown',
      make: () => portableMarkdown(entry, ctx),
    })
  const asPage = (exchange: Exchange, entry: Entry) => {
    exchange.set('Content-Security-Policy', handbookPolicy)
    return answer(exchange, { key: pathOf(entry), type: 'text/html', make: () => pageOf(entry, ctx) })
  }
  const get = (path: string, serve: Route['serve']): Route => ({ method: 'GET', path, serve })
  const text = (path: string, type: string, make: () => Promise<string>) =>
    get(path, (exchange) => answer(exchange, { key: path, type, make }))

  return [
    ...entries.flatMap((entry) => [
      get(pathOf(entry), (exchange) => {
        exchange.vary('Accept')
        const wanted = exchange.accepts('text/html', 'text/markdown')
        return wanted === 'text/markdown' ? asMarkdown(exchange, entry) : asPage(exchange, entry)
      }),
      get(markdownPathOf(entry), (exchange) => asMarkdown(exchange, entry)),
    ]),
    ...['/llms.txt', '/docs/llms.txt'].map((path) => text(path, 'text/plain', async () => llmsIndex(ctx.baseUrl))),
    ...['/llms-full.txt', '/docs/llms-full.txt'].map((path) => text(path, 'text/plain', () => llmsFull(ctx))),
    text('/docs/grafana-dashboard.json', 'application/json', () =>
      readFile(new URL('../../docs/grafana-dashboard.json', import.meta.url), 'utf8'),
    ),
    ...referenceRoutes(answer),
    get('/docs/search', async (exchange) => showResults(exchange, search)),
    get('/docs/{rest...}', (exchange) => showNothing(exchange, search)),
    fileRoute(style),
    fileRoute(script),
  ]
}

type Search = (question: string) => Promise<readonly Hit[]>

async function pageOf(entry: Entry, shown: Shown): Promise<string> {
  const { headings, html: content } = await render(entry, await markdownOf(entry, shown))
  const { about, title } = entry
  return sheetOf({ title, about, entry, headings, content: ownMarkup(content) })
}

async function showResults(exchange: Exchange, search: Search): Promise<void> {
  const question = exchange.URL.searchParams.get('q')?.trim() ?? ''
  const hits = question === '' ? [] : await search(question)
  const said =
    question === ''
      ? 'Type words into the field above.'
      : hits.length === 0
        ? `Nothing was found for “${question}”. Try fewer or other words.`
        : `What was found for “${question}”:`
  const content = html`<h1>Search</h1><p role="status">${said}</p>${listOf(hits)}`
  showSheet(exchange, { title: 'Search', about: 'Search the documentation.', entry: null, question, content }, 200)
}

const listOf = (hits: readonly Hit[]) =>
  html`<ol class="hits">${hits.map(
    ({ extract, heading, page, path }) =>
      html`<li class="hit"><a href="${path}">${heading}</a>${heading === page ? null : html` <span class="faint">${page}</span>`}<p class="faint">${extract}</p></li>`,
  )}</ol>`

/** The answer for an unknown page: a page with the most similar ones, or for programs the refusal of the API. */
async function showNothing(exchange: Exchange, search: Search): Promise<void> {
  const { path } = exchange
  const withoutSlash = path.replace(/\/+$/, '')
  if (withoutSlash !== path && entries.some((entry) => pathOf(entry) === withoutSlash)) {
    exchange.status = 301
    exchange.redirect(withoutSlash)
    return
  }
  if (exchange.accepts('application/json', 'text/html') !== 'text/html')
    throw new Failure('not_found', 'There is no such page.', {
      fix: `Choose one of the pages that ${exchange.state.ctx.baseUrl}/llms.txt lists.`,
    })
  const question = path
    .slice('/docs/'.length)
    .replace(/\.md$/, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  const hits = question === '' ? [] : await search(question)
  const content = html`<h1>There is no such page</h1>
<p>${hits.length > 0 ? 'Perhaps it is one of these; else search for it above.' : 'Search for it above, or choose one of all pages.'}</p>${listOf(hits)}`
  showSheet(exchange, { title: 'No such page', about: 'There is no such page.', entry: null, question, content }, 404)
}
