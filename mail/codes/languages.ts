/** The vocabularies of all languages. */

import type { Vocabulary } from './vocabulary.ts'
import { ja, ko, zh } from './words-east-asian.ts'
import { de, en, nl } from './words-germanic.ts'
import { ar, he, hi, others, th, tr, vi } from './words-other.ts'
import { es, fr, it, pt } from './words-romance.ts'
import { pl, ru } from './words-slavic.ts'

/** The vocabularies by language (ISO 639-1); `others` joins several small ones. Every mail is searched for all of them. */
export const languages: { readonly [language: string]: Vocabulary } = {
  en,
  de,
  fr,
  es,
  pt,
  it,
  nl,
  ja,
  zh,
  ru,
  pl,
  tr,
  ar,
  he,
  hi,
  th,
  vi,
  ko,
  others,
}
