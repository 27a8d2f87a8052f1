/** Lists: behind a label, as points below one, as rows of a table, and in sentences. */
import { fold, meaningsOf } from './lexicon.ts'
import type { Locale } from './locale.ts'
import type { Line, Pair, Passage } from './passages.ts'
import type { Piece } from './shapes.ts'
import { type Columns, goodsColumns } from './table-heads.ts'

/** Items of one list at most, and characters of one. */
const itemsMax = 100
const itemCharsMax = 160

const bullet = /^(?:[-*•·–▪●]|\d{1,2}[.)])\s+(?=\S)/
const point = /^(?:[-*•·–▪●]\s*|\d{1,2}[.)]\s+|\d{1,4}\s?[x×]\s)/

/** The items in a text, with its offset: by semicolons, else by commas and "and". */
export function itemsIn(text: string, { language }: Locale, offset = 0): readonly Piece[] {
  const inner = /^[\s:]*/.exec(text)?.[0].length ?? 0
  const separator = text.includes(';') ? /\s*;\s*/g : separators[language]
  const items: Piece[] = []
  let start = inner
  const add = (end: number) => {
    const item = itemIn(text.slice(start, end), start + offset)
    if (item !== null && items.length < itemsMax) items.push(item)
  }
  for (const match of text.slice(0, 4_000).matchAll(separator)) {
    if (match.index < start || isInBrackets(text, match.index)) continue
    add(match.index)
    start = match.index + match[0].length
  }
  add(text.length)
  return items
}

const joining: { readonly [language in Locale['language']]: string } = {
  en: 'and|as well as|&',
  de: 'und|sowie|&',
  fr: 'et|&',
  es: 'y|e|&',
  it: 'e|ed|&',
  nl: 'en|&',
  pt: 'e|&',
}
const separators = Object.fromEntries(
  Object.entries(joining).map(([language, and]) => [
    language,
    new RegExp(`\\s*(?:,(?!\\d)|\\s/|\\s[|·•]|\\s\\+)\\s+(?:(?:${and})\\s+)?|\\s+(?:${and})\\s+|,(?=\\p{L})`, 'gu'),
  ]),
) as { readonly [language in Locale['language']]: RegExp }

function isInBrackets(text: string, at: number): boolean {
  const open = text.lastIndexOf('(', at)
  return open >= 0 && at - open < itemCharsMax && !text.slice(open, at).includes(')')
}

const article =
  /^(?:un peu de|un po.? di|ein bisschen|un poco de|an?|the|our|your|some|also|einen?|eine[mrn]?|der|die|das|den|dem|unsere?|ein|une?|des|les?|la|l['’]|du|de l['’]|los|las|el|un|una|unos|unas|il|lo|gli|i|uno|un['’]|het|de|een|neue[nrs]?|new|nieuwe?|nouve(?:au|lle)|nuev[oa]|nuov[oa])(?:\s+|(?<=['’]))/iu

/** An item without an article before it, nor an end of the sentence and a price behind it. */
function itemIn(text: string, offset: number): Piece | null {
  const trimmed = text.trimStart()
  let start = text.length - trimmed.length
  const first = article.exec(trimmed)?.[0].length ?? 0
  const lead = first + (article.exec(trimmed.slice(first))?.[0].length ?? 0)
  start += lead
  const value = text.slice(start).replace(/[\s.,;:!]+$/, '')
  return value === '' || value.length > itemCharsMax || !/[\p{L}\p{N}]/u.test(value)
    ? null
    : { value, start: start + offset, end: start + offset + value.length }
}

/** The list behind a label: on its line, or as points on the lines below. */
export function listOf(pair: Pair, locale: Locale): readonly Piece[] {
  const below = pair.by === 'line' ? pointsBelow(pair.passage, pair.line) : []
  return below.length > 0 ? below : itemsIn(pair.value, locale, pair.start)
}

/** A list of points and what stands above it. */
export type Points = { readonly heading: string; readonly items: readonly Piece[] }

/** The lists of points of a passage, each with the line that heads it. */
export function pointLists(passage: Passage): readonly Points[] {
  const { lines } = passage
  return lines.flatMap((line, n) => {
    const below = lines[n + 1]
    const isHeading = !point.test(line.text) && below !== undefined && point.test(below.text) && line.role === null
    const items = isHeading ? pointsBelow(passage, line) : []
    return items.length === 0 ? [] : [{ heading: line.text, items }]
  })
}

