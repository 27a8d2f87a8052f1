/**
 * Whether the name of a sender claims to be somebody else. Few and sure signs: an address of another organisation, the name
 * or the domain of whom the mail is for, letters of several alphabets within one word.
 */

import { normaliseDomain } from '../domain.ts'
import { splitAddress } from '../message/address.ts'

export type SenderClaim = {
  /** Display name and address of From. */
  readonly name: string
  readonly address: string
  /** What the owner of the mailbox is called: display names, the name of the account. */
  readonly ownNames: readonly string[]
  /** Domain of the mailbox. */
  readonly ownDomain: string
  /** Whether two domains are of the same owner. */
  readonly related: (a: string, b: string) => boolean
}

/** A name that many have by chance is no sign. */
const ownNameCharsMin = 5
/** What is looked at: names are shorter. */
const nameCharsMax = 1_000

/** Whether the display name pretends to be somebody other than the address. */
export function claimsToBeAnother({ name, address, ownNames, ownDomain, related }: SenderClaim): boolean {
  const shown = name.normalize('NFKC').slice(0, nameCharsMax)
  if (shown.trim() === '') return false
  const { domain } = splitAddress(address)
  if (mixesAlphabets(shown)) return true
  const plain = skeleton(shown)
  for (const [, named] of plain.matchAll(/[^\s@<>()"',;:]+@((?:[a-z0-9-]+\.)+[a-z]{2,})/g)) {
    const other = normaliseDomain(named ?? '')
    if (other !== null && !related(other, domain)) return true
  }
  if (related(ownDomain, domain)) return false
  const words = plain.split(/[^a-z0-9.-]+/).map((word) => word.replace(/^[.-]+|[.-]+$/g, ''))
  if (words.includes(ownDomain)) return true
  const whole = onlyLetters(plain)
  return ownNames.some((own) => {
    const wanted = onlyLetters(skeleton(own.normalize('NFKC')))
    return wanted.length >= ownNameCharsMin && wanted === whole
  })
}

/** Latin with Cyrillic or Greek in one word: what no language writes (UTS 39 5.1). */
function mixesAlphabets(text: string): boolean {
  return text
    .split(/[^\p{L}\p{M}]+/u)
    .some((word) => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word))
}

/** The text as it looks: small letters, without marks and invisible characters, look-alikes as Latin letters. */
function skeleton(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu, (letter) => lookAlikes[letter] ?? letter)
}

const onlyLetters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')

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
