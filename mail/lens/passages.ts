/** The lines of a mail and its attachments that count, with what they are labelled. */
import { labels as headerLabels, type Role } from '../body/quotation-words.ts'
import { fold, type Meanings, meaningsOf, phraseAt, wordsIn } from './lexicon.ts'
import type { LensPlace, LensSource } from './source.ts'
import { cellsOf, goodsColumns } from './table-heads.ts'

export type Line = {
  readonly passage: Passage
  /** Without blanks at its ends. */
  readonly text: string
  /** The same with small letters and without diacritics, of the same length. */
  readonly folded: string
  /** Where it begins in the passage (UTF-16 offsets here and below). */
  readonly start: number
  /** Of which header it is, in the copied header of a forwarded mail. */
  readonly role: Role | null
  /** Whether a blank line, or none, stands above. */
  readonly isFirst: boolean
}

/** One of the texts: its lines, and pairs of label and value. What is quoted is in none. */
export type Passage = {
  readonly place: LensPlace
  readonly text: string
  readonly lines: readonly Line[]
  readonly pairs: readonly Pair[]
  /** Where the lines begin that have a label. */
  readonly labelled: ReadonlySet<number>
}

/** A value and the label before it. */
export type Pair = {
  readonly line: Line
  readonly passage: Passage
  readonly label: string
  readonly meanings: Meanings
  readonly value: string
  /** Where label and value begin in the passage. */
  readonly labelStart: number
  readonly start: number
  /** How the two are told apart: a colon and the like, a wide gap, the words of the label alone, or a line of its own. */
  readonly by: 'mark' | 'gap' | 'words' | 'line'
}

/** Against texts that are long: what lies beyond is not read. */
export const textCharsMax = 200_000
const linesMax = 3_000
const lineCharsMax = 1_000
const labelCharsMax = 60
const labelWordsMax = 7

/** Before a line that somebody cites and that is no history. */
const quoteMarks = /^\s*(?:>\s?)+/

/** The passages of a mail, in the order in which they are believed: its text, its attachments, its subject. Linear. */
export function passagesOf({ subject, text, quoted, attachments }: LensSource): readonly Passage[] {
  return [
    passage('text', text, quoted),
    ...attachments.flatMap((each, n) => (each === null ? [] : [passage(`attachments[${n}]`, each.text, [])])),
    passage('subject', subject, []),
  ]
}

function passage(place: LensPlace, whole: string, quoted: LensSource['quoted']): Passage {
  const text = whole.slice(0, textCharsMax)
  const lines: Line[] = []
  const pairs: Pair[] = []
  const labelled = new Set<number>()
  const made: Passage = { place, text, lines, pairs, labelled }
  let next = 0
  let isFirst = true
  for (const { 0: raw, index } of text.matchAll(/[^\n]*\n?/g)) {
    while ((quoted[next]?.[1] ?? Number.POSITIVE_INFINITY) <= index) next++
    const isQuoted = (quoted[next]?.[0] ?? Number.POSITIVE_INFINITY) < index + raw.length
    const marks = quoteMarks.exec(raw)?.[0].length ?? 0
    const line = raw.slice(marks).trim().slice(0, lineCharsMax)
    if (line === '' || isQuoted) {
      isFirst = true
      continue
    }
    if (lines.length === linesMax) break
    lines.push({
      passage: made,
      text: line,
      folded: fold(line),
      start: index + raw.indexOf(line, marks),
      role: roleOf(line),
      isFirst,
    })
    isFirst = false
  }
  markHeaders(lines)
  for (const [n, line] of lines.entries()) {
    if (line.role !== null || goodsColumns(line.text) !== null || isHead(line.text)) continue
    const below = lines[n + 1]
    const columns = below === undefined || below.isFirst ? [] : columnPairs(line, below)
    const cells = columns.length > 0 ? columns : cellPairs(line)
    const pair =
      cells.length > 0
        ? null
        : (pairOf(line, below) ?? pointPair(line, below, lines[n + 2]) ?? blockPair(line, below, lines[n + 2]))
    pairs.push(...cells, ...(pair === null ? [] : [pair]))
    if (pair !== null || cells.length > 0) labelled.add(line.start)
  }
  return made
}

/** The line of a passage in which an offset lies. */
export function lineAt({ lines }: Passage, start: number): Line | undefined {
  let low = 0
  let high = lines.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((lines[middle] as Line).start <= start) low = middle
    else high = middle - 1
  }
  return lines[low]
}