/** The points right below a line; without their marks and prices. */
function pointsBelow(passage: Passage, heading: Line): readonly Piece[] {
  const at = passage.lines.indexOf(heading)
  const items: Piece[] = []
  for (const line of passage.lines.slice(at + 1, at + 1 + itemsMax)) {
    if (!point.test(line.text)) break
    const mark = bullet.exec(line.text)?.[0].length ?? 0
    items.push(withoutPrice(line.text.slice(mark), line.start + mark))
  }
  return items
}

/** `Desk lamp (€ 12.00 each)` and `Desk lamp   12,00 €` without the price. */
function withoutPrice(text: string, offset: number): Piece {
  const value = text
    .replace(/\s*\([^()]*\d[^()]*[€$£]?[^()]*\)\s*$/, (part) => (/[€$£]|\d[.,]\d\d/.test(part) ? '' : part))
    .replace(/(?:\s{2,}|\s[-–:@]\s|\t)\S*[\d€$£][^\p{L}]*(?:EUR|USD|GBP|CHF)?\s*$/u, '')
    .replace(/\s(?:[€$£]\s?)\d[\d.,]*\s*$|\s\d[\d.,]*\s?[€$£]\s*$/u, '')
    .replace(/[\s,;:–—-]+$/, '')
  const inner = /^\s*/.exec(value)?.[0].length ?? 0
  return { value: value.slice(inner), start: offset + inner, end: offset + value.length }
}

