/** Flags on the wire: the five of the system, and keywords, which are labels. */
import { type SystemFlag, systemFlags } from '../../core/imap/flags.ts'
import { Bad } from './answers.ts'
import { decodeUtf7, encodeUtf7 } from './text.ts'

const names: { readonly [F in SystemFlag]: string } = {
  seen: '\\Seen',
  answered: '\\Answered',
  flagged: '\\Flagged',
  deleted: '\\Deleted',
  draft: '\\Draft',
}

export const flagNames: readonly string[] = systemFlags.map((flag) => names[flag])

/** What may stand in an atom (RFC 9051 9) and is not `&`, with which other characters are written. */
const atomCharacter = /[A-Za-z0-9!#$'+,\-./:;<=>?@^_`|}~[]/

/** A label as a keyword. Characters that an atom must not hold are written as in the names of folders. */
export const keywordOf = (label: string): string => encodeUtf7(label, atomCharacter)

export type FlagsGiven = { readonly flags: ReadonlySet<SystemFlag>; readonly labels: readonly string[] }

/** Reads flags. `\Recent`, and flags of the system that nobody knows, are refused with Bad. */
export function readFlags(given: readonly string[]): FlagsGiven {
  const flags = new Set<SystemFlag>()
  const labels = new Set<string>()
  for (const flag of given) {
    if (!flag.startsWith('\\')) {
      labels.add(decodeUtf7(flag).normalize('NFC'))
      continue
    }
    const known = systemFlags.find((each) => names[each].toLowerCase() === flag.toLowerCase())
    if (known === undefined) throw new Bad(`${flag} is no flag that can be set`)
    flags.add(known)
  }
  return { flags, labels: [...labels] }
}

/** A bit above those of the system flags. */
const recentBit = 1 << systemFlags.length

/** The names of all sets of these flags, by their bits: they are written for every message. */
const written: readonly string[] = Array.from({ length: 2 * recentBit }, (_, bits) =>
  [...flagNames, '\\Recent'].filter((_, n) => (bits & (1 << n)) !== 0).join(' '),
)

/** The system flag of a bit mask: bit n is `systemFlags[n]`. */
export function flagList(bits: number, labels: readonly string[], isRecent: boolean): string {
  const own = written[isRecent ? bits | recentBit : bits]!
  if (labels.length === 0) return `(${own})`
  return `(${[...(own === '' ? [] : [own]), ...labels.map(keywordOf)].join(' ')})`
}
