/** The words of the interface, in the language of the viewer. A language is loaded before anything is shown, and only that one. */
import { en } from '../words/en/all.ts'

export type Words = typeof en
export type Language = 'en' | 'de'

const loaders: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => en,
  de: async () => (await import('../words/de/all.ts')).de,
}
/** Each in its own words, for the choice. */
export const languages: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }
const kept = 'mailroom.language'

export const language: Language = chosen()
/** The same with the viewer's country: a date is written otherwise in Britain than in America. */
export const locale = navigator.languages.find((tag) => tag.slice(0, 2) === language && isTag(tag)) ?? language

/** `words.mail.compose`; a word that one of the languages lacks does not compile. */
export let words: Words = en

export async function loadWords(): Promise<void> {
  words = await loaders[language]()
  document.documentElement.lang = language
}

/** Changes the language: the page begins anew in it. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(kept, chosen)
  location.reload()
}

/** Whether dates can be written by it: Chromium in the locale C of Unix says en-US@posix. */
function isTag(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

function chosen(): Language {
  const wanted = [localStorage.getItem(kept) ?? '', ...navigator.languages]
  const known = wanted.map((tag) => tag.slice(0, 2)).find((tag) => tag in loaders)
  return (known as Language | undefined) ?? 'en'
}
