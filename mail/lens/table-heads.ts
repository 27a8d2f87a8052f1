/** Recognises heads of tables: lines that consist of words for columns. */
import { fold, meaningsOf, phraseAt, wordsIn } from './lexicon.ts'

/** The columns of tables of goods. */
const goods: ReadonlySet<string> = new Set([
  'item',
  'product',
  'quantity',
  'price',
  'amount',
  'unit',
  'position',
  'total',
  'tax',
  'reference',
  'number',
])

/** A wide head has at least one of these columns for quantities or amounts. */
const counts: ReadonlySet<string> = new Set(['quantity', 'price', 'amount', 'total', 'unit'])

/** Columns of delivery notes: the quantities ordered, sent and outstanding. */
const moved =
  /^(?:qty )?(?:ordered|shipped|delivered|dispatched|backordered|bestellt|geliefert|offen|ruckstand|commande|livre|expedie|pedido|servido|entregado|enviado|pendiente|ordinato|evaso|consegnato|spedito|besteld|geleverd|verzonden)$/u

export type Columns = {
  readonly figures: number
  readonly isNumbered: boolean
  readonly isWide: boolean
  readonly item: number
  /** Whether a column holds quantities. */
  readonly isCounted: boolean
  /** Where the column of the goods begins, if spaces separate the columns; otherwise null. */
  readonly itemAt: number | null
}

/**
 * Reads the head of a table of goods. Returns, for each column that may be that of the goods, how many columns of figures follow it
 * and whether a column precedes it; null if the line is no such head.
 */
export function goodsColumns(text: string): readonly Columns[] | null {
  if (text.length > 100 || /\d|[:.!?]$/.test(text)) return null
  const columns = /\t| {2,}/.test(text) ? text.split(/\t+| {2,}/) : labelsIn(text)
  if (columns.length < 2 || columns.length > 9) return null
  const meanings = columns.map((column) =>
    moved.test(fold(column)) ? 'quantity' : ([...meaningsOf(column).known][0] ?? ''),
  )
  const isWide = columns.length > 2 && /\t| {2,}/.test(text)
  const isOfGoods = meanings.filter((meaning) => goods.has(meaning)).length >= columns.length / 2
  if (
    !(isWide
      ? isOfGoods && meanings.some((meaning) => counts.has(meaning))
      : meanings.every((meaning) => goods.has(meaning)))
  )
    return null
  const found = meanings.flatMap((meaning, n) => (n <= 2 && (meaning === 'item' || meaning === 'product') ? [n] : []))
  if (found.length === 0) return null
  const isLaidOut = isWide && !text.includes('\t')
  return found.map((item) => ({
    figures: meanings.length - item - 1,
    isNumbered: item > 0,
    isWide,
    item,
    itemAt: isLaidOut ? text.indexOf(columns[item] as string) : null,
    isCounted: isWide && meanings.includes('quantity'),
  }))
}

export type Cell = { readonly label: string; readonly value: string; readonly valueAt: number }

/** Returns the cells of two lines, labels above values, if both have the same number: `No. | Date | Due` above `17 | 1 May | 15 May`. */
export function cellsOf(head: string, below: string): readonly Cell[] {
  if (head.length > 120 || below.length > 160 || /[\d:!?]$/.test(head)) return []
  const isWide = /\t| {2,}/.test(head)
  const labels = isWide ? head.split(/\t+| {2,}/) : labelsIn(head)
  const known = labels.filter((label) => meaningsOf(label).unknown === 0)
  if (
    known.length < 2 ||
    known.length < (head.includes('\t') || labels.length >= wideMin ? labels.length * shareMin : labels.length)
  )
    return []
  // Two words may be one name below one label: "Delivery address" above "Rosalind Achterberg".
  if (!isWide && (/\.$/.test(head) || !/\d/.test(below))) return []
  const first = phraseAt(
    wordsIn(below).map(({ word }) => word),
    0,
  )
  // Values such as "A/1209" are not label words.
  const values = [...below.matchAll(isWide ? /[^\t ](?:[^\t ]| (?! ))*/g : /\S+/g)]
  const isOfFigures = labels.length >= wideMin && values.filter(({ 0: value }) => /\d/.test(value)).length >= wideMin
  if (first !== null && !isOfFigures && !(first.meaning === 'neutral' && /^\S*\d/.test(below))) return []
  if (values.length !== labels.length) return []
  return values.map(({ 0: value, index }, n) => ({ label: labels[n] as string, value, valueAt: index }))
}

/** The minimum share of known labels in a head. */
const shareMin = 0.4
/** With this many columns a line is a head of a table even if one of its labels is unknown. */
const wideMin = 4

/** Splits a line into adjacent labels, each one phrase or compound. Returns none if it has other words. */
function labelsIn(text: string): readonly string[] {
  const words = wordsIn(text)
  const plain = words.map(({ word }) => word)
  const labels: string[] = []
  for (let at = 0; at < words.length; ) {
    const phrase = phraseAt(plain, at)
    if (phrase?.meaning === 'neutral') return []
    const { start } = words[at] as { readonly start: number }
    at += phrase?.length ?? 1
    // "no" and similar words for a number belong to the label before them.
    const next = phraseAt(plain, at)
    if (next?.meaning === 'number' && at < words.length) at += next.length
    labels.push(text.slice(start, (words[at - 1] as { readonly end: number }).end))
  }
  return labels
}
