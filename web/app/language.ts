/** The words of the interface, in the viewer's language. Only that language is loaded, before anything is shown. */
import { en } from '../words/en/all.ts'

export type Words = typeof en
export type Language = 'en' | 'de'

const loaders: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => en,
  de: async () => (await import('../words/de/all.ts')).de,
}
/** The name of each language in that language, for the menu. */
export const languages: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }
const kept = 'mailroom.language'

export const language: Language = chosen()
/** The language with the viewer's country, because dates are written differently in Britain and America. */
export const locale = navigator.languages.find((tag) => tag.slice(0, 2) === language && isTag(tag)) ?? language

/** For example `words.mail.compose`. If German lacks a word, the code does not compile. */
export let words: Words = en

export async function loadWords(): Promise<void> {
  words = await loaders[language]()
  document.documentElement.lang = language
}

/** Changes the language and reloads the page. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(kept, chosen)
  location.reload()
}

/** Whether Intl accepts a tag. In the Unix locale C, Chromium reports en-US@posix, which Intl rejects. */
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
