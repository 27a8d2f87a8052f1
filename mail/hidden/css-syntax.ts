/** The grammar of style sheets (CSS Syntax 3): what comments, strings, escapes and blocks mean for where things end. */

export type Declared = { readonly name: string; readonly value: string; readonly important: boolean }

/** `prelude {block}`, or `prelude;` with a block of null. */
export type Statement = { readonly prelude: string; readonly block: string | null }

/** What a style sheet or a block consists of. Linear. */
export function* statementsOf(text: string): Generator<Statement> {
  let from = 0
  while (from < text.length) {
    const end = scan(text, from, isStatementEnd)
    const prelude = text.slice(from, end)
    const close = text[end] === '{' ? blockEnd(text, end) : null
    yield { prelude, block: close === null ? null : text.slice(end + 1, close) }
    from = (close ?? end) + 1
  }
}

/** Reads `name: value; ...`: names and values lower-case, without comments and escapes. Blocks are left out. Linear. */
export function readDeclarations(text: string): Declared[] {
  const found: Declared[] = []
  const add = (one: string) => {
    const colon = one.indexOf(':')
    if (colon <= 0) return
    const value = one.slice(colon + 1).replace(/[\t\n\f\r]+/g, ' ')
    const mark = value.includes('!') ? value.search(/!\s*important\s*$/) : -1
    const name = one.slice(0, colon).trim()
    found.push({ name, value: (mark < 0 ? value : value.slice(0, mark)).trim(), important: mark >= 0 })
  }
  if (!awkward.test(text)) for (const one of text.toLowerCase().split(';')) add(one)
  else
    for (const { prelude, block } of statementsOf(text))
      if (block === null) add(unescaped(withoutComments(prelude, ' ')).toLowerCase())
  return found
}

/** The parts of a text between commas (or another mark) that stand in no string and no bracket. Linear. */
export function splitAt(text: string, mark: string): string[] {
  if (!awkward.test(text) && !text.includes('[')) return text.split(mark)
  const parts: string[] = []
  const isMark = (code: number) => code === mark.charCodeAt(0)
  for (let from = 0; from <= text.length; ) {
    const end = scan(text, from, isMark)
    parts.push(text.slice(from, end))
    from = end + 1
  }
  return parts
}

/** Index of the bracket that closes the one at `open`, or the end. */
export function closing(text: string, open: number): number {
  const closes = text[open] === '(' ? 0x29 : 0x5d
  return scan(text, open + 1, (code) => code === closes)
}

/** Takes comments out, one that never ends with all behind it. */
export function withoutComments(text: string, instead: string): string {
  if (!text.includes('/*')) return text
  let out = ''
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i++
    else if (code === 0x22 || code === 0x27) i = stringEnd(text, i)
    else if (code === 0x2f && text.charCodeAt(i + 1) === 0x2a) {
      out += text.slice(from, i) + instead
      i = commentEnd(text, i)
      from = i + 1
    }
  }
  return out + text.slice(from)
}

/** Writes escapes as the characters they stand for (CSS Syntax 3, 4.3.7); `\\9` is a mark for one old program. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:([0-9a-f]{1,6})(?:\r\n|\s)?|([^\n\r\f]))/gi, (_, hex?: string, char?: string) => {
    const code = hex === undefined ? 0 : Number.parseInt(hex, 16)
    return char ?? (code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd')
  })
}

const awkward = /[\\"'({]|\/\*/
const isStatementEnd = (code: number) => code === 0x3b || code === 0x7b

/** Index of the next character that `isEnd` takes and that stands in no comment, string or bracket, or the end. */
function scan(text: string, from: number, isEnd: (code: number) => boolean): number {
  let brackets = 0
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i++
    else if (code === 0x22 || code === 0x27) i = stringEnd(text, i)
    else if (code === 0x2f && text.charCodeAt(i + 1) === 0x2a) i = commentEnd(text, i)
    else if (brackets === 0 && isEnd(code)) return i
    else if (code === 0x28 && isBareUrl(text, i)) i = indexOr(text, ')', i)
    else if (code === 0x28 || code === 0x5b) brackets++
    else if ((code === 0x29 || code === 0x5d) && brackets > 0) brackets--
  }
  return text.length
}

/** Index of the brace that closes the one at `open`, or the end. */
function blockEnd(text: string, open: number): number {
  let depth = 0
  return scan(text, open + 1, (code) => {
    if (code === 0x7b) depth++
    return code === 0x7d && depth-- === 0
  })
}

/** Whether a bracket opens an address without quotes: marks in it mean nothing. */
function isBareUrl(text: string, open: number): boolean {
  return /url$/i.test(text.slice(Math.max(0, open - 3), open)) && !/^\s*["']/.test(text.slice(open + 1, open + 20))
}

/** Index of the quote that ends a string, or of the line end that breaks it off. */
function stringEnd(text: string, open: number): number {
  const quote = text.charCodeAt(open)
  for (let i = open + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i++
    else if (code === quote || code === 0x0a) return i
  }
  return text.length
}

function commentEnd(text: string, open: number): number {
  const end = text.indexOf('*/', open + 2)
  return end < 0 ? text.length : end + 1
}

function indexOr(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found < 0 ? text.length : found
}
