/** What every page has around its content: head, header, navigation; and the headers that keep it to itself. */
import { readFileSync } from 'node:fs'
import type { Context as KoaContext } from 'koa'
import type { Route } from '../routes.ts'
import { fileRoute, pageFile } from './files.ts'
import { type Html, html } from './html.ts'

export type Page = {
  readonly title: string
  readonly content: Html
  /** Default: 200. */
  readonly status?: number
  /** Its top; default: the name of the service alone. */
  readonly header?: Html
  /** Whether it has one small form and little else. */
  readonly isNarrow?: boolean
  /** Whether a form is shown again because something was wrong with it. */
  readonly hasFailed?: boolean
  /** Whether it uses passkeys, which need a script. */
  readonly isScripted?: boolean
  /**
   * Whether its forms lead to a program, and from there to wherever that leads the browser: Chromium holds every redirect that
   * follows a form against `form-action`.
   */
  readonly formsLeadElsewhere?: boolean
}

/** What every page has: the tokens of colours, and how controls and text look. */
export const style = pageFile(new URL('style.css', import.meta.url))
const passkeys = pageFile(new URL('passkeys.js', import.meta.url))
const icon = readFileSync(new URL('icon.svg', import.meta.url), 'utf8')

/** The routes of the style and the script, and of the picture that programs show beside the name of the service. */
export function fileRoutes(): readonly Route[] {
  const picture = { path: '/icon.svg', type: 'image/svg+xml', content: icon }
  return [fileRoute(style), fileRoute(passkeys), fileRoute(picture, 'public, max-age=86400')]
}

/** No script but ours, and that only where it is needed, no other host, no frame; forms lead to this service alone unless a page says otherwise. */
const policyOf = ({ isScripted = false, formsLeadElsewhere = false }: Page) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    ...(isScripted ? ["script-src 'self'"] : []),
    "base-uri 'none'",
    ...(formsLeadElsewhere ? [] : ["form-action 'self'"]),
    "frame-ancestors 'none'",
  ].join('; ')

/** Answers a request with a page. */
export function showPage(koa: KoaContext, page: Page): void {
  koa.status = page.status ?? 200
  koa.type = 'text/html; charset=utf-8'
  koa.set('Content-Security-Policy', policyOf(page))
  koa.body = documentOf(page).toString()
}

function documentOf(page: Page): Html {
  const { title, content, header = siteHeader(null), isNarrow = false, isScripted = false, hasFailed = false } = page
  const script = isScripted ? html`<script src="${passkeys.path}" defer></script>` : null
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${hasFailed ? 'Not done: ' : ''}${title} - Mailroom</title>
<link rel="stylesheet" href="${style.path}">
${script}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${header}
<main id="content" tabindex="-1"${isNarrow ? html` class="narrow"` : null}>
<h1>${title}</h1>
${content}
</main>
<footer><a href="/docs">Documentation</a></footer>
</body>
</html>
`
}

/** The top of a page, with what leads elsewhere. */
export function siteHeader(navigation: Html | null): Html {
  return html`<header><span class="name">Mailroom</span>${navigation}</header>`
}
