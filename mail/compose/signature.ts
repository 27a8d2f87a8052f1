/** Adds the signature of a mailbox below a mail. */
import { textAsHtml } from './forward.ts'

type Bodies = { readonly text?: string; readonly html?: string }

/** The line above a signature (RFC 3676 4.3). */
const mark = '-- \n'

/** The bodies, each with the signature below it, unless it is there already, as in a draft. Line ends are LF. */
export function withSignature<B extends Bodies>(bodies: B, signature: string): B {
  const { text, html } = bodies
  const below = signature.startsWith(mark) ? signature : `${mark}${signature}`
  if (text?.trimEnd().endsWith(below.trimEnd())) return bodies
  return {
    ...bodies,
    ...(text !== undefined && { text: textAbove(text, below) }),
    ...(html !== undefined && { html: htmlAbove(html, textAsHtml(below).replaceAll('\n', '<br />')) }),
  }
}

function textAbove(text: string, below: string): string {
  const own = text.trimEnd()
  return own === '' ? below : `${own}\n\n${below}`
}

function htmlAbove(html: string, below: string): string {
  // Compared without its first tag, which the sanitiser writes in another way.
  if (html.includes(below.slice(below.indexOf('>')))) return html
  const end = [...html.matchAll(/<\/body\s*>/gi)].at(-1)?.index ?? html.length
  return `${html.slice(0, end)}${below}${html.slice(end)}`
}
