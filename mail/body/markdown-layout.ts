/** What Markdown adds to the layout of a text: marks around what was written, rows of tables, and text that is no mark. */
/** Where something begins that may get marks around it; null until something is written in it. */
export type Start = { at: { readonly line: number; readonly piece: number } | null }

/** Where marks are put: the lines that are finished, the one being written, and what begins with its next piece. */
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

/** Notes that something begins with what is written next. */
export function start(layout: Lines): Start {
  const begun: Start = { at: null }
  layout.starts.push(begun)
  return begun
}

/** Notes for all that begins here where it does; called before a piece is written. */
export function noteStarts({ starts, lines, line }: Lines): void {
  if (starts.length === 0) return
  for (const begun of starts) begun.at = { line: lines.length, piece: line.length }
  starts.length = 0
}

/**
 * Puts marks around what was written since a start, inside the blanks at its ends. Returns false, and writes nothing, when
 * that was nothing or goes over several lines.
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

/** Text that a reader of Markdown sees as it is. Addresses stay as they are written, so that they can be copied. */
export function asText(text: string, { isAtStart, isInCell }: { isAtStart: boolean; isInCell: boolean }): string {
  const plain = text.replace(mark, (found) => (found.length > 1 ? found : `\\${found}`))
  const cell = isInCell ? plain.replaceAll('|', '\\|') : plain
  return isAtStart ? cell.replace(/^(?:#{1,6}(?=\s|$)|>)/, '\\$&') : cell
}

/** What means something in Markdown, also an underscore at the end of a word; or an address, which is left alone. */
const marks = /https?:\/\/[^\s[\]<>()`\\|]+|[\\`*[\]<]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u
/** The same, or the beginning of a sequence that terminals obey: these are found and taken out later, so they stay whole. */
const mark = new RegExp(`\u001b[\\s\\S]|${marks.source}`, 'gu')

/** A picture by the words that stand in for it. */
export const picture = (words: string): string => `![${words.replace(/[\\[\]]/g, '\\$&')}]()`

/** The target of a link, as it may stand in brackets. */
export const target = (href: string): string =>
  href.replace(/[()<>]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
