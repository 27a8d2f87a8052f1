/** Finds lists in sentences, bullet points, rows and ticked boxes. */
import { type Candidate, listAt, type OpenMail } from './candidates.ts'
import type { Asked } from './concepts.ts'
import { enumerated } from './enumerations.ts'
import { countedGoods, countedLines, countedThings, isOpenGood, uncounted, withoutNumber } from './goods.ts'
import { meaningsOf } from './lexicon.ts'
import type { Passage } from './lines.ts'
import { linesBelow, markedBelow, pointLists, tableItems, ticked } from './lists.ts'
import { areNames, arePair } from './noun-phrases.ts'
import { lineAt } from './passages.ts'
import { labelledGoods, pricedRows } from './priced-rows.ts'
import type { Piece } from './shapes.ts'

/** Returns the lists of a mail that a field may ask for: bullet points, rows, ticked boxes and sentences. */
export function listed({ concept }: Asked, mail: OpenMail): readonly Candidate[] {
  const { passages, sentences, locale, zones } = mail
  if (concept === null) return []
  const named = (items: readonly Piece[]) => {
    if (concept === 'skills') return items
    const names = items.map(uncounted)
    if (concept !== 'items') return names
    // Without its quantity, an item may be named by its container only.
    const isOpen = names.some((name, n) => name.value !== items[n]?.value && isOpenGood(name))
    return isOpen ? [] : names.map(withoutNumber)
  }
  const points = passages.flatMap((passage) =>
    pointLists(passage)
      .filter(({ items }) => concept !== 'items' || areAlike(items))
      .map(({ heading, items }) => listAt(passage, named(items), pointScore(concept, heading))),
  )
  const below = passages.flatMap((passage) => {
    // The words of a label may also name a thing: "Enseigne lumineuse".
    const labels = new Set(
      passage.pairs.flatMap(({ by, line, value }) => (by === 'words' && /^\p{Ll}+$/u.test(value) ? [] : [line])),
    )
    return passage.lines.flatMap((line) => {
      if (isHeading(line.text, concept)) return [listAt(passage, named(linesBelow(passage, line, labels)), 66)]
      const isNamed = concept === 'skills' && line.text.length <= 40 && !/[.:!?]/.test(line.text)
      return isNamed && pointScore(concept, line.text) > 0 ? [listAt(passage, markedBelow(passage, line), 66)] : []
    })
  })
  const goods =
    concept === 'items'
      ? passages.flatMap((passage) => [
          listAt(passage, tableItems(passage).map(withoutNumber), 80),
          listAt(passage, pricedRows(passage, mail).map(withoutNumber), 72),
          listAt(passage, labelledGoods(passage).map(withoutNumber), 68),
          listAt(passage, countedLines(passage).map(withoutNumber), 65),
          listAt(passage, named(firstPoints(passage, mail)), 56),
        ])
      : []
  const ticks =
    concept === 'interests' || concept === 'items'
      ? passages.map((passage) => listAt(passage, ticked(passage), 76))
      : []
  const things = sentences.map(({ text }) => enumerated(text, concept, locale))
  // Two things count as the whole list only if no other sentence has more.
  const isOnly = concept !== 'items' && things.filter(({ length }) => length > 0).length === 1
  // If several sentences count things, it is unclear what each of them orders.
  const counting = sentences.filter(
    ({ text, passage }) => concept === 'items' && passage.place === 'text' && countedThings(text, locale).length > 0,
  )
  const told = sentences.flatMap(({ text, folded, passage, start }, n) => {
    const next = sentences[n + 1]
    const isAddedTo = next?.passage === passage && adds.test(next.folded)
    if (concept === 'items' && isAddedTo) return []
    if (concept === 'items' && notOrdered.test(folded)) return []
    const line = lineAt(passage, start)
    if (line !== undefined && zones(passage).has(line)) return []
    const place = (items: readonly Piece[], score: number) =>
      listAt(
        passage,
        named(items).map((item) => ({ ...item, start: item.start + start, end: item.end + start })),
        score,
      )
    const found = untilDate(things[n] ?? [], mail).map(withoutNumbered)
    const counted = concept === 'items' ? countedGoods(text, locale) : []
    const areGoods = counting.length < 2 && areNames(counted, text, locale)
    const isLong = found.length >= toldMin || (isOnly && !isAddedTo && arePair(found, text))
    const isEnumeration = isLong && (counted.length === 0 || areGoods) && areNames(found, text, locale)
    return [place(isEnumeration ? found : [], 64), place(areGoods ? counted : [], 65)]
  })
  return [...points, ...below, ...goods, ...ticks, ...told].filter((each) => each !== null)
}

