import { excerptOf, type Hidden, stripInvisible } from '../encoding/invisible-characters.ts'
import { feed } from '../hidden/markup.ts'
import { readSheets } from '../hidden/style-sheets.ts'
import { type Element, elementOf, hidingOfText, pageOf } from '../hidden/visibility.ts'
import { limits } from '../limits.ts'
import { type TextLayout, textLayout } from './layout.ts'

export type { Hidden } from '../encoding/invisible-characters.ts'

export type VisibleTextOptions = {
  /** Writes the target of a link after its words, when they differ (default true). */
  readonly links?: boolean
  /** Keeps what mail programs mark as the sender's signature (default true). */
  readonly signatures?: boolean
  /** Stops reading some time after so many visible characters (default: none). */
  readonly enough?: number
}

/**
 * The text a person sees of an HTML body: blocks on lines of their own, quotations marked with `> `, links with their
 * target. Hidden text (display none, no size, off-screen, transparent or coloured like its background, comments,
 * characters without width) is left out and listed in `hidden`. HTML beyond `htmlCharsMax` or nested deeper than
 * `htmlDepthMax` is not read, which `truncated` tells. Linear. Never throws.
 */
export function visibleText(
  source: string,
  options: VisibleTextOptions = {},
): { readonly text: string; readonly hidden: readonly Hidden[]; readonly truncated: boolean } {
  const html = source.length > limits.htmlCharsMax ? withoutData(source) : source
  const out = textLayout()
  const log = hiddenLog(out)
  const { rules, page } = readSheets(html)
  const stack = pageOf(rules, page)
  let link: { readonly href: string; readonly from: number } | null = null

  const isEnough = () => options.enough !== undefined && out.length() >= options.enough
  const read = feed(html, {
    onopentag(name, attributes) {
      const element = elementOf(name, attributes, stack, rules, options.signatures !== false)
      stack.push(element)
      if (element.hiding) return
      if (name === 'a' && options.links !== false) link = linkOf(attributes, out.length())
      out.open(name, attributes)
    },
    ontext(text) {
      const element = stack.at(-1) as Element
      const hiding = hidingOfText(element)
      if (hiding === null) out.text(text, element.pre)
      else if (hiding !== 'unread') log.note(hiding, text)
    },
    oncomment(text) {
      if (!stack.at(-1)?.hiding && hasWords(text)) log.note('comment', text.slice(0, 4096).replace(/<[^<>]*>/g, ' '))
    },
    onclosetag(name) {
      const element = stack.pop()
      if (!element || element.hiding) return
      if (name === 'a' && link) out.link(link.href, link.from)
      if (name === 'a') link = null
      out.close(name)
    },
    isEnough,
  })

  const { text, hidden } = stripInvisible(out.finish())
  const lines = text.split('\n').map((line) => line.trimEnd())
  return {
    text: lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    hidden: [...log.reports(), ...hidden].slice(0, limits.hiddenMax),
    truncated: read < html.length && !isEnough(),
  }
}

/** Images that are written into the HTML say nothing and may be longer than all that is read. */
const withoutData = (html: string) => html.replace(/data:[^"'\s<>()]{1000,}/gi, 'data:,')

/** Collects hidden text; pieces that nothing visible stands between are one report. */
function hiddenLog(out: TextLayout) {
  const found: { readonly kind: Hidden['kind']; text: string }[] = []
  return {
    note(kind: Hidden['kind'], text: string) {
      const last = found.at(-1)
      if (last?.kind === kind && !out.wroteSince()) {
        if (last.text.length < 1000) last.text += text.slice(0, 1000)
      } else if (text.trim() !== '' && found.length < limits.hiddenMax) found.push({ kind, text: text.slice(0, 1000) })
      out.mark()
    },
    reports: (): Hidden[] =>
      found
        .map(({ kind, text }) => ({ kind, excerpt: excerptOf(stripInvisible(text).text) }))
        .filter(({ excerpt }) => excerpt !== ''),
  }
}

/** What an Outlook condition or the sender's template engine left in a comment is no news; words are. */
function hasWords(comment: string): boolean {
  const words = comment
    .slice(0, 4096)
    .replace(/^\[if[^\]]*\]>?|<!\[endif\]$/g, '')
    .replace(/<[^<>]*>/g, ' ')
  return /\p{L}{2,}\s+\p{L}{2,}/u.test(words) && !/^\s*\[?(?:if|endif|begin|end|start)\b/i.test(words)
}

function linkOf(
  attributes: Readonly<Record<string, string>>,
  from: number,
): { readonly href: string; readonly from: number } | null {
  const href = (attributes.href ?? '').trim()
  return /^https?:\/\/\S+$/i.test(href) && href.length <= 2000 ? { href, from } : null
}
