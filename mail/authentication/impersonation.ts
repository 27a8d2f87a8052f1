/**
 * Tells whether the name of a sender claims to be somebody else. The signs are few and sure: an address of another organisation, the
 * name or the domain of the mailbox's owner, letters of several alphabets in one word.
 */

import { normaliseDomain } from '../domain.ts'
import { mixesAlphabets, skeleton } from '../encoding/look-alikes.ts'
import { splitAddress } from '../message/address.ts'

export type SenderClaim = {
  /** Display name and address of From. */
  readonly name: string
  readonly address: string
  /** Names of the mailbox's owner: display names, the name of the account. */
  readonly ownNames: readonly string[]
  /** Domain of the mailbox. */
  readonly ownDomain: string
  /** Whether two domains have the same owner. */
  readonly related: (a: string, b: string) => boolean
}

/** Shorter names are no sign, because many people have the same by chance. */
const ownNameCharsMin = 5
/** How much of a name is looked at: names are shorter. */
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
