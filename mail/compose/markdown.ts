/** Markdown that is written in a send, as HTML (CommonMark with tables, strike-through and bare links). */
import { createRequire } from 'node:module'
import type MarkdownIt from 'markdown-it'
import { tokensIn } from './template.ts'

/**
 * Raw HTML in the Markdown is text. The HTML is not made safe, which is `sanitiseHtml`'s work. A line end is one, as whoever
 * writes a mail means it. Linear: hostile shapes take twice as long when they are twice as long
 * (`test/mail/compose/markdown.test.ts`). Never throws.
 */
export function markdownAsHtml(markdown: string): string {
  return writer().render(markdown)
}

/** Where a link leads whose address begins with a token: a link without a scheme does not outlive the sanitiser. */
const tokenHost = 'https://tokens.invalid/'

/** A token in an address that is percent-encoded: letters of any script have up to four bytes. */
const encodedToken = /%7B%7B(?:[\w.-]|%[0-9A-F]{2}){1,400}?%7D%7D/g

/** Gives the links back that begin with a token of a batch or a template, such as `{{confirm}}`. */
export function withTokenLinks(rendered: string): string {
  return rendered.replaceAll(`${tokenHost}{{`, '{{')
}

const require = createRequire(import.meta.url)
type Writer = InstanceType<typeof MarkdownIt>
let loaded: Writer | undefined

/** Loaded with the first mail that is written so: all others do without it. */
function writer(): Writer {
  loaded ??= createWriter(require('markdown-it') as typeof MarkdownIt)
  return loaded
}

function createWriter(Library: typeof MarkdownIt): Writer {
  const markdown = new Library({ html: false, linkify: true, breaks: true })
  // A word such as "agent.py" or "README.md" is no link.
  markdown.linkify.set({ fuzzyLink: false })
  const { normalizeLink } = markdown
  // A token stands in an address as it is written, to be filled in.
  markdown.normalizeLink = (url) => {
    const address = normalizeLink(url.startsWith('{{') ? tokenHost + url : url)
    const tokens = new Map(tokensIn(url).map((each) => [encodeURI(each), each]))
    return tokens.size === 0 ? address : address.replaceAll(encodedToken, (each) => tokens.get(each) ?? each)
  }
  // Mail programs draw no lines in a table by themselves.
  markdown.renderer.rules.table_open = () => '<table border="1" cellpadding="6" cellspacing="0">\n'
  return markdown
}
