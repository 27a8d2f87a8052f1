/** Declarations that apply, by name, in lower case. */
export type Declarations = ReadonlyMap<string, string>

/** The grammar of style sheets (CSS Syntax 3): how comments, strings, escapes and blocks decide where something ends. */

export type Declared = { readonly name: string; readonly value: string; readonly important: boolean }

/** `prelude {block}`, or `prelude;` with a block of null. */
export type Statement = { readonly prelude: string; readonly block: string | null }

/** The statements of a style sheet or a block. Linear. */
export function* statementsOf(text: string): Generator<Statement> {
  let from = 0
  while (from < text.length) {
    const end = scan(text, from, isStatementEnd)
    const prelude = text.slice(from, end)
    const close = text[end] === '{' ? closing(text, end) : null
    yield { prelude, block: close === null ? null : text.slice(end + 1, close) }
    from = (close ?? end) + 1
  }
}

/** Reads `name: value; ...`. Names and values become lower-case and lose comments and escapes; blocks are left out. Linear. */
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

/** Splits a text at commas (or another mark) outside strings and brackets. Linear. */
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
  const closer = closers.get(text.charCodeAt(open))
  return scan(text, open + 1, (code) => code === closer)
}

/** Replaces comments by `instead`. A comment that never ends extends to the end of the text. Linear. */
export function withoutComments(text: string, instead: string): string {
  if (!text.includes('/*')) return text
  let out = ''
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const isComment = isCommentStart(text, i)
    const end = unitEnd(text, i)
    if (isComment) {
      out += text.slice(from, i) + instead
      from = end + 1
    }
    i = end
  }
  return out + text.slice(from)
}

/** Replaces escapes by the characters they stand for (CSS Syntax 3, 4.3.7); `\\9`, which targets one old program, by U+FFFD. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:([0-9a-f]{1,6})(?:\r\n|\s)?|([^\n\r\f]))/gi, (_, hex?: string, char?: string) => {
    const code = hex === undefined ? 0 : Number.parseInt(hex, 16)
    return char ?? (code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd')
  })
}

/** The text before a block or a semicolon, without comments; an at-keyword (`@media`) without escapes. */
export function headOf(prelude: string, instead: string): string {
  const head = withoutComments(prelude, instead).trim()
  return head.startsWith('@') && head.includes('\\') ? head.replace(atKeyword, unescaped) : head
}

const atKeyword = /^@(?:[-\w]|\\[0-9a-f]{1,6}\s?|\\[^\n0-9a-f])+/i
const awkward = /[\\"'({]|\/\*/
const isStatementEnd = (code: number) => code === 0x3b || code === 0x7b

/** `(` and `)`, `[` and `]`, `{` and `}`. */
const closers: ReadonlyMap<number, number> = new Map([
  [0x28, 0x29],
  [0x5b, 0x5d],
  [0x7b, 0x7d],
])

/** Index of the next character that `isEnd` accepts outside comments, strings and brackets, or the end of the text. */
function scan(text: string, from: number, isEnd: (code: number) => boolean): number {
  const open: number[] = []
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (open.length === 0 && isEnd(code)) return i
    const end = unitEnd(text, i)
    const closer = end === i ? closers.get(code) : undefined
    // CSS Syntax 3, 5.4.8: inside another bracket, a bracket is closed by its own kind alone.
    if (closer !== undefined) open.push(closer)
    else if (code === open.at(-1)) open.pop()
    i = end
  }
  return text.length
}

/** Index of the last character of the escape, string, comment or address that begins at `at`; `at` when none begins there. */
function unitEnd(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === 0x5c) return escapeEnd(text, at)
  if (code === 0x22 || code === 0x27) return stringEnd(text, at)
  if (isCommentStart(text, at)) return commentEnd(text, at)
  return code === 0x28 && isBareUrl(text, at) ? urlEnd(text, at) : at
}

function isCommentStart(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x2f && text.charCodeAt(at + 1) === 0x2a
}

const escaped = /\\(?:[0-9a-f]{1,6}(?:\r\n|[\t\n\f\r ])?|\r\n|[\s\S]|$)/iy

function escapeEnd(text: string, at: number): number {
  escaped.lastIndex = at
  return escaped.test(text) ? escaped.lastIndex - 1 : at
}

/** Index of the quote that ends a string, or of the line end that breaks it off. */
function stringEnd(text: string, open: number): number {
  const quote = text.charCodeAt(open)
  for (let i = open + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i = escapeEnd(text, i)
    else if (code === quote || code === 0x0a || code === 0x0c || code === 0x0d) return i
  }
  return text.length
}

function commentEnd(text: string, open: number): number {
  const end = text.indexOf('*/', open + 2)
  return end < 0 ? text.length : end + 1
}

/** `url` as a whole name, even with letters written as escapes. */
const urlName =
  /(?<![-\w#@\\\u0080-\uffff]|(?<!\\)(?:\\\\)*\\(?:[0-9a-f]{1,6}(?:\r\n|\s)|.))(?:\\?u|\\0{0,4}[57]5\s?)(?:\\?r|\\0{0,4}[57]2\s?)(?:\\?l|\\0{0,4}[46]c\s?)$/i
const urlNameCharsMax = 32
const quoted = /[\t\n\f\r ]*["']/y

/** Whether a bracket opens an address without quotes, in which marks and brackets mean nothing. */
function isBareUrl(text: string, open: number): boolean {
  let from = Math.max(0, open - urlNameCharsMax)
  // In a row of backslashes each second one is escaped, so all of them must be seen.
  while (from > 0 && text[from] === '\\') from--
  if (!urlName.test(text.slice(from, open))) return false
  quoted.lastIndex = open + 1
  return !quoted.test(text)
}

function urlEnd(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    if (text.charCodeAt(i) === 0x5c) i = escapeEnd(text, i)
    else if (text.charCodeAt(i) === 0x29) return i
  }
  return text.length
}
