/** The currency of a mail's total. */
import { at, type Candidate, type OpenMail } from './candidates.ts'
import type { Line, Passage } from './lines.ts'
import type { FoundNumber } from './numbers.ts'
import type { Piece } from './shapes.ts'

/** Returns the currency beside the total, or the currency of all amounts if they have the same. */
export function currencies({ passages, numbers }: OpenMail): readonly Candidate[] {
  const found: { readonly number: FoundNumber; readonly passage: Passage; readonly line: Line }[] = []
  for (const passage of passages)
    for (const line of passage.lines)
      for (const number of numbers(line.text)) if (number.currency !== null) found.push({ number, passage, line })
  const symbols = new Set(found.map(({ number }) => number.currency?.text))
  const totals = found.filter(({ line }) =>
    /\b(?:total|gesamt|summe|rechnungsbetrag|endbetrag|totale|totaal|importe|a payer|te betalen|payable)/.test(
      line.folded,
    ),
  )
  const chosen = symbols.size === 1 ? found : totals.length > 0 ? totals.slice(-1) : []
  if (found.length === 0) return lonelyCurrency(passages)
  return chosen.slice(-1).map(({ number, passage, line }) => {
    const { text, start } = number.currency as NonNullable<FoundNumber['currency']>
    return at(passage, line.start, { value: text, start, end: start + text.length }, 60)
  })
}

/** Finds a currency that is written apart from the amounts, in the head of a column or at the beginning of a row. */
function lonelyCurrency(passages: readonly Passage[]): readonly Candidate[] {
  const all = passages.flatMap((passage) =>
    Array.from(
      passage.text.matchAll(/(?<![\p{L}\p{N}])(?:EUR|USD|GBP|CHF|[€$£])(?![\p{L}\p{N}])/gu),
      ({ 0: value, index }) => ({
        passage,
        piece: { value, start: index, end: index + value.length },
      }),
    ).filter(({ piece }) => isOwn(passage)(piece)),
  )
  const [first] = all
  return first === undefined || new Set(all.map(({ piece }) => piece.value)).size > 1
    ? []
    : [at(first.passage, 0, first.piece, 56)]
}

/** Returns a test of whether a piece of a passage is on one of its lines, that is, outside of quoted history. */
export function isOwn({ lines }: Passage): (piece: Piece) => boolean {
  return ({ start }) => lines.some((line) => start >= line.start && start < line.start + line.text.length)
}
