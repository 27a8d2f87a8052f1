/** Pairs labels with values on the lines of a passage: after marks and gaps, in cells and columns, on lines of their own, in blocks. */
import { meaningsOf, phraseAt, wordsIn } from './lexicon.ts'
import type { Line, Pair } from './lines.ts'
import { answers } from './statements.ts'
import { cellsOf } from './table-heads.ts'

const labelCharsMax = 60
const labelWordsMax = 7
const questionCharsMax = 80
const questionWordsMax = 14

const bullet = /^(?:[\s*•·>–-]+|\d{1,2}[.)]\s+)/
/** The maximum length of an answer on a line of its own. */
const answerCharsMax = 120

/** Pairs a bullet point with the plain line below it: `- name` above `Jane Doe`, as some forms are sent. */
export function pointPair(line: Line, below: Line | undefined, next: Line | undefined): Pair | null {
  const mark = bullet.exec(line.text)?.[0]
  if (mark === undefined || below === undefined || below.isFirst || bullet.test(below.text)) return null
  if (next !== undefined && !next.isFirst && !bullet.test(next.text)) return null
  const label = line.text.slice(mark.length)
  const isLabel = meaningsOf(label).known.size > 0 && wordsIn(label).length <= labelWordsMax && !/[.!:]$/.test(label)
  return isLabel ? makePair(line, label, mark.length, below.text, { start: below.start, by: 'line' }) : null
}

/** Pairs labels and values that alternate on lines of their own, as in a definition list: at least two pairs in one block. */
export function stackedPairs(lines: readonly Line[]): readonly Pair[] {
  const pairs: Pair[] = []
  for (let at = 0; at < lines.length; ) {
    let end = at + 1
    while (end < lines.length && lines[end]?.isFirst === false) end++
    const found = stackedIn(lines.slice(at, end))
    if (found.length >= stackedMin) pairs.push(...found)
    at = end
  }
  return pairs
}

function stackedIn(block: readonly Line[]): readonly Pair[] {
  return block.flatMap((line, n) => {
    const below = block[n + 1]
    if (below === undefined || !isName(line) || isName(below) || line.role !== null || bullet.test(below.text))
      return []
    return [makePair(line, line.text, 0, below.text, { start: below.start, by: 'line' })]
  })
}

const stackedMin = 2

/** Whether a line is a label and nothing else. */
function isName({ text, folded }: Line): boolean {
  // "No" is an answer here, not the abbreviation of "number".
  if (answers.no.test(folded) && wordsIn(text).length === 1) return false
  const { known, unknown } = meaningsOf(text)
  return (
    known.size > 0 &&
    unknown === 0 &&
    text.length <= labelCharsMax &&
    /^\p{Lu}[^.,:;!\d]*$/u.test(text) &&
    !/\t| {2,}/.test(text)
  )
}

/** Labels that may be above a block of several lines: a name with an address below. */
const ofParties: ReadonlySet<string> = new Set([
  'customer',
  'requester',
  'sender',
  'contact',
  'applicant',
  'supplier',
  'company',
])

/** Pairs a label with the line below it, with blank lines around both. */
export function blockPair(line: Line, below: Line | undefined, next: Line | undefined): Pair | null {
  const isParty =
    /^\p{Lu}/u.test(line.text) && [...meaningsOf(line.text).known].some((meaning) => ofParties.has(meaning))
  const isAlone = below?.isFirst === true && (next === undefined || next.isFirst || isParty)
  if (isAlone) return line.isFirst ? apartPair(line, below) : null
  if (!line.isFirst || below === undefined || below.isFirst || (!isParty && next !== undefined && !next.isFirst))
    return null
  const { known, unknown } = meaningsOf(line.text)
  if (unknown > 0 || known.size === 0 || line.text.length > labelCharsMax || /[.!,]$/.test(line.text)) return null
  // The line is a heading above labels.
  if (/\.{3,}|:\s|:$/.test(below.text)) return null
  return makePair(line, line.text, 0, below.text, { start: below.start, by: 'line' })
}

/** Pairs a heading with the paragraph below it, as some HTML forms are sent. Only few meanings may be such a heading. */
function apartPair(line: Line, below: Line): Pair | null {
  const { known, unknown } = meaningsOf(line.text)
  const isHeading =
    unknown === 0 &&
    known.size > 0 &&
    [...known].every((meaning) => apart.has(meaning)) &&
    /^\p{Lu}[^.,:;!]*$/u.test(line.text) &&
    line.text.length <= labelCharsMax
  return isHeading &&
    below.role === null &&
    below.text.length <= answerCharsMax &&
    !isName(below) &&
    !/[,:]$/.test(below.text)
    ? makePair(line, line.text, 0, below.text, { start: below.start, by: 'line' })
    : null
}

