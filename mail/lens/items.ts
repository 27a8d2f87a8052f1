/** Splits an enumeration at commas, semicolons and words for "and". */
import type { Locale } from './locale.ts'
import type { Piece } from './shapes.ts'

/** The maximum number of items of a list, and of characters of an item. */
const itemsMax = 100
const itemCharsMax = 160

/** Returns the items of a text that begins at `offset`, split at semicolons if it has any, otherwise at commas and "and". */
export function itemsIn(text: string, { language }: Locale, offset = 0): readonly Piece[] {
  const inner = /^[\s:]*/.exec(text)?.[0].length ?? 0
  const separator = text.includes(';') ? /\s*;\s*/g : separators[language]
  const items: Piece[] = []
  let start = inner
  const add = (end: number) => {
    const item = itemIn(text.slice(start, end), start + offset, language)
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
  en: 'and also|and|as well as|plus|along with|together with|&(?= [\\p{Lu}\\d])',
  de: 'und auch|und|sowie|samt|plus|&(?= [\\p{Lu}\\d])',
  fr: 'et|ainsi que|plus|&(?= [\\p{Lu}\\d])',
  es: 'y también|y|e|así como|más|&(?= [\\p{Lu}\\d])',
  it: 'e anche|e|ed|nonché|più|oltre a|&(?= [\\p{Lu}\\d])',
  nl: 'en ook|en|evenals|plus|&(?= [\\p{Lu}\\d])',
  pt: 'e|&(?= [\\p{Lu}\\d])',
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
  /^(?:especially|mainly|vor allem|insbesondere|surtout|notamment|sobre todo|especialmente|soprattutto|vooral|also|auch|aussi|tambien|también|anche|ook|un peu(?: de| d['’])?|any|a few|a couple of|several|qualche|alcun[ei]|algun[oa]s?|quelques|einige|ein paar|enkele|ons|onze|mein[e]?|my|mijn|un po.? di|dei|degli|delle|della|dello|del|ein bisschen|un poco de|an?|the|our|your|some|also|einen?|eine[mrn]?|der|die|das|den|dem|unsere?|ein|une?|des|les?|la|l['’]|du|de l['’]|los|las|el|un|una|unos|unas|il|lo|gli|i|uno|un['’]|het|de|een|neue[nrs]?|new|nieuwe?|nouve(?:au|lle)|nuev[oa]|nuov[oa])(?:\s+|(?<=['’]))/iu

/** Returns an item without an article before it and without the end of the sentence after it. */
function itemIn(text: string, offset: number, language: Locale['language']): Piece | null {
  const trimmed = text.trimStart()
  let start = text.length - trimmed.length
  // "I" is an article in Italian but a pronoun in English.
  const isClause = language === 'en' && /^I\s/.test(trimmed)
  const first = article.exec(trimmed)?.[0].length ?? 0
  const lead = isClause ? 0 : first + (article.exec(trimmed.slice(first))?.[0].length ?? 0)
  start += lead
  const value = text.slice(start).replace(/[\s.,;:!]+$/, '')
  return value === '' || value.length > itemCharsMax || !/[\p{L}\p{N}]/u.test(value)
    ? null
    : { value, start: start + offset, end: start + offset + value.length }
}
