/** Splits a mail and its attachments into lines and labelled values, without quoted history. */
import { labels as headerLabels, type Role } from '../body/quotation-words.ts'
import { fold } from './lexicon.ts'
import type { Line, Pair, Passage } from './lines.ts'
import { blockPair, brokenCellPairs, cellPairs, columnPairs, isHead, pairOf, pointPair, stackedPairs } from './pairs.ts'
import type { LensPlace, LensSource } from './source.ts'
import { goodsColumns } from './table-heads.ts'

/** Bounds on long texts: anything beyond is not read. */
export const textCharsMax = 200_000
const linesMax = 3_000
const lineCharsMax = 1_000

/** Quote marks before a line that is cited but is not quoted history. */
const quoteMarks = /^\s*(?:>\s?)+/

/** Returns the passages of a mail in order of trust: its text, its attachments, its subject. Linear. */
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
    if (line.role !== null || goodsColumns(line.text) !== null) continue
    const below = lines[n + 1]
    const columns = below === undefined || below.isFirst ? [] : columnPairs(line, below)
    if (columns.length === 0 && isHead(line.text)) continue
    // If a head has several rows below it, it is unclear which of them is meant.
    if (columns.length > 0 && isHead(line.text) && isRow(lines[n + 2], columns.length)) continue
    const cells = columns.length > 0 ? columns : cellPairs(line)
    const pair =
      cells.length > 0
        ? null
        : (pairOf(line, below) ?? pointPair(line, below, lines[n + 2]) ?? blockPair(line, below, lines[n + 2]))
    // "#118820" below the label "Order number:" is its value, not a pair of its own.
    if (pair?.by === 'words' && pairs.at(-1)?.by === 'line' && pairs.at(-1)?.start === line.start) continue
    pairs.push(...cells, ...(pair === null ? [] : [pair]))
    if (pair !== null || cells.length > 0) labelled.add(line.start)
  }
  for (const pair of brokenCellPairs(lines)) {
    pairs.push(pair)
    labelled.add(pair.line.start)
  }
  for (const pair of stackedPairs(lines))
    if (!labelled.has(pair.line.start)) {
      pairs.push(pair)
      labelled.add(pair.line.start)
    }
  return made
}

const isRow = (line: Line | undefined, cells: number) =>
  line !== undefined && !line.isFirst && line.text.split('\t').length === cells

/** Returns the line of a passage that contains an offset. */
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

/** Keeps the role of header lines only where lines with several roles are adjacent and one of them is "from". */
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