/** The meanings of headings with one value below. */
const apart: ReadonlySet<string> = new Set(
  'customer requester sender applicant contact name first last email phone company people number job interest skill product device version error'.split(
    ' ',
  ),
)

/** Pairs the cells of a row with the labels above them. */
export function columnPairs(line: Line, below: Line): readonly Pair[] {
  return cellsOf(line.text, below.text).map(({ label, value, valueAt }) =>
    makePair(line, label, line.text.indexOf(label), value, { start: below.start + valueAt, by: 'line' }),
  )
}

/** Returns several pairs side by side, or in cells: `Number:  A-17      Raised: 2 May`, `Order   A-17`. */
export function cellPairs(line: Line): readonly Pair[] {
  const cells = [...line.text.replaceAll('\u00a0', ' ').matchAll(/[^\s](?:[^\t ]| {1,2}(?! )(?=\S))*/gu)]
  if (cells.length < 2 || cells.length > cellsMax) return []
  const pairs: Pair[] = []
  for (let at = 0; at < cells.length; at++) {
    const { 0: cell, index } = cells[at] as RegExpExecArray
    const mark = /^([^:]{2,40}?)\s*:\s+(?=\S)/u.exec(cell)
    const next = cells[at + 1]
    if (mark !== null && !/\d$|\([^)]*$/.test(mark[1] as string)) {
      const value = cell.slice(mark[0].length)
      const start = line.start + index + mark[0].length
      pairs.push(makePair(line, mark[1] as string, index, value, { start, by: 'mark' }))
    } else if (next !== undefined && isLabelCell(cell)) {
      const mark = /^(?:[:|]\s*|[=>]\s+)/.exec(next[0])?.[0].length ?? 0
      const start = line.start + next.index + mark
      pairs.push(makePair(line, cell.replace(/\s*[:.]+$/, ''), index, next[0].slice(mark), { start, by: 'gap' }))
      at++
    }
  }
  return pairs
}

/** Whether a line is the head of a table: at least three cells without digits that are not labels and values in turn. */
export function isHead(text: string): boolean {
  if (!/\t[^\t]+\t/.test(text) || /[\d:@]/.test(text)) return false
  const [first = '', second = '', ...rest] = text.split(/\t+/)
  return !(rest.length % 2 === 0 && isLabelCell(first) && !isLabelCell(second))
}

/** Pairs cells of two lines, label above value: the last cell of a line is the label of the first cell of the next line. */
export function brokenCellPairs(lines: readonly Line[]): readonly Pair[] {
  return lines.flatMap((line, n) => {
    const [above, below] = [lines[n - 1], lines[n + 1]]
    const [first = '', last = '', ...more] = line.text.split(/\t+/)
    if (more.length > 0 || last === '' || !isLabelCell(last) || isLabelCell(first)) return []
    if (below === undefined || below.isFirst || isLabelCell(below.text)) return []
    const [value = ''] = below.text.split(/\t+/)
    const pair = makePair(line, last, line.text.lastIndexOf(last), value, { start: below.start, by: 'line' })
    // The first of them has its label on a line of its own.
    if (above === undefined || line.isFirst || !isLabelCell(above.text)) return [pair]
    return [makePair(above, above.text, 0, first, { start: line.start, by: 'line' }), pair]
  })
}

const cellsMax = 8

/** Whether a cell is nothing but a label. */
function isLabelCell(cell: string): boolean {
  if (cell.length > labelCharsMax || !/^\p{L}/u.test(cell)) return false
  const { known, unknown } = meaningsOf(cell)
  return known.size > 0 && unknown === 0
}

export function pairOf(line: Line, below: Line | undefined): Pair | null {
  return markedPair(line, below) ?? gapPair(line) ?? wordsPair(line)
}

