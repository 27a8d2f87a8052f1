/** Makes lines of the glyphs of a page as a person reads them: rows of tables with tabs between cells, columns one after the other. */
import type { Glyph, GlyphRun } from './pdf-glyphs.ts'

/**
 * The lines of a page, with an empty line for each gap between paragraphs. Letters are joined by their positions, so
 * it does not matter in which order a program drew them.
 */
export function linesOf(runs: readonly GlyphRun[]): string[] {
  return directions.flatMap((turn) => {
    const fragments = runs.flatMap((run) => (quarterOf(run) === turn ? fragmentsOf(run, turn) : []))
    return readingOrder(rowsOf(fragments), 0)
  })
}

/** Text from left to right, from top to bottom, upside down, and from bottom to top. */
const directions = [0, 1, 2, 3] as const

const quarterOf = ({ direction: [x, y] }: GlyphRun) => (Math.round(Math.atan2(y, x) / (Math.PI / 2)) + 4) % 4

/** Letters that belong together on a line: its base line and height, and where they begin and end. */
type Fragment = {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly y: number
  readonly size: number
}

/** Text of one line, from left to right. */
type Row = { fragments: Fragment[]; y: number; size: number }

/** Distances between letters, relative to their height: the smallest that is a blank, and the smallest that is a gap between texts. */
const blankMin = 0.17
const gapMin = 1.4
/** The smallest gap between texts that were written one by one, as cells are. */
const cellGapMin = 0.9
/** Written blanks may stretch up to this width; wider ones have a cell on either side. */
const blanksMax = 2.2
/** How far letters may go back where they are pulled together. */
const backMax = 0.6

/** Rotates a point so that its text runs from left to right. */
function turned([x, y]: Glyph['start'], turn: number): readonly [number, number] {
  return turn === 0 ? [x, y] : turn === 1 ? [y, -x] : turn === 2 ? [-x, -y] : [-y, x]
}

function fragmentsOf({ size, glyphs }: GlyphRun, turn: number): Fragment[] {
  const fragments: { text: string; readonly from: number; to: number; readonly y: number; readonly size: number }[] = []
  let open = false
  /** Where the blanks after the last letter end. */
  let blanksTo = 0
  for (const { text, start, end } of glyphs) {
    const [from, y] = turned(start, turn)
    const [to] = turned(end, turn)
    const letter = readable(text)
    const last = open ? fragments.at(-1) : undefined
    if (letter.trim() === '') {
      blanksTo = Math.max(blanksTo, to)
      continue
    }
    const isApart =
      last !== undefined &&
      (from - blanksTo > size * gapMin || from - last.to > size * blanksMax || from - last.to < -size * backMax)
    if (last === undefined || isApart) fragments.push({ text: letter, from, to, y, size })
    else {
      last.text += (from - last.to > size * blankMin ? ' ' : '') + letter
      last.to = Math.max(to, from)
    }
    open = true
    blanksTo = Math.max(to, from)
  }
  return fragments
}

/** A letter as text. Bullets of symbol fonts, and ligatures of TeX fonts given only as codes, become what they show. */
function readable(letter: string): string {
  return letter
    .replace(/[\uf0b7\uf0a7\uf076\uf0d8]/g, '\u2022')
    .replace(/\p{Cc}/gu, (code) => ligatures.get(code) ?? '')
    .replace(/[\ufffe\uffff\p{Co}]/gu, '')
}

/** In the encodings T1 and OT1. */
const ligatures: ReadonlyMap<string, string> = new Map([
  ['\x1b', 'ff'],
  ['\x1c', 'fi'],
  ['\x1d', 'fl'],
  ['\x1e', 'ffi'],
  ['\x1f', 'ffl'],
  ['\x0b', 'ff'],
  ['\x0c', 'fi'],
  ['\x0d', 'fl'],
  ['\x0e', 'ffi'],
  ['\x0f', 'ffl'],
])

/** Groups fragments into rows by their base lines, from top to bottom. */
function rowsOf(fragments: readonly Fragment[]): Row[] {
  const rows: Row[] = []
  for (const fragment of [...fragments].sort((one, other) => one.y - other.y)) {
    const row = rows.at(-1)
    // A raised or lowered letter belongs to the line beside it.
    const reach = Math.max(row?.size ?? 0, fragment.size) * sameLineMax
    if (row !== undefined && fragment.y - row.y <= reach) {
      row.fragments.push(fragment)
      if (fragment.size > row.size) Object.assign(row, { size: fragment.size })
    } else rows.push({ fragments: [fragment], y: fragment.y, size: fragment.size })
  }
  for (const row of rows) row.fragments.sort((one, other) => one.from - other.from)
  return rows
}

const sameLineMax = 0.4