/** What is ticked in a form: `☑ Curtains`, `[x] Curtains`. None where nothing can be ticked. */
export function ticked({ lines }: Passage): readonly Piece[] {
  return lines.flatMap(({ text, start }) =>
    Array.from(text.matchAll(/(?:☑|☒|✓|✔|\[[xX]\])\s*([^☑☐☒✓✔[\]\t]{2,80}?)(?=\s*(?:[☑☐☒✓✔[\t]|$))/gu), (match) => {
      const value = match[1] as string
      const at = start + match.index + match[0].indexOf(value)
      return { value, start: at, end: at + value.length }
    }),
  )
}

/** What the line below a table of goods begins with. */
const endMeanings: ReadonlySet<string> = new Set([
  'total',
  'net',
  'tax',
  'gross',
  'shipping',
  'discount',
  'payment',
  'amount',
])

/** The goods in the rows of a table, told by its head: `Item Qty Price`. */
export function tableItems(passage: Passage): readonly Piece[] {
  const { lines } = passage
  for (const [at, line] of lines.entries()) {
    const head = goodsColumns(line.text)
    if (head === null) continue
    const items: Piece[] = []
    for (const row of lines.slice(at + 1, at + 1 + itemsMax)) {
      const item = rowItem(row, head)
      if (item === null) break
      items.push(item)
    }
    if (items.length > 0) return items
  }
  return []
}

function rowItem(row: Line, { figures, isNumbered }: Columns): Piece | null {
  const { text } = row
  const label = meaningsOf(text.replace(/[\d.,€$£%]+/g, ' '))
  if (label.unknown === 0 && [...label.known].some((meaning) => endMeanings.has(meaning))) return null
  if (!/\d/.test(text)) return null
  const first = isNumbered ? (/^\S*\d\S*\s+/.exec(text)?.[0].length ?? 0) : 0
  let rest = text.slice(first)
  for (let n = 0; n < figures; n++) {
    const shorter = rest.replace(/\s+(?:[€$£]\s?|EUR\s)?-?\d[\d.,'’]*(?:\s?(?:[€$£%]|EUR|USD|GBP|CHF))?$/u, '')
    if (shorter === rest) break
    rest = shorter
  }
  if (rest.length === text.length - first || !/\p{L}/u.test(rest)) return null
  return { value: rest, start: row.start + first, end: row.start + first + rest.length }
}

/** Words before the items of a sentence, by what the list holds. Folded. */
const leads: { readonly [concept: string]: RegExp } = {
  items:
    /(?:(?:please )?(?:order|send us|send me|deliver)|bestellen wir|wir bestellen|ich bestelle|mochten? (?:wir|ich)|commander|commandons|pedir|pedimos|encargar|ordinare|ordiniamo|(?:willen|wil) (?:graag )?|bestellen)\s+(?=\d{1,3}\s+\p{L})/gu,
  interests:
    /(?:interested in|looking for|look for|interest in|like to hear more about|know more about|(?:quote|proposal|offer|estimate|price|pricing) (?:for|on)|interessieren uns fur|interessiert (?:an|sich fur)|interesse an|(?:wir |und |ich )(?:suchen?|brauchen?|benotigen?)|brauch(?:e|en)?|suche|angebot (?:uber|fur|zu)|(?:nous |et |nous )cherchons|cherche(?:ons)?|(?:besoin|envie) de|devis pour|offre pour|interess\w+ par|quelqu.un pour|buscamos|busco|(?:nos |me )interesan?|interesad[oa]s? en|necesit(?:o|amos|an)|quieren|presupuesto (?:de|para)|cuesta (?:el|la|un|una)|nos encaja|cerchiamo|cerco|interessat[oai] a|le interessa|offerta per|preventivo per|ci serv(?:e|ono)|mi serv(?:e|ono)|op zoek naar|zoeken|(?:hebben )?interesse in|geinteresseerd in|offerte voor|nodig voor)\s+/gu,
  skills:
    /(?<!\p{L})(?:skills (?:in|include|are)|experience (?:with|in)|skilled in|proficient in|knowledge of|familiar with|worked with|work with|evenings? (?:since )?with|can do|good (?:at|with)|fluent in|kenne mich (?:sehr )?(?:gut )?(?:mit|in)|(?:sehr )?sicher (?:in|mit)|erfahrung(?:en)? (?:mit|in)|kenntnisse in|beherrsche|vertraut mit|schwerpunkte:?|arbeite (?:taglich )?mit|maitrise|competences en|j.ai fait d[ue]s?|connais(?:sances)? (?:en|de)?|s.y connait en|a l.aise avec|domino|manejo|conocimientos de|experiencia (?:con|en)|se manejar|so usare|esperto di|esperienza con|conosco|mi occupo di|padronanza di|insegnato|utilizzo|goed in|ervaring met|kennis van|sterk in|werk(?:en)? (?:veel |dagelijks )?met|thuis in)\s+(?!(?:und|and|et|y|e|en|the team|years|jahre)\s)/gu,
}
const listEnd =
  /\s(?:for (?:our|my|the)|in (?:our|my)|fur (?:unser\w*|mein\w*|ein\w*|das|die|den)|aus(?=\s*[.,]|$)|pour (?:notre|nos|mon|le|la)|para (?:nuestr\w*|la|el|mi)|per (?:il|la|i|le|nostr\w*)|voor (?:ons|onze|mijn|het|de)|and (?:we|i)\b|and would|om te|ab dem|bis zum|e soprattutto|and above all|im praktikum|en cours|without|ohne|sans|senza|zonder|unas? \d|que anuncian|te leveren|bestellen|because|weil|who|that)\b|[.!?;:](?=\s|$)/

/** What begins or makes a sentence of its own. */
const noThing =
  /^(?:you|me|us|it|this|that|them|est|is|ist|es|e|sie|ihnen|vous|lo|ci|something|someone|etwas|jemand\p{L}*|quelqu|algo|alguien|qualcosa|qualcuno|iets|iemand)(?!\p{L})|(?<!\p{L})(?:we|nous|wir|nos|i|ich|je|ik|wij)(?!\p{L})/u

/** The items that a sentence lists. */
export function sentenceItems(text: string, concept: string, locale: Locale): readonly Piece[] {
  const folded = fold(text).replaceAll('\n', ' ')
  const [lead] = leads[concept] === undefined ? [] : [...folded.matchAll(leads[concept])].slice(-1)
  if (lead === undefined) return []
  const start = lead.index + lead[0].length
  const length = folded.slice(start).search(listEnd)
  const part = text.slice(start, length < 0 ? text.length : start + length)
  const items = itemsIn(part, locale, start)
  const isPlain = items.every(({ value }) => value.split(/\s+/).length <= 6 && !noThing.test(fold(value)))
  return isPlain && items.length <= 12 ? items : []
}