/** Reads `label: value`, `label = value`, `label=value`, `label .... value`; or a label with a colon above its value. */
function markedPair(line: Line, below: Line | undefined): Pair | null {
  const { text } = line
  const question = /^.{2,80}?\?(?=\s+\S)/u.exec(text)?.[0]
  if (
    /^.{2,80}\?$/u.test(text) &&
    below !== undefined &&
    !below.isFirst &&
    !/\?$/.test(below.text) &&
    below.text.length <= answerCharsMax
  )
    return answerPair(line, below)
  const found =
    /^(.{1,90}?)\s*(?::(?!\/\/|\d)|(?<=^[\p{L}_-]{2,30})=(?=[^\s=])|\s=>?\s|\s-?>\s|\s→\s|\.{3,}|\s[–—]\s|\t|\s\|\s(?![^|]*\|)|;(?=\p{L})(?![^;]*;))\s*/u.exec(
      text,
    )
  const separated = question ?? found?.[1]
  if (separated === undefined) return null
  const label = separated.replace(bullet, '')
  if (
    label === '' ||
    label.length > (question === undefined ? labelCharsMax : questionCharsMax) ||
    wordsIn(label).length > (question === undefined ? labelWordsMax : questionWordsMax)
  )
    return null
  const length = question === undefined ? (found as RegExpExecArray)[0].length : question.length
  const value = text.slice(length).replace(/^(?:[\s*:]|[-=]?>\s|→\s)+/, '')
  const isLine = value === ''
  if (isLine && (below === undefined || below.isFirst || below.role !== null || question !== undefined)) return null
  const from = isLine ? (below as Line) : line
  const valueText = isLine ? from.text : value
  return makePair(line, label, text.indexOf(label), valueText, {
    start: isLine ? from.start : line.start + text.length - value.length,
    by: isLine ? 'line' : 'mark',
  })
}

/** Pairs a question with the answer on the line below, without the prefix of a chat: `[10:04] Ann: `. */
function answerPair(line: Line, below: Line): Pair {
  const lead = speaker.exec(below.text)?.[0].length ?? 0
  const at = bullet.exec(line.text)?.[0].length ?? 0
  return makePair(line, line.text.slice(at), at, below.text.slice(lead), { start: below.start + lead, by: 'line' })
}

const speaker = /^[[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?\s[^:]{2,40}:\s+(?=\S)/u

/** Reads `label   value`, separated by a gap. */
function gapPair(line: Line): Pair | null {
  const found = /^(\S(?:.{0,58}?\S)?)(?: {2,}| *\t+ *)(?:[=>] +)?(\S.*)$/u.exec(line.text.replaceAll('\u00a0', ' '))
  if (found === null) return null
  const [, label = '', value = ''] = found
  if (meaningsOf(label).unknown > 0) return null
  return makePair(line, label, 0, value, { start: line.start + line.text.length - value.length, by: 'gap' })
}

/** Reads `Invoice no. 77-A`: known label words, then a value. */
function wordsPair(line: Line): Pair | null {
  const { text } = line
  if (text.length > 120) return null
  const words = wordsIn(text)
  const plain = words.map(({ word }) => word)
  let at = 0
  // The places at which the label may end: after each phrase that has a meaning.
  const ends: number[] = []
  while (at < words.length && at < labelWordsMax) {
    const phrase = phraseAt(plain, at)
    const isOther = phrase === null && (isCompound(plain[at] as string) || isShare(text, words[at]))
    if (phrase === null && !isOther) break
    at += phrase?.length ?? 1
    if (phrase?.meaning !== 'neutral') ends.push(at)
  }
  for (const labelEnd of ends.toReversed()) {
    const { end } = words[labelEnd - 1] as { readonly end: number }
    const rest = /^(?:\s*[%)]|\.)*\s*(?:\([^()]{1,30}\)\s*)?/.exec(text.slice(end))?.[0] ?? ''
    const value = text.slice(end + rest.length)
    if (value === '') continue
    const isValue =
      /^[\p{Lu}\p{N}#$€£+(„"“«-]/u.test(value) ||
      /^(?:\p{Ll}{2,14}|\S+@\S+|(?:dhr|mevr|mw|hr|fr|dott|sig|sra?)\.? \p{Lu}.*)$/u.test(value)
    if (
      !isValue ||
      !/\s$|^$/.test(
        text
          .slice(0, end + rest.length)
          .slice(-1)
          .replace(/[#(]/, ' '),
      )
    )
      return null
    return makePair(line, text.slice(0, end + rest.length).trimEnd(), 0, value, {
      start: line.start + end + rest.length,
      by: 'words',
    })
  }
  return null
}

const isCompound = (word: string) => word.length > 6 && meaningsOf(word).unknown === 0

/** Whether a word of a label is a percentage: `19 %`. */
function isShare(text: string, word: { readonly word: string; readonly end: number } | undefined): boolean {
  return word !== undefined && /^\d{1,2}(?:[.,]\d)?$/.test(word.word) && /^\s?%/.test(text.slice(word.end))
}

function makePair(
  line: Line,
  label: string,
  labelAt: number,
  value: string,
  { start, by }: { readonly start: number; readonly by: Pair['by'] },
): Pair {
  const { passage } = line
  const labelStart = line.start + Math.max(0, labelAt)
  return { line, passage, label, meanings: meaningsOf(label), value, labelStart, start, by }
}
