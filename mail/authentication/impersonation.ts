/**
 * Whether the name of a sender claims to be somebody else. Few and sure signs: an address of another organisation, the name
 * or the domain of whom the mail is for, letters of several alphabets within one word.
 */

import { normaliseDomain } from '../domain.ts'
import { mixesAlphabets, skeleton } from '../encoding/look-alikes.ts'
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

const onlyLetters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')