/** The rows as lines. Where they are two columns of prose, the left one comes before the right one. */
function readingOrder(rows: readonly Row[], depth: number): string[] {
  const lines: string[] = []
  let at = 0
  while (at < rows.length) {
    const columns = depth < columnsMax ? columnsFrom(rows, at) : null
    if (columns !== null) {
      lines.push(...readingOrder(columns.left, depth + 1), ...readingOrder(columns.right, depth + 1))
      at = columns.end
      continue
    }
    const [row, before] = [rows[at] as Row, rows[at - 1]]
    if (before !== undefined && row.y - before.y > Math.max(row.size, before.size) * paragraphGap) lines.push('')
    lines.push(lineOf(row))
    at++
  }
  return lines
}

const columnsMax = 3
/** Smallest distance of base lines between paragraphs, in heights of letters. */
const paragraphGap = 1.9

/** Fewest rows of a column, and fewest letters of its median row; a table has shorter cells. */
const columnRowsMin = 6
const columnCharsMin = 22
/** Smallest gap between columns, in heights of letters. */
const columnGapMin = 0.5
/** How far the first line of a column may be indented, in heights of letters. */
const indentMax = 2

type Columns = { readonly left: Row[]; readonly right: Row[]; readonly end: number }

/**
 * Finds two columns of prose that begin with a row: all of the rows that follow have a gap at the same place, until a text crosses it.
 * Null when there are none.
 */
function columnsFrom(rows: readonly Row[], start: number): Columns | null {
  const gap = gapOf(rows[start] as Row)
  if (gap === null) return null
  const sides: { left: Row[]; right: Row[] } = { left: [], right: [] }
  let from = Number.NEGATIVE_INFINITY
  let to = gap.to
  let end = start
  for (; end < rows.length; end++) {
    const { fragments, y, size } = rows[end] as Row
    const left = fragments.filter((fragment) => fragment.from < to - size * indentMax)
    const right = fragments.filter((fragment) => fragment.from >= to - size * indentMax)
    const [leftTo, rightFrom] = [Math.max(...left.map((each) => each.to)), Math.min(...right.map((each) => each.from))]
    if (Math.min(to, rightFrom) - Math.max(from, leftTo) < size * columnGapMin) break
    from = Math.max(from, leftTo)
    to = Math.min(to, rightFrom)
    if (left.length > 0) sides.left.push({ fragments: left, y, size })
    if (right.length > 0) sides.right.push({ fragments: right, y, size })
  }
  return isProse(sides.left) && isProse(sides.right) ? { ...sides, end } : null
}

/** The widest gap of a row. */
function gapOf({ fragments, size }: Row): { readonly from: number; readonly to: number } | null {
  let widest: { readonly from: number; readonly to: number } | null = null
  for (const [at, { from: to }] of fragments.entries()) {
    const from = fragments[at - 1]?.to ?? Number.POSITIVE_INFINITY
    if (to - from > (widest === null ? size * columnGapMin : widest.to - widest.from)) widest = { from, to }
  }
  return widest
}

function isProse(rows: readonly Row[]): boolean {
  if (rows.length < columnRowsMin) return false
  const lengths = rows
    .map(({ fragments }) => fragments.reduce((sum, { text }) => sum + text.length, 0))
    .sort((one, other) => one - other)
  return (lengths[Math.floor(lengths.length / 2)] ?? 0) >= columnCharsMin
}

/** The text of a row: a blank between letters that are apart, a tab where there is a gap. */
function lineOf({ fragments, size }: Row): string {
  let line = ''
  let end = Number.NEGATIVE_INFINITY
  for (const { text, from, to, size: own } of fragments) {
    const distance = (from - end) / Math.min(size, own)
    if (line !== '') line += distance > cellGapMin ? '\t' : distance > blankMin && !line.endsWith(' ') ? ' ' : ''
    line += text
    end = Math.max(end, to)
  }
  return logical(line.trimEnd()).replace(presentationForms, (forms) => forms.normalize('NFKC'))
}

/** Ligatures, and the forms that Hebrew and Arabic letters take next to others. */
const presentationForms = /[\ufb00-\ufb06\ufb1d-\ufdff\ufe70-\ufefc]+/g

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Letters are in the order in which they are seen, from left to right; right-to-left scripts are put into the order of reading. */
function logical(line: string): string {
  if (!rightToLeft.test(line)) return line
  const isMostly =
    (line.match(/[\p{Script=Hebrew}\p{Script=Arabic}]/gu)?.length ?? 0) >
    (line.match(/\p{Script=Latin}/gu)?.length ?? 0)
  const reversed = (text: string) => [...text].reverse().join('')
  if (!isMostly) return line.replace(/(?:[\p{Script=Hebrew}\p{Script=Arabic}\p{M}]+ ?)+(?<! )/gu, reversed)
  return reversed(line).replace(
    /[\p{Script=Latin}\p{N}](?:[\p{Script=Latin}\p{N}.,:/@+%€$-]*[\p{Script=Latin}\p{N}%€$])?/gu,
    reversed,
  )
}
