/** The Markdown of pages, as it lies in the project and as it is served. */
import { readFile } from 'node:fs/promises'
import { type Entry, entries, isForOperators, markdownPathOf, parts } from './contents.ts'
import { targetOf } from './markdown.ts'

/** Addresses in samples that stand for that of the service. */
const exampleAddresses = ['http://127.0.0.1:8080', 'https://mail.example.com']

/** The Markdown of an entry. In samples for users the address of this service stands, so that they run as they are. */
export async function markdownOf(entry: Entry, baseUrl: string): Promise<string> {
  const text = await readFile(new URL(`../../${entry.file}`, import.meta.url), 'utf8')
  if (isForOperators(entry)) return text
  return exampleAddresses.reduce((sofar, address) => sofar.replaceAll(address, baseUrl), text)
}

/** The Markdown of an entry with links that work wherever it is read: each leads to the Markdown of its page. */
export async function portableMarkdown(entry: Entry, baseUrl: string): Promise<string> {
  const text = await markdownOf(entry, baseUrl)
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

/** llms.txt (llmstxt.org): what there is to read, for programs. */
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
export async function llmsFull(baseUrl: string): Promise<string> {
  const pages = await Promise.all(entries.map((entry) => portableMarkdown(entry, baseUrl)))
  return pages.join('\n\n---\n\n')
}
