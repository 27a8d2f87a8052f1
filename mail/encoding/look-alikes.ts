/** Letters of one script that look like those of another (UTS 39), in names and in domains. */
import { domainToASCII, domainToUnicode } from 'node:url'

/** Whether a word mixes Latin with Cyrillic or Greek letters, which no language does (UTS 39 5.1). */
export function mixesAlphabets(text: string): boolean {
  return text
    .split(/[^\p{L}\p{M}]+/u)
    .some((word) => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word))
}

/** The text as it looks: lower-case, without marks and invisible characters, look-alikes as Latin letters. */
export function skeleton(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu, (letter) => lookAlikes[letter] ?? letter)
}

/**
 * The domains in a text that mix Latin letters with look-alikes, or that have a label of look-alikes alone under an ASCII
 * top-level domain. Each is given as it looks, with its A-labels. At most `foundMax`. Linear.
 */
export function lookAlikeDomains(text: string): readonly string[] {
  // Most mail is ASCII alone and has no such domain.
  if (!mayLookAlike(text)) return []
  const found = new Set<string>()
  for (const word of text.split(/\s+/)) {
    if (!word.includes('.') || !mayLookAlike(word)) continue
    for (const [match] of word.matchAll(domainPattern)) {
      const domain = domainToUnicode(match.toLowerCase())
      if (domain !== '' && isLookAlike(domain)) found.add(`${domain} (${domainToASCII(domain)})`)
      if (found.size >= foundMax) return [...found]
    }
  }
  return [...found]
}

const foundMax = 5

/** Whether there is a letter beyond ASCII, or an A-label. */
const mayLookAlike = (text: string) => /\P{ASCII}/u.test(text) || /xn--/i.test(text)

/** A label with a letter beyond ASCII, or an A-label, followed by a top-level domain. */
const domainPattern =
  /(?<![\p{L}\p{N}.-])(?=[A-Za-z0-9.-]{0,253}(?:[xX][nN]--|[^\p{ASCII}]))[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,10}(?![\p{L}\p{N}-])/gu

function isLookAlike(domain: string): boolean {
  const labels = domain.split('.')
  if (labels.some(mixesAlphabets)) return true
  const isAsciiTop = /^[a-z]{2,}$/.test(labels.at(-1) ?? '')
  return (
    isAsciiTop &&
    labels.slice(0, -1).some((label) => /^[^\p{ASCII}\d]{2}/u.test(label) && /^[a-z0-9-]+$/.test(skeleton(label)))
  )
}

/** Cyrillic and Greek letters that look like Latin ones (UTS 39, confusables). */
const lookAlikes: { readonly [letter: string]: string } = {
  а: 'a',
  в: 'b',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  һ: 'h',
  і: 'i',
  ј: 'j',
  к: 'k',
  ӏ: 'l',
  м: 'm',
  н: 'h',
  о: 'o',
  р: 'p',
  ԛ: 'q',
  ѕ: 's',
  т: 't',
  у: 'y',
  ѵ: 'v',
  ԝ: 'w',
  х: 'x',
  г: 'r',
  п: 'n',
  α: 'a',
  β: 'b',
  ε: 'e',
  η: 'n',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
}