function roleOf(line: string): Role | null {
  const label = /^[*>\s]{0,4}([\p{L}\p{M} /'-]{1,30}?)\*?\s?[:：]/u.exec(line)?.[1]
  return label === undefined ? null : (headerLabels.get(label.toLowerCase()) ?? null)
}

/** Labels of headers are those of a header where several stand together, one of them of its own kind. */
function markHeaders(lines: Line[]): void {
  for (let at = 0; at < lines.length; ) {
    let end = at
    while (end < lines.length && lines[end]?.role !== null && (end === at || !lines[end]?.isFirst)) end++
    const roles = new Set(lines.slice(at, end).map(({ role }) => role))
    const isHeader = roles.size > 1 && roles.has('from')
    for (let n = at; n < end; n++) if (!isHeader) lines[n] = { ...(lines[n] as Line), role: null }
    at = Math.max(end, at + 1)
  }
}

const bullet = /^(?:[\s*•·>–-]+|\d{1,2}[.)]\s+)/
/** An answer on a line of its own is short. */
const answerCharsMax = 120

/** Points without a mark below each: `- name` above `Jane Doe`, as forms are sent. */
function pointPair(line: Line, below: Line | undefined, next: Line | undefined): Pair | null {
  const mark = bullet.exec(line.text)?.[0]
  if (mark === undefined || below === undefined || below.isFirst || bullet.test(below.text)) return null
  if (next !== undefined && !next.isFirst && !bullet.test(next.text)) return null
  const label = line.text.slice(mark.length)
  const isLabel = meaningsOf(label).known.size > 0 && wordsIn(label).length <= labelWordsMax && !/[.!:]$/.test(label)
  return isLabel ? makePair(line, label, mark.length, below.text, { start: below.start, by: 'line' }) : null
}

/** Above what blocks of several lines a label may stand: names with an address below. */
const ofParties: ReadonlySet<string> = new Set(['customer', 'requester', 'contact', 'applicant', 'supplier', 'company'])

/** A label and the line below it, with blank lines around both. */
function blockPair(line: Line, below: Line | undefined, next: Line | undefined): Pair | null {
  const isParty =
    /^\p{Lu}/u.test(line.text) && [...meaningsOf(line.text).known].some((meaning) => ofParties.has(meaning))
  if (!line.isFirst || below === undefined || below.isFirst || (!isParty && next !== undefined && !next.isFirst))
    return null
  const { known, unknown } = meaningsOf(line.text)
  if (unknown > 0 || known.size === 0 || line.text.length > labelCharsMax || /[.!,]$/.test(line.text)) return null
  return makePair(line, line.text, 0, below.text, { start: below.start, by: 'line' })
}

/** The cells of a row below a head of labels. */
function columnPairs(line: Line, below: Line): readonly Pair[] {
  return cellsOf(line.text, below.text).map(({ label, value, valueAt }) =>
    makePair(line, label, line.text.indexOf(label), value, { start: below.start + valueAt, by: 'line' }),
  )
}

/** Several pairs side by side, and those in cells: `Number:  A-17      Raised: 2 May`, `Order   A-17`. */
function cellPairs(line: Line): readonly Pair[] {
  const cells = [...line.text.matchAll(/[^\s](?:[^\t ]| {1,2}(?! )(?=\S))*/gu)]
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
      const start = line.start + next.index
      pairs.push(makePair(line, cell.replace(/\s*[:.]+$/, ''), index, next[0], { start, by: 'gap' }))
      at++
    }
  }
  return pairs
}

/** Three cells without a figure are the head of a table. */
const isHead = (text: string) => /\t[^\t]+\t/.test(text) && !/[\d:@]/.test(text)

const cellsMax = 8

/** Whether a cell says nothing but what the next one holds. */
function isLabelCell(cell: string): boolean {
  if (cell.length > labelCharsMax || !/^\p{L}/u.test(cell)) return false
  const { known, unknown } = meaningsOf(cell)
  return known.size > 0 && unknown === 0
}

function pairOf(line: Line, below: Line | undefined): Pair | null {
  return markedPair(line, below) ?? gapPair(line) ?? wordsPair(line)
}

/** `label: value`, `label = value`, `label .... value`; or a label with a colon above a line of its own. */
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
    return makePair(line, text.replace(bullet, ''), bullet.exec(text)?.[0].length ?? 0, below.text, {
      start: below.start,
      by: 'line',
    })
  const found = /^(.{1,90}?)\s*(?::(?!\/\/|\d)|\s=\s|\.{4,}|\s[–—]\s|\t)\s*/u.exec(text)
  const separated = question ?? found?.[1]
  if (separated === undefined) return null
  const label = separated.replace(bullet, '')
  if (label === '' || label.length > labelCharsMax || wordsIn(label).length > labelWordsMax) return null
  const length = question === undefined ? (found as RegExpExecArray)[0].length : question.length
  const value = text.slice(length).replace(/^[\s*:]+/, '')
  const isLine = value === ''
  if (isLine && (below === undefined || below.isFirst || below.role !== null || question !== undefined)) return null
  const from = isLine ? (below as Line) : line
  const valueText = isLine ? from.text : value
  return makePair(line, label, text.indexOf(label), valueText, {
    start: isLine ? from.start : line.start + text.length - value.length,
    by: isLine ? 'line' : 'mark',
  })
}

/** `label   value`, as columns are laid out. */
function gapPair(line: Line): Pair | null {
  const found = /^(\S(?:.{0,58}?\S)?)(?: {2,}| *\t+ *)(\S.*)$/u.exec(line.text)
  if (found === null) return null
  const [, label = '', value = ''] = found
  if (meaningsOf(label).unknown > 0) return null
  return makePair(line, label, 0, value, { start: line.start + line.text.length - value.length, by: 'gap' })
}

/** `Invoice no. 77-A`: words that all are those of labels, and a value behind them. */
function wordsPair(line: Line): Pair | null {
  const { text } = line
  if (text.length > 120) return null
  const words = wordsIn(text)
  const plain = words.map(({ word }) => word)
  let at = 0
  // Where the label may end: behind each phrase that says something.
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
    const isValue = /^[\p{Lu}\p{N}#$€£+(„"“«-]/u.test(value) || /^\p{Ll}{2,14}$/u.test(value)
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

/** `19 %` within a label. */
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
