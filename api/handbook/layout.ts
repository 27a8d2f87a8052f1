/** The frame of every page of the handbook: search, the list of all pages, the headings of this one. */
import type { Context as KoaContext } from 'koa'
import { pageFile } from '../pages/files.ts'
import { type Html, html, ownMarkup } from '../pages/html.ts'
import { style as commonStyle } from '../pages/page.ts'
import { type Entry, entries, markdownPathOf, parts, pathOf } from './contents.ts'
import type { Heading } from './markdown.ts'

export const style = pageFile(new URL('handbook.css', import.meta.url))
export const script = pageFile(new URL('handbook.js', import.meta.url))

export type Sheet = {
  readonly title: string
  readonly about: string
  readonly content: Html
  /** null: a page that is not an entry, such as search results. */
  readonly entry: Entry | null
  readonly headings?: readonly Heading[]
  /** The question, shown in the search field. */
  readonly question?: string
  /** Additions to the head of the page, and the additional sources from which it loads. */
  readonly head?: Html
  readonly sources?: Sources
}

type Sources = { readonly images: string; readonly connections: string }

/** No script but ours and no other host. */
export const handbookPolicy: string = policyOf()

function policyOf(sources?: Sources): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    `img-src 'self'${sources === undefined ? '' : ` ${sources.images}`}`,
    ...(sources === undefined ? [] : [`connect-src ${sources.connections}`]),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Answers with a page that is made for this request only. */
export function showSheet(koa: KoaContext, sheet: Sheet, status: number): void {
  koa.status = status
  koa.type = 'text/html; charset=utf-8'
  koa.set('Content-Security-Policy', policyOf(sheet.sources))
  koa.body = sheetOf(sheet)
}

/** The HTML of a whole page. */
export function sheetOf({ title, about, content, entry, headings = [], question = '', head }: Sheet): string {
  const toc = headings.filter(({ level }) => level === 2 || level === 3)
  const hasToc = toc.length > 1
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${about}">
<title>${title === 'Documentation' ? title : `${title} - Documentation`} - Mailroom</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${commonStyle.path}">
<link rel="stylesheet" href="${style.path}">
${entry === null ? null : html`<link rel="alternate" type="text/markdown" href="${markdownPathOf(entry)}">`}
<script src="${script.path}" defer></script>
${head ?? null}</head>
<body>
<a class="skip" href="#page-content">Skip to content</a>
<header class="site">
<a class="name" href="/docs">Mailroom <span class="faint">Documentation</span></a>
<form class="search" role="search" action="/docs/search">
<input type="search" name="q" value="${question}" aria-label="Search the documentation" placeholder="Search" maxlength="200" required>
<button class="second">Search</button>
</form>
<div class="jumps">
<button class="second small for-pages" popovertarget="page-list">All pages</button>
${hasToc ? html`<button class="second small for-headings" popovertarget="page-headings">On this page</button>` : null}
</div>
</header>
<div class="columns">
<nav class="list beside" id="page-list" popover aria-label="Documentation">
${parts.map((part) => html`<h2>${part.title}</h2><ul>${part.entries.map((each) => item(each, entry))}</ul>`)}
</nav>
<main class="text" id="page-content" tabindex="-1">
${content}
${entry === null ? null : endOf(entry)}
</main>
${
  hasToc
    ? html`<nav class="list far" id="page-headings" popover aria-label="On this page"><h2>On this page</h2><ul>
${toc.map(({ id, level, text }) => html`<li><a class="level${level}" href="#${id}">${text}</a></li>`)}
</ul></nav>`
    : null
}
</div>
</body>
</html>
`.toString()
}

const item = (entry: Entry, current: Entry | null): Html =>
  html`<li><a href="${pathOf(entry)}"${entry === current ? ownMarkup(' aria-current="page"') : null}>${entry.title}</a></li>`

/** Links to the pages before and after, and to the versions for programs. */
function endOf(entry: Entry): Html {
  const n = entries.indexOf(entry)
  const [before, after] = [entries[n - 1], entries[n + 1]]
  return html`<nav class="neighbours" aria-label="Neighbouring pages">
${before === undefined ? null : html`<a class="neighbour" rel="prev" href="${pathOf(before)}"><span class="faint">Before</span> ${before.title}</a>`}
${after === undefined ? null : html`<a class="neighbour" rel="next" href="${pathOf(after)}"><span class="faint">Next</span> ${after.title}</a>`}
</nav>
<p class="faint">For programs: <a href="${markdownPathOf(entry)}">this page as Markdown</a>, <a href="/llms.txt">llms.txt</a>, <a href="/openapi.json">OpenAPI</a>.</p>
`
}
