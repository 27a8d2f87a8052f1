/** The Markdown of pages, as it is in the project and as it is served. */
import { readFile } from 'node:fs/promises'
import type { Context } from '../../core/process/context.ts'
import { authorityOf } from '../../schemas/authority.ts'
import { type Entry, entries, isForOperators, markdownPathOf, parts } from './contents.ts'
import { targetOf } from './markdown.ts'

/** The service that shows a page: its addresses, and the domain of its signups. */
export type Shown = Pick<Context, 'baseUrl' | 'hostname' | 'settings'>

/** The addresses in samples, and those of this service that replace them. */
function placesIn({ baseUrl, hostname, settings: { sharedDomain, smtp } }: Shown): ReadonlyMap<string, string> {
  const isEverywhere = ['0.0.0.0', '::'].includes(smtp.host)
  return new Map([
    ['http://127.0.0.1:8080', baseUrl],
    ['https://mail.example.com', baseUrl],
    ['127.0.0.1:2525', authorityOf(isEverywhere ? hostname : smtp.host, smtp.port)],
    ['agents.localhost', sharedDomain],
  ])
}

/** The Markdown of an entry. Samples for users contain the addresses of this service, so that they run unchanged. */
export async function markdownOf(entry: Entry, shown: Shown): Promise<string> {
  const text = await readFile(new URL(`../../${entry.file}`, import.meta.url), 'utf8')
  if (isForOperators(entry)) return text
  const places = placesIn(shown)
  const each = [...places.keys()].map((place) => place.replaceAll('.', '\\.')).join('|')
  return text.replaceAll(new RegExp(each, 'g'), (place) => places.get(place) ?? place)
}

/** The Markdown of an entry with links that work wherever it is read: each leads to the Markdown of its page. */
export async function portableMarkdown(entry: Entry, shown: Shown): Promise<string> {
  const { baseUrl } = shown
  const text = await markdownOf(entry, shown)
  return text.replaceAll(/\]\(([^()\s]+)\)/g, (link, href: string) => {
    const target = targetOf(entry, href)
    if (target === null || /^(?:[a-z]+:|#)/i.test(target.path)) return link
    const [, anchor] = target.path.split('#')
    const place = target.entry === null ? target.path : markdownPathOf(target.entry)
    return `](${baseUrl}${place}${target.entry === null || anchor === undefined ? '' : `#${anchor}`})`
  })
}

const summary =
  'Mailroom gives software agents real mailboxes: they receive, wait for, read and send mail by REST, by MCP, or with packages for TypeScript and Python.'

/** llms.txt (llmstxt.org): an index of the pages for programs. */
export function llmsIndex(baseUrl: string): string {
  const lists = parts.map(({ title, entries: own }) => {
    const links = own.map((entry) => `- [${entry.title}](${baseUrl}${markdownPathOf(entry)}): ${entry.about}`)
    return `## ${title}\n\n${links.join('\n')}\n`
  })
  const machines = `## For machines

- [OpenAPI description](${baseUrl}/openapi.json): every route, field, failure and event of the API.
- [Everything in one file](${baseUrl}/llms-full.txt): all pages below, one after the other.
- MCP endpoint: ${baseUrl}/api/mcp; to sign up without a key: ${baseUrl}/api/mcp/signup.
`
  return `# Mailroom\n\n> ${summary}\n\nKeys go into \`Authorization: Bearer <API_KEY>\`. Every error has a stable \`code\` and a \`fix\`.\n\n${machines}\n${lists.join('\n')}`
}

/** llms-full.txt: all pages, one after the other. */
export async function llmsFull(shown: Shown): Promise<string> {
  const pages = await Promise.all(entries.map((entry) => portableMarkdown(entry, shown)))
  return pages.join('\n\n---\n\n')
}
