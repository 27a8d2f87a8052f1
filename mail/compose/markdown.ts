/** Converts the Markdown of a send to HTML (CommonMark with tables, strike-through and bare links). */
import { createRequire } from 'node:module'
import type MarkdownIt from 'markdown-it'
import { tokensIn } from './template.ts'

/**
 * Raw HTML in the Markdown is shown as text. The result is not made safe, which is `sanitiseHtml`'s work. Line ends stay line ends,
 * because people who write a mail mean them. Linear: hostile input of twice the length takes twice as long
 * (`test/mail/compose/markdown.test.ts`). Never throws.
 */
export function markdownAsHtml(markdown: string): string {
  return writer().render(markdown)
}

/** Put before an address that begins with a token: the sanitiser would remove a link without a scheme. */
const tokenHost = 'https://tokens.invalid/'

/** A token in an address, percent-encoded; a letter of any script has up to four bytes. */
const encodedToken = /%7B%7B(?:[\w.-]|%[0-9A-F]{2}){1,400}?%7D%7D/g

/** Restores the links that begin with a token of a batch or a template, such as `{{confirm}}`. */
export function withTokenLinks(rendered: string): string {
  return rendered.replaceAll(`${tokenHost}{{`, '{{')
}

const require = createRequire(import.meta.url)
type Writer = InstanceType<typeof MarkdownIt>
let loaded: Writer | undefined

/** Loads the library with the first mail written in Markdown: other mail does not need it. */
function writer(): Writer {
  loaded ??= createWriter(require('markdown-it') as typeof MarkdownIt)
  return loaded
}

function createWriter(Library: typeof MarkdownIt): Writer {
  const markdown = new Library({ html: false, linkify: true, breaks: true })
  // A word such as "agent.py" or "README.md" is not a link.
  markdown.linkify.set({ fuzzyLink: false })
  const { normalizeLink } = markdown
  // A token in an address stays as it is written, so that it can be filled in.
  markdown.normalizeLink = (url) => {
    const address = normalizeLink(url.startsWith('{{') ? tokenHost + url : url)
    const tokens = new Map(tokensIn(url).map((each) => [encodeURI(each), each]))
    return tokens.size === 0 ? address : address.replaceAll(encodedToken, (each) => tokens.get(each) ?? each)
  }
  // Mail programs draw no lines in a table unless they are told to.
  markdown.renderer.rules.table_open = () => '<table border="1" cellpadding="6" cellspacing="0">\n'
  return markdown
}