/** A sentence with fewer things is too often incomplete, or repeats them in other words. */
const toldMin = 3

/** The beginning of a sentence that adds to the previous one. */
const adds =
  /^[\s"„“]*(?:oh|and|also|plus|und|dazu|ausserdem|zusatzlich|noch|et|aussi|en plus|ainsi que|y|ademas|tambien|e|inoltre|anche|poi|en|ook|daarnaast|verder)(?![\p{L}])/u

/** Goods of an earlier order, broken or missing ones, replaced ones, and those that somebody has enough of. */
const notOrdered =
  /(?<!\p{L})(?:last (?:year|time|month|week)|letzte[sn]? (?:jahr|mal|monat|woche)|l.an (?:dernier|passe)|la derniere fois|el ano pasado|la ultima vez|l.anno scorso|l.ultima volta|vorig jaar|vorige keer|instead of|rather than|anstatt|statt|anstelle|au lieu d\p{L}*|plutot que|en (?:vez|lugar) de|invece d\p{L}*|al posto d\p{L}*|in plaats van|broken|missing|damaged|faulty|defekt\p{L}*|fehl(?:t|en|ten)|kaputt\p{L}*|beschadigt\p{L}*|zerbrochen\p{L}*|manqu(?:e|ent|ait|aient)|casse(?:e|s|es)?|abime(?:e|s|es)?|rot[oa]s|falta(?:n|ban?)?|danad[oa]s?|manca(?:no|vano)?|rott[oie]|danneggiat\p{L}*|ontbre\p{L}*|kapotte?|beschadigd\p{L}*|still have|have left|haben noch|noch (?:\p{L}+ )?(?:da|ubrig)|(?:il )?(?:nous|me) reste(?:nt)?|(?:nos|me) quedan?|(?:ci|mi) rest(?:a|ano)|hebben nog)(?!\p{L})/u

/** Returns an item without a quantity in brackets: "cold rooms (2 sites first)". */
function withoutNumbered({ value, start, end }: Piece): Piece {
  const name = value.replace(/\s\(\d{1,3} \p{L}[^()]*\)$/u, '')
  return name === value ? { value, start, end } : { value: name, start, end: start + name.length }
}

/** Returns the items before the first that contains a date. */
function untilDate(items: readonly Piece[], { dates }: OpenMail): readonly Piece[] {
  const at = items.findIndex(({ value }) => dates(value, 'near').length > 0)
  return at < 0 ? items : items.slice(0, at)
}

/** Whether a line is the heading of a list and nothing else. */
function isHeading(text: string, concept: string): boolean {
  const { known, unknown } = meaningsOf(text)
  return (
    unknown === 0 &&
    known.size > 0 &&
    text.length <= 40 &&
    [...known].every((each) => headings[concept]?.includes(each))
  )
}

/** Returns the score of a list of points with this heading; 0 if the heading does not name the concept. */
function pointScore(concept: string, heading: string): number {
  const { known } = meaningsOf(heading)
  return headings[concept]?.some((meaning) => known.has(meaning)) ? 66 : 0
}

const headings: { readonly [concept: string]: readonly string[] } = {
  items: ['item', 'product', 'order'],
  interests: ['interest', 'product', 'item'],
  skills: ['skill', 'experience'],
}

/** Returns the first list of points whose items are things and not sentences: in an order these are the goods. */
function firstPoints(passage: Passage, { zones }: OpenMail): readonly Piece[] {
  const [list] = pointLists(passage).filter(({ items }) =>
    items.every(({ value, start }) => {
      const line = lineAt(passage, start)
      return (
        value.split(/\s+/).length <= 6 && !/[:!?@]|\.$/.test(value) && (line === undefined || !zones(passage).has(line))
      )
    }),
  )
  return list === undefined || list.items.length < 2 || !areAlike(list.items) ? [] : list.items
}

/** Whether all items begin with a quantity, or none. Otherwise it is unclear which of them are goods. */
function areAlike(items: readonly Piece[]): boolean {
  const counted = items.filter(({ value }) => /^\d/.test(value)).length
  return counted === 0 || counted === items.length
}
