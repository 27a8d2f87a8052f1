/** Sets the text of an HTML document in lines, as a mail program shows it in plain text. */
export type TextLayout = {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly close: (name: string) => void
  readonly text: (text: string, preformatted: boolean) => void
  /** Adds the target of a link that began when `length()` was `from`, unless its words say the same. */
  readonly link: (href: string, from: number) => void
  /** Characters written so far. */
  readonly length: () => number
  /** Remembers this place; `wroteSince` tells whether text came after it. */
  readonly mark: () => void
  readonly wroteSince: () => boolean
  readonly finish: () => string
}

/** Line ends asked for before and after an element. */
const breaks: Readonly<Record<string, number>> = {
  address: 1,
  article: 1,
  aside: 1,
  body: 1,
  center: 1,
  dd: 1,
  details: 1,
  div: 1,
  dl: 1,
  dt: 1,
  fieldset: 1,
  figcaption: 1,
  figure: 1,
  footer: 1,
  form: 1,
  header: 1,
  legend: 1,
  li: 1,
  main: 1,
  nav: 1,
  ol: 1,
  section: 1,
  summary: 1,
  table: 1,
  tbody: 1,
  thead: 1,
  tfoot: 1,
  tr: 1,
  ul: 1,
  caption: 1,
  blockquote: 1,
  h1: 2,
  h2: 2,
  h3: 2,
  h4: 2,
  h5: 2,
  h6: 2,
  p: 2,
  pre: 2,
  hr: 1,
}

/** What a horizontal rule becomes; mail programs write the same between a reply and the quoted message. */
const rule = '_'.repeat(32)

export function textLayout(): TextLayout {
  const lines: string[] = []
  const lists: { readonly ordered: boolean; count: number }[] = []
  let line: string[] = [] // pieces, so that a long line is never copied for each of them
  let endsInBlank = true
  let quotes = 0 // depth of quotation of the line being written
  let depth = 0
  let pending = 0
  let marker = ''
  let total = 0
  let marked = 0

  const prefix = (level: number) => (level === 0 ? '' : `${'>'.repeat(Math.min(level, 20))} `)
  const pushLine = () => {
    lines.push((prefix(quotes) + line.join('')).trimEnd())
    line = []
    endsInBlank = true
  }
  const blank = () => {
    if (pending > 0 || endsInBlank) return
    line.push(' ')
    endsInBlank = true
  }
  const ask = (count: number) => {
    pending = Math.max(pending, count)
  }
  const startLine = () => {
    if (pending === 0 && quotes === depth) return
    if (line.length > 0 || lines.length > 0) {
      pushLine()
      const between = prefix(Math.min(quotes, depth)).trimEnd()
      for (let i = 1; i < Math.min(pending, 3); i++) lines.push(between)
    }
    quotes = depth
    pending = 0
  }
  const write = (text: string) => {
    startLine()
    if (marker !== '') line.push(marker)
    marker = ''
    line.push(text)
    endsInBlank = text.endsWith(' ')
    total += text.length
  }

  return {
    open(name, attributes) {
      if (name === 'br') {
        pending++
        return
      }
      ask(breaks[name] ?? 0)
      if (name === 'blockquote') depth++
      if (name === 'ul' || name === 'ol')
        lists.push({ ordered: name === 'ol', count: Number.parseInt(attributes.start ?? '1', 10) || 1 })
      if (name === 'li') marker = markerOf(lists)
      if (name === 'hr') {
        write(rule)
        ask(1)
      }
    },
    close(name) {
      ask(breaks[name] ?? 0)
      if (name === 'blockquote' && depth > 0) depth--
      if (name === 'ul' || name === 'ol') lists.pop()
      if (name === 'td' || name === 'th') blank()
    },
    text(text, preformatted) {
      if (preformatted) {
        const pieces = text.replace(/\r\n?/g, '\n').split('\n')
        for (const [i, piece] of pieces.entries()) {
          if (i > 0) pending++
          if (piece !== '') write(piece)
        }
        return
      }
      const collapsed = text.replace(/[ \t\r\n\f\u00a0]+/g, ' ')
      if (collapsed === ' ' || collapsed === '') {
        if (collapsed === ' ') blank()
        return
      }
      const atStart = pending > 0 || quotes !== depth || endsInBlank
      write(atStart ? collapsed.trimStart() : collapsed)
    },
    link(href, from) {
      if (total === from || sameTarget(written(line, total - from).trim(), href)) return
      write(endsInBlank ? `<${href}>` : ` <${href}>`)
    },
    length: () => total,
    mark() {
      marked = total
    },
    wroteSince: () => total > marked,
    finish() {
      if (line.length > 0) pushLine()
      return lines.join('\n')
    },
  }
}

/** The last `count` characters of a line or more, whole pieces. */
function written(pieces: readonly string[], count: number): string {
  let start = pieces.length
  for (let left = count; left > 0 && start > 0; ) left -= (pieces[--start] as string).length
  return pieces.slice(start).join('')
}

function markerOf(lists: { readonly ordered: boolean; count: number }[]): string {
  const list = lists.at(-1)
  const indent = '  '.repeat(Math.max(0, Math.min(lists.length, 10) - 1))
  return list?.ordered ? `${indent}${list.count++}. ` : `${indent}- `
}

function sameTarget(words: string, href: string): boolean {
  const bare = (text: string) =>
    text
      .replace(/^https?:\/\//i, '')
      .replace(/\/$/, '')
      .toLowerCase()
  return bare(words) === bare(href)
}
