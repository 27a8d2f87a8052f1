/** Heads of tables: lines of nothing but words for columns. */
import { fold, meaningsOf, phraseAt, wordsIn } from './lexicon.ts'

/** Columns of tables of goods. */
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

/** At least one column of a wide head says how many or how much. */
const counts: ReadonlySet<string> = new Set(['quantity', 'price', 'amount', 'total', 'unit'])

/** How many were ordered, sent and are to come, as notes of deliveries count them. */
const moved =
  /^(?:qty )?(?:ordered|shipped|delivered|dispatched|backordered|bestellt|geliefert|offen|ruckstand|commande|livre|expedie|pedido|servido|entregado|enviado|pendiente|ordinato|evaso|consegnato|spedito|besteld|geleverd|verzonden)$/u

export type Columns = {
  readonly figures: number
  readonly isNumbered: boolean
  readonly isWide: boolean
  readonly item: number
  /** Whether a column says how many. */
  readonly isCounted: boolean
  /** Where the column of the goods begins, where blanks lay out the columns. */
  readonly itemAt: number | null
}

/**
 * The head of a table of goods: how many columns of figures stand behind the goods, and whether something stands before them; for
 * each column that may be that of the goods.
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

/** The cells of two lines, labels above values, where both have as many: `Invoice no. | Date | Due` above `17 | 1 May | 15 May`. */
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
  // Words side by side may be one name below one label: "Delivery address" above "Rosalind Achterberg".
  if (!isWide && (/\.$/.test(head) || !/\d/.test(below))) return []
  const first = phraseAt(
    wordsIn(below).map(({ word }) => word),
    0,
  )
  // "A/1209" is no word of a label.
  const values = [...below.matchAll(isWide ? /[^\t ](?:[^\t ]| (?! ))*/g : /\S+/g)]
  const isOfFigures = labels.length >= wideMin && values.filter(({ 0: value }) => /\d/.test(value)).length >= wideMin
  if (first !== null && !isOfFigures && !(first.meaning === 'neutral' && /^\S*\d/.test(below))) return []
  if (values.length !== labels.length) return []
  return values.map(({ 0: value, index }, n) => ({ label: labels[n] as string, value, valueAt: index }))
}

/** How much of a head says what is below it. */
const shareMin = 0.4
/** So many columns that blanks lay out are the head of a table, though one of them has no label that is known. */
const wideMin = 4

/** Labels side by side, each one phrase or compound. */
function labelsIn(text: string): readonly string[] {
  const words = wordsIn(text)
  const plain = words.map(({ word }) => word)
  const labels: string[] = []
  for (let at = 0; at < words.length; ) {
    const phrase = phraseAt(plain, at)
    if (phrase?.meaning === 'neutral') return []
    const { start } = words[at] as { readonly start: number }
    at += phrase?.length ?? 1
    // "no" and its kin belong to the word before.
    const next = phraseAt(plain, at)
    if (next?.meaning === 'number' && at < words.length) at += next.length
    labels.push(text.slice(start, (words[at - 1] as { readonly end: number }).end))
  }
  return labels
}
