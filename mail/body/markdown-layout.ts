/** Adds Markdown to the layout of a text: marks around words, pictures, targets of links, and escaped text. */
/** Where an element begins that may get marks around it; null until something is written in it. */
export type Start = { at: { readonly line: number; readonly piece: number } | null }

/** Where marks are put: the finished lines, the line being written, and the starts that wait for its next piece. */
type Lines = {
  readonly lines: readonly string[]
  readonly line: string[]
  readonly starts: Start[]
  /** Characters written so far. */
  length: number
}

/** Marks of elements that do not break lines. */
export const emphasis: ReadonlyMap<string, string> = new Map([
  ['b', '**'],
  ['strong', '**'],
  ['em', '*'],
  ['i', '*'],
])

/** Returns a start that is set when the next piece is written. */
export function start(layout: Lines): Start {
  const begun: Start = { at: null }
  layout.starts.push(begun)
  return begun
}

/** Sets all waiting starts to the current position; called before a piece is written. */
export function noteStarts({ starts, lines, line }: Lines): void {
  if (starts.length === 0) return
  for (const begun of starts) begun.at = { line: lines.length, piece: line.length }
  starts.length = 0
}

/**
 * Puts marks around the text written since a start, inside the blanks at its ends. Returns false, and writes nothing, when
 * there is no such text or it extends over several lines.
 */
export function enclose(layout: Lines, { at }: Start, before: string, after: string): boolean {
  const { line } = layout
  if (at === null || at.line !== layout.lines.length || at.piece >= line.length) return false
  const first = line[at.piece] as string
  const last = line.length - 1
  const blank = /\s*$/.exec(line[last] as string)?.[0] ?? ''
  const words = first.trimStart()
  line[at.piece] = `${first.slice(0, first.length - words.length)}${before}${words}`
  line[last] = `${(line[last] as string).trimEnd()}${after}${blank === '' ? '' : ' '}`
  layout.length += before.length + after.length
  return true
}

/** Escapes text so that readers of Markdown see it unchanged. Addresses are not escaped, so that they can be copied. */
export function asText(text: string, { isAtStart, isInCell }: { isAtStart: boolean; isInCell: boolean }): string {
  const plain = text.replace(mark, (found) => (found.length > 1 ? found : `\\${found}`))
  const cell = isInCell ? plain.replaceAll('|', '\\|') : plain
  return isAtStart ? cell.replace(/^(?:#{1,6}(?=\s|$)|>)/, '\\$&') : cell
}

/** What means something in Markdown, including an underscore at either end of a word; or an address, which is left alone. */
const marks = /https?:\/\/[^\s[\]<>()`\\|]+|[\\`*[\]<]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u
/** The same, or the start of a terminal escape sequence. These are found and removed later, so they must stay whole. */
const mark = new RegExp(`\u001b[\\s\\S]|${marks.source}`, 'gu')

/** A picture with its alternative text. */
export const picture = (words: string): string => `![${words.replace(/[\\[\]]/g, '\\$&')}]()`

/** The target of a link, encoded so that it may stand in parentheses. */
export const target = (href: string): string =>
  href.replace(/[()<>]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
