/** Decides how a mail writes numbers and dates: by unambiguous examples in it, then by its country, then by its language. */
import { fold, languageWords } from './lexicon.ts'
import type { LensSource } from './source.ts'

export type LensLanguage = 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pt'

export type Locale = {
  readonly language: LensLanguage
  readonly decimal: ',' | '.'
  /** What comes first in 05/12/2026. */
  readonly first: 'day' | 'month'
}

/** The characters of each text that are used to detect the language. */
const sampleCharsMax = 8_000

/** Words that are frequent in one language and rare in the others. */
const common: { readonly [language in LensLanguage]: RegExp } = {
  en: /\b(?:the|and|you|your|of|is|we|for|this|with|please|have|our|from|would|date|thanks|name|phone|yes|company|by)\b/g,
  de: /\b(?:der|die|und|das|wir|ist|nicht|sie|ich|den|mit|von|bitte|fur|ihre?|auf|eine?|vom|zum|grusse?n?|datum|rechnung|firma|ja|nein|stelle)\b/g,
  fr: /\b(?:les?|des|et|est|nous|vous|votre|pour|une?|dans|avec|merci|bonjour|cordialement|je|du|facture|oui|nom|telephone|poste)\b/g,
  es: /\b(?:el|los|las|y|es|una?|para|con|por|su|hola|gracias|saludos?|que|del|factura|fecha|correo|nombre|empresa|puesto)\b/g,
  it: /\b(?:il|gli|di|che|una?|per|con|del|della|grazie|saluti|buongiorno|sono|e|vostr[aoei]|fattura|data|nome|azienda|posizione)\b/g,
  nl: /\b(?:het|een|van|en|de|wij|ik|niet|voor|met|graag|groeten?|uw|is|op|dat|factuur|bedrijf|naam|ja|nee|functie)\b/g,
  pt: /\b(?:os?|uma?|para|com|nao|obrigad[oa]|voce|que|do|da|em|sao|fatura|empresa|nome|ola|cumprimentos|encomenda)\b/g,
}

/** Signs of a mail from the United States, and of one from other English-speaking countries. */
const american =
  /\$ ?\d|\bUSD\b|\b[A-Z]{2} \d{5}(?:-\d{4})?\b|\(\d{3}\) \d{3}-\d{4}|\+1[ (-]|\bsales tax\b|\b(?:LLC|Inc)\b|\bzip code\b|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2},? 20\d\d\b/g
const british =
  /£|\bGBP\b|\bVAT\b|\b(?:Ltd|PLC)\b|\+44|\+353|\+61|\b[A-Z]{1,2}\d{1,2}[A-Z]? \d[A-Z]{2}\b|€|\bEUR\b|\bABN\b|\bpostcode\b|\b\d{1,2}(?:st|nd|rd|th)? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?,? 20\d\d\b|(?<![\d+])0\d{2,4} \d{3} ?\d{3,4}\b/g

/** The locale of a mail, its attachments included. Linear. */
export function localeOf({ subject, text, attachments, date, language: told }: LensSource): Locale {
  const sample = [subject, text, ...attachments.map((each) => each?.text ?? '')]
    .map((each) => each.slice(0, sampleCharsMax))
    .join('\n')
  const language = languageOf(sample, knownLanguage(told))
  return { language, decimal: decimalOf(sample, language), first: firstOf(sample, { language, told, date }) }
}

function knownLanguage(tag: string | undefined): LensLanguage | null {
  const primary = tag?.slice(0, 2).toLowerCase() ?? ''
  return Object.hasOwn(common, primary) ? (primary as LensLanguage) : null
}

/** A header field often names the language of the program, so it counts only as much as a few words. */
const toldWords = 3

function languageOf(sample: string, told: LensLanguage | null): LensLanguage {
  const text = fold(sample)
  const labels = languageWords(sample)
  const counts = Object.entries(common).map(([language, words]) => ({
    language: language as LensLanguage,
    count: (text.match(words)?.length ?? 0) + (labels.get(language) ?? 0) + (language === told ? toldWords : 0),
  }))
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).language
}

function decimalOf(sample: string, language: LensLanguage): Locale['decimal'] {
  const points = sample.match(/(?<![\d.,])(?:\d{1,3}(?:,\d{3})+|\d+)\.\d{2}(?![\d.,]\d|\d)/g)?.length ?? 0
  const commas = sample.match(/(?<![\d.,])(?:\d{1,3}(?:[. ]\d{3})+|\d+),\d{2}(?![\d.,]\d|\d)/g)?.length ?? 0
  if (points !== commas) return points > commas ? '.' : ','
  return language === 'en' || /\bCHF\b|\bMXN\b/.test(sample) ? '.' : ','
}

function firstOf(
  sample: string,
  { language, told, date }: { readonly language: LensLanguage; readonly told: string | undefined; readonly date: Date },
): Locale['first'] {
  if (language !== 'en') return 'day'
  let day = 0
  let month = 0
  const [sentOn, sentIn] = [date.getUTCDate(), date.getUTCMonth() + 1]
  for (const [, one, two] of sample.matchAll(/(?<![\d/])(\d{1,2})\/(\d{1,2})\/\d{2,4}(?![\d/])/g)) {
    const [first, second] = [Number(one), Number(two)]
    // A date may be the day on which the mail was written, which shows the order.
    const isDay = first === sentOn && second === sentIn
    const isMonth = first === sentIn && second === sentOn
    if (first > 12 || (isDay && !isMonth)) day++
    if (second > 12 || (isMonth && !isDay)) month++
  }
  if (day !== month) return day > month ? 'day' : 'month'
  const country = /^en-([a-z]{2})/i.exec(told ?? '')?.[1]?.toUpperCase()
  if (country !== undefined) return country === 'US' ? 'month' : 'day'
  const others = sample.match(british)?.length ?? 0
  return others > (sample.match(american)?.length ?? 0) ? 'day' : 'month'
}
