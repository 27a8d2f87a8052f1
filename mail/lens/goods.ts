/** Goods that a mail lists by their form: rows that end in prices, lines and sentences that begin with how many. */
import type { OpenMail } from './candidates.ts'
import { fold, meaningsOf } from './lexicon.ts'
import type { Line, Passage } from './lines.ts'
import type { Piece } from './shapes.ts'

const itemsMax = 100
const itemCharsMax = 120

/** What rows that are no goods say. */
const sums: ReadonlySet<string> = new Set(
  'total net tax gross shipping delivery discount payment amount due budget salary previous paid people iban'.split(
    ' ',
  ),
)
const sumWords =
  /^(?:\d{1,2} ?% )?(?:versand\p{L}*|livraison|lieferung|bezorg\p{L}*|env[ií]o|spedizione|transport\p{L}*|frachtkosten|freight|excl|incl|exkl|inkl|ht|ttc|portes|gastos|frais|spese|kosten|costs?|fee|handling|round\p{L}*|rundung|arrondi|redondeo|arrotondamento|tip|trinkgeld|zwischensumme|tussentotaal|sous-total|gesamt\p{L}*|totaal\p{L}*|importe|montant|what you|you spent|samen|todo|zusammen|alles|in tutto|en tout|goods|fracht|carriage|postage|vat|tva|iva|btw|mwst|ust|netto|brutto|total|subtotal|summe|versand|porto|livraison|verzend\p{L}*|env[ií]o|spedizione|gutschein|voucher|credit|rabatt|discount|saldo|you paid|spesa|promo|remise|sconto|descuento|korting|kaution|deposit|acompte|anzahlung|base|imponibile|balance|previous|order value|loyalty|te betalen|te voldoen|a pagar|à payer|to pay)(?!\p{L})/iu

