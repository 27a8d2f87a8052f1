/** Writes the signature of a mailbox below a mail. */
import { textAsHtml } from './forward.ts'

type Bodies = { readonly text?: string; readonly html?: string }

/** What stands above a signature (RFC 3676 4.3). */
const mark = '-- \n'

/** The bodies with the signature below each that is there, unless they have it already, as those of a draft may. Line ends are LF. */
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
  // Without its first tag, which is written another way where HTML is made safe.
  if (html.includes(below.slice(below.indexOf('>')))) return html
  const end = [...html.matchAll(/<\/body\s*>/gi)].at(-1)?.index ?? html.length
  return `${html.slice(0, end)}${below}${html.slice(end)}`
}
