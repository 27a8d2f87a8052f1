/**
 * Renders the Markdown of this project as HTML: headings with the anchors of GitHub, links to pages instead of files, highlighted
 * code, tables that a keyboard can scroll. Its libraries are loaded when the first page is read.
 */
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Token } from 'markdown-it'
import { type Entry, entries, pathOf } from './contents.ts'

export type Heading = { readonly id: string; readonly level: number; readonly text: string }
/** The text between a heading and the next one, without markup. */
export type Section = Heading & { readonly content: string }
export type Rendered = {
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

/** Files besides the pages that are also served, by their paths from the root of the project. */
export const servedFiles: { readonly [file: string]: string } = {
  'docs/openapi.json': '/openapi.json',
  'docs/grafana-dashboard.json': '/docs/grafana-dashboard.json',
}

const byFile = new Map(entries.map((entry) => [entry.file, entry]))

/** Where a link of an entry leads on the site; null if nothing is served there. Links to other sites stay. */
export function targetOf(entry: Entry, href: string): { entry: Entry | null; path: string } | null {
  if (/^(?:[a-z]+:|\/|#)/i.test(href)) return { entry: null, path: href }
  const [file = '', anchor] = href.split('#')
  const wanted = path.posix.join(path.posix.dirname(entry.file), file)
  const other = byFile.get(wanted)
  const place = other === undefined ? servedFiles[wanted] : pathOf(other)
  if (place === undefined) return null
  return { entry: other ?? null, path: anchor === undefined ? place : `${place}#${anchor}` }
}

/** Renders the Markdown of an entry. Throws if a link leads to something that is not served, or if it contains HTML other than comments. */
export async function render(entry: Entry, markdown: string): Promise<Rendered> {
  writer ??= createWriter()
  const { md, Slugger } = await writer
  const tokens = md.parse(markdown, {})
  const slugger = new Slugger()
  for (const [n, token] of tokens.entries())
    if (token.type === 'heading_open') token.attrSet('id', anchorOf(textOf(tokens[n + 1]), slugger))
  for (const part of tokens.flatMap((token) => [token, ...(token.children ?? [])])) {
    if (part.type.startsWith('html_') && !part.content.startsWith('<!--'))
      throw new Error(`${entry.file}: ${part.content} is read as HTML.`)
    if (part.type !== 'link_open') continue
    const href = String(part.attrGet('href') ?? '')
    const target = targetOf(entry, href)
    if (target === null) throw new Error(`${entry.file}: nothing is served at ${href}.`)
    part.attrSet('href', target.path)
  }
  emptyHeaders(tokens)
  const sections = sectionsOf(tokens)
  return { html: md.renderer.render(tokens, md.options, {}), headings: sections, sections }
}

let writer: ReturnType<typeof createWriter> | undefined

async function createWriter() {
  const [{ default: MarkdownIt }, { default: Slugger }] = await Promise.all([
    import('markdown-it'),
    import('github-slugger'),
  ])
  const highlight = createHighlighter()
  const md = new MarkdownIt({ html: true })
  const { rules } = md.renderer
  // Comments are for editors only, so they are left out.
  rules.html_block = () => ''
  rules.html_inline = () => ''
  rules.heading_open = (tokens, n) => {
    const { tag } = tokens[n] as Token
    const id = tokens[n]?.attrGet('id') ?? ''
    return tag === 'h1' ? `<${tag} id="${id}">` : `<${tag} id="${id}"><a class="anchor" href="#${id}">`
  }
  rules.heading_close = (tokens, n) => (tokens[n]?.tag === 'h1' ? '</h1>\n' : `</a></${tokens[n]?.tag}>\n`)
  rules.table_open = (_tokens, _n, _options, at) => {
    Object.assign(at ?? {}, { isTable: true } satisfies Within)
    return '<div class="wide" tabindex="0"><table>\n'
  }
  rules.table_close = (_tokens, _n, _options, at) => {
    Object.assign(at ?? {}, { isTable: false } satisfies Within)
    return '</table></div>\n'
  }
  // In table columns, long names may break only between their parts.
  rules.code_inline = (tokens, n, _options, at) => {
    const content = md.utils.escapeHtml(tokens[n]?.content ?? '')
    return `<code>${(at as Within | undefined)?.isTable ? content.replace(/[._,](?=\w)|[a-z](?=[A-Z])/g, '$&<wbr>') : content}</code>`
  }
  const code = (content: string, language: string) =>
    `<pre tabindex="0"><code>${highlight(content, language) || md.utils.escapeHtml(content)}</code></pre>\n`
  rules.fence = (tokens, n) => code(tokens[n]?.content ?? '', tokens[n]?.info.split(' ')[0] ?? '')
  rules.code_block = (tokens, n) => code(tokens[n]?.content ?? '', '')
  return { md, Slugger }
}

/** Where the current token is. */
type Within = { isTable?: boolean }

/** Languages of the samples: the names in fences, and the names in the library. */
const languages: { readonly [name: string]: string } = {
  sh: 'bash',
  json: 'json',
  ts: 'typescript',
  python: 'python',
  yaml: 'yaml',
}

/** Declared here, because the library's own types bring in those of browsers. */
type Highlighter = {
  registerLanguage(name: string, definition: unknown): void
  highlight(code: string, options: { readonly language: string }): { readonly value: string }
}

/** Returns a function that marks up a sample with classes; it returns an empty text for an unknown language. */
function createHighlighter(): (code: string, language: string) => string {
  const require = createRequire(import.meta.url)
  const library = require('highlight.js/lib/core') as Highlighter
  for (const [name, file] of Object.entries(languages))
    library.registerLanguage(name, require(`highlight.js/lib/languages/${file}`))
  return (code, language) => (language in languages ? library.highlight(code, { language }).value : '')
}

/** The anchor that GitHub gives a heading. For an error code in capitals it is the code itself, since links to it are promised. */
function anchorOf(text: string, slugger: { slug(text: string, keepCase?: boolean): string }): string {
  return slugger.slug(text, /^[A-Z]+(?:_[A-Z]+)+$/.test(text))
}

/** The visible text of a token. */
function textOf(token: Token | undefined): string {
  return (token?.children ?? []).map(({ content, type }) => (type === 'softbreak' ? ' ' : content)).join('')
}

/** Turns empty header cells into ordinary cells. */
function emptyHeaders(tokens: readonly Token[]): void {
  for (const [n, token] of tokens.entries()) {
    if (token.type !== 'th_open' || tokens[n + 1]?.content !== '') continue
    token.tag = 'td'
    const close = tokens[n + 2]
    if (close !== undefined) close.tag = 'td'
  }
}

function sectionsOf(tokens: readonly Token[]): readonly Section[] {
  const sections: (Heading & { content: string })[] = []
  for (const [n, token] of tokens.entries()) {
    const last = sections.at(-1)
    if (token.type === 'heading_open')
      sections.push({
        id: String(token.attrGet('id') ?? ''),
        level: Number(token.tag.slice(1)),
        text: textOf(tokens[n + 1]),
        content: '',
      })
    else if (last === undefined || tokens[n - 1]?.type === 'heading_open') continue
    else if (token.type === 'inline') last.content += `${textOf(token)} `
    else if (token.type === 'fence' || token.type === 'code_block') last.content += `${token.content} `
  }
  return sections
}