const price =
  /(?:^|[\s(…])(?:[€$£]|EUR|USD|GBP|CHF)?\s?-?\d{1,3}(?:[. ',]\d{3})*[.,]\d\d(?!\d)\s?(?:[€$£]|EUR|USD|GBP|CHF|Euro|euro)?\s*$/u

/** The goods of rows with prices, up to the first row of sums; none where no such row stands below them. */
export function pricedRows(passage: Passage, { zones, numbers }: OpenMail): readonly Piece[] {
  const items: Piece[] = []
  let sum = 0
  let isOver = false
  for (const [n, line] of passage.lines.entries()) {
    if (zones(passage).get(line) === 'offer') continue
    const isPriced = price.test(line.text) && !/:\s*(?:[€$£]|EUR|USD|GBP|CHF)?\s?[\d.,]+\s?\S{0,4}$/.test(line.text)
    const value = isPriced ? (numbers(line.text).at(-1)?.value ?? 0) : 0
    const isAll = items.length > 1 && Math.abs(value - sum) < 0.005
    sum += value
    if (isPriced && (isAll || isSum(line.text))) {
      if (items.length > 0) isOver = true
    } else if (isPriced && !isOver && items.length < itemsMax) {
      const item = itemAbove(passage.lines, n) ?? itemOf(line)
      if (item !== null) items.push(item)
    } else if (!isPriced && items.length > 0 && line.text.length > sentenceCharsMin) isOver = true
  }
  return isOver || items.length > 1 ? items : []
}

const sentenceCharsMin = 60

/** Whether a row is none of goods: a sum, a tax, what shipping costs. */
export function isSum(text: string): boolean {
  const label = text.replace(/[\d.,€$£%…]+/g, ' ').trim()
  const { known } = meaningsOf(label)
  return (
    sumWords.test(label.replace(/^\W+/u, '')) ||
    [...known].some((meaning) => sums.has(meaning)) ||
    /[-−]\s?[€$£]?\s?\d[\d.,]*\s?(?:€|EUR)?$/.test(text)
  )
}

/** How many of something, before it. */
const count =
  /^(?:[-*•·–]\s*)?(?:\d{1,4}\s?(?:[x×*]\s?|(?:st(?:k|ück|uks?)?|pcs?|pz|uds?|ud|bt|kg|g|l|m|ex|boxes of|boxes|box of|bottles of|bags of|bag of|packs? of|cajas? de|botellas? de|botes? de|pots? de|pezzi (?:di|della|del)|barril(?:es)? de|bottiglie di|bottiglia di|casse di|cartons? de|bouteilles? de|bo[iî]tes? de|sacs? de|kisten?|flaschen?|dozen|dozijn|flessen|zakken|dozen|metri di|pezzi di|kilos? de|kilo)\.?\s+|\s+))/iu

/** The name in a row: without a number of its line, how many, and prices. */
function itemOf({ text, start }: Line): Piece | null {
  const cells = text.split('\t')
  if (cells.length > 1) {
    const at = cells.findIndex((cell) => /\p{L}{3}/u.test(cell) && !/^\d+ ?\p{L}{1,3}\.?$/u.test(cell.trim()))
    const offset = cells.slice(0, at).reduce((sum, cell) => sum + cell.length + 1, 0)
    return at < 0 ? null : bare(cells[at] as string, start + offset)
  }
  let rest = text
  for (let n = 0; n < figuresMax; n++) {
    const shorter = rest.replace(
      /(?:\s*[.…]{3,}\s*|\s+)(?:[€$£]|EUR|USD|GBP|CHF)?\s*\d[\d.,'’]*\s?(?:[€$£%]|EUR|USD|GBP|CHF|Euro|euro)?$/u,
      '',
    )
    if (shorter === rest || /\p{L}\S* \p{L}/u.test(rest.slice(shorter.length).trim())) break
    rest = shorter
  }
  const lead = /^\s*\d{1,4}\s{2,}(?:\d+\s?\p{L}{0,3}\s{2,})?/u.exec(rest)?.[0].length ?? 0
  return rest === text ? null : bare(rest.slice(lead), start + lead)
}

const figuresMax = 4

function bare(text: string, start: number): Piece | null {
  const mark = /^\s*(?:[-*•·–▪●]\s+)?/u.exec(text)?.[0].length ?? 0
  const lead = mark + (count.exec(text.slice(mark))?.[0].length ?? 0)
  const value = text
    .slice(lead)
    .replace(/[\s.…:–—-]+$/u, '')
    .replace(/\s+[x×]\s?\d{1,3}$/u, '')
  if (value.length < 2 || value.length > itemCharsMax || !/\p{L}{2}/u.test(value)) return null
  return { value, start: start + lead, end: start + lead + value.length }
}

/** A name on the line above `2 pieces, 12,90 € each`. */
function itemAbove(lines: readonly Line[], n: number): Piece | null {
  const line = lines[n] as Line
  const above = lines[n - 1]
  const isDetail =
    /^\d{1,4} ?(?:st[uü]cke?|stk|pcs?|pieces?|pz|pezz[oi]|uds?|unidad(?:es)?|stuks?|ex|pi[eè]ces?|einheit(?:en)?|units?)(?!\p{L})/iu.test(
      line.text,
    )
  const isCode =
    /^(?:art|ref|sku|cod|item|artikel|art[ií]culo|articolo|r[eé]f)[.\s:-]*(?:n[or°º]?[.:\s]*)?\S*\d\S*(?:\s|$)/iu.test(
      line.text,
    )
  return (isDetail || isCode) && above !== undefined && !/[.!?:]$/.test(above.text) ? lastCell(above) : null
}

function lastCell({ text, start }: Line): Piece | null {
  const at = text.lastIndexOf('\t') + 1
  return bare(text.slice(at), start + at)
}

/** The name of goods without how many of them stand before or behind it. */
export function uncounted({ value, start }: Piece): Piece {
  const counted = pieces.exec(value)?.[0].length ?? 0
  const lead = counted + (counted > 0 ? (of.exec(value.slice(counted))?.[0].length ?? 0) : 0)
  const name = value.slice(lead).replace(manyBehind, '').trimEnd()
  return /\p{L}{2}/u.test(name)
    ? { value: name, start: start + lead, end: start + lead + name.length }
    : { value, start, end: start + value.length }
}

const units =
  '(?:st(?:k|ück|uks?)?|pcs?|pieces?|pz|pezzi|uds?|unidades|unit[sé]?s?|x|ex|boxes|bottles|bags|packs?|cans|pairs|cajas?|botellas?|botes|bottiglie|casse|scatole|confezioni|cartons?|bouteilles?|bo[iî]tes?|pots?|sacs?|pi[eè]ces?|kisten?|flaschen?|packungen|paar|kanister|rollen|eimer|dosen|dozen|flessen|zakken|rollen)'
/** A number, and words that say no more than that they are pieces. */
const pieces =
  /^\d{1,4}\s?(?:[x×]\s?|(?:st(?:k|ück|uks?)|pcs?|pieces?(?: of)?|pz|pezzi(?: (?:di|della|del|dello))?|uds?|unidades(?: de)?|pièces?(?: de)?|ex)\.?\s+|\s+(?!\p{L}+ (?:of|de|di|d['’]) ))/iu
/** What stands between how many and of what: "60 di Arneis". */
const of = /^(?:of |de |d['’]|di |von |van )/iu
const quantityWords = '(?:q\\.?t[àaé]\\.?|qty|quantity|menge|anzahl|aantal|cant(?:idad|\\.)?|quantit(?:é|à|e)|n\\.?[º°]?)'
const manyBehind = new RegExp(
  `\\s*[,;|–—-]?\\s+\\(?${quantityWords}\\s*[:.]?\\s*\\d{1,4}\\)?(?:\\s*${units})?$|(?:\\s*[,–—-])?\\s+(?:[x×]\\s?\\d{1,4}|\\d{1,4}\\s?(?:[x×]|${units}\\.?))$|\\s*\\((?:[x×]\\s?)?\\d{1,4}(?:\\s?(?:[x×]|${units}\\.?))?\\)$`,
  'iu',
)

/** Lines that begin with how many, two of them at least right below each other. */
export function countedLines({ lines }: Passage): readonly Piece[] {
  let items: Piece[] = []
  for (const line of lines) {
    const lead = count.exec(line.text)?.[0]
    const item = lead === undefined || !/\d/.test(lead) || /[.!?]$/.test(line.text) ? null : bare(line.text, line.start)
    const isGood =
      item !== null &&
      /^\p{L}/u.test(item.value) &&
      item.value.split(/\s+/).length <= 8 &&
      !/^\p{Ll}+ (?:\d{4}|um|at)/u.test(item.value) &&
      !isStreet(line)
    if (isGood) items.push(item)
    else if (items.length > 1) return items
    else items = []
  }
  return items.length > 1 ? items : []
}

/** `418 Cottonwood Dr` */
const isStreet = ({ text, folded }: Line) =>
  /\d{5}|,/.test(text) ||
  /\b(?:st|street|road|rd|dr|drive|ave|avenue|lane|row|rue|quai|impasse|way|blvd)\.?$/.test(folded)

const each =
  /(?<![\p{L}\p{N}.,/#-])(?<many>\d{1,4}\s?[x×]\s?|\d{1,4} (?=\p{L}))(?<unit>(?:boxes|bottles|bags|packs|cases|cajas|botellas|barriles|bottiglie|casse|cartons|bouteilles|boites|sacs|kisten|flaschen|flessen|zakken|dozen|kilos?|stuck|stuks|pieces|x)\s?(?:of|de|di|von|van|d.)?\s)?(?<name>\p{L}[^,;.!?()\n]*?)(?=\s(?:and|und|et|y|e|en|plus|sowie)\s\d|\s?[,;.!?()\n]|\s(?:for|to|by|please|bitte|an|am|ans|bis|zum|para|per|pour|voor|graag|a)\s|$)/gu

/** Goods in a sentence, each behind how many: `36 bottles of red and 24 of white`. */
export function countedGoods(text: string): readonly Piece[] {
  const folded = fold(text)
  let isWhole = true
  const items = Array.from(folded.matchAll(each)).flatMap((match) => {
    const { many = '', unit = '', name = '' } = match.groups ?? {}
    const start = match.index + many.length + unit.length
    const value = text
      .slice(start, start + name.length)
      .trimEnd()
      .replace(/ (?:and|und|et|y|e|en)$/, '')
    const isPart = /[,)]\s*$|(?:^|\s)(?:and|en|e|y|et|und)\s$/u.test(folded.slice(0, match.index)) && match.index !== 0
    if (isPart && !/\d/.test(folded.slice(0, match.index))) isWhole = false
    return noGood.test(fold(value)) || value.split(/\s+/).length > 6 || value.length < 3
      ? []
      : [{ value, start, end: start + value.length }]
  })
  return isWhole && (items.length > 1 || /\d\s?[x×]\s/.test(folded)) ? items : []
}

/** Numbers of other things. */
const noGood =
  /^(?:kilo|eur\w*|usd|gbp|dollars?|pounds?|%|prozent|percent|uhr|h|am|pm|o.clock|days?|tage?n?|jours?|dias|giorni|dagen|weeks?|wochen?|semaines?|semanas|settimane|weken|months?|monate?n?|mois|mes|mesi|maanden|years?|yrs?|jahre?n?|ans?|annees?|anos?|anni|jaar|people|personen|personnes|personas|persone|mensen|staff|minutes?|minuten|hours?|stunden|heures?|horas|ore|uur|cm|mm|km|kg|m2|januar\w*|februar\w*|marz|march|april\w*|ma[iy]\w*|jun\w*|jul\w*|aug\w*|sept?\w*|o[ck]t\w*|nov\w*|de[cz]\w*|ene\w*|feb\w*|mar\w*|abr\w*|ago\w*|gen\w*|mag\w*|giu\w*|lug\w*|set\w*|ott\w*|dic\w*|fev\w*|avr\w*|aou\w*|tel\w*)\b/
