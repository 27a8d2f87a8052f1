/** The frame around the content of every page: head, header, navigation; and its security headers. */
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
  /** The top of the page. Default: only the name of the service. */
  readonly header?: Html
  /** Whether the page has one small form and little else. */
  readonly isNarrow?: boolean
  /** Whether it shows a form again because something is wrong with it. */
  readonly hasFailed?: boolean
  /** Whether the page uses passkeys, which need a script. */
  readonly isScripted?: boolean
  /**
   * Whether its forms redirect the browser to a program, which may redirect it further. Chromium applies `form-action` to every
   * redirect that follows a form.
   */
  readonly formsLeadElsewhere?: boolean
}

/** The style of every page: the tokens of colours, controls and text. */
export const style = pageFile(new URL('style.css', import.meta.url))
const passkeys = pageFile(new URL('passkeys.js', import.meta.url))
const icon = readFileSync(new URL('icon.svg', import.meta.url), 'utf8')

/** The routes of the style and the script, and of the icon that programs show beside the name of the service. */
export function fileRoutes(): readonly Route[] {
  const picture = { path: '/icon.svg', type: 'image/svg+xml', content: icon }
  return [fileRoute(style), fileRoute(passkeys), fileRoute(picture, 'public, max-age=86400')]
}

/** Only our own script, and only on pages that need it; no other hosts, no frames; forms lead only to this service unless a page says otherwise. */
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

/** The top of a page, with its navigation. */
export function siteHeader(navigation: Html | null): Html {
  return html`<header><span class="name">Mailroom</span>${navigation}</header>`
}
