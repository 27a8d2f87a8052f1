/** Flags on the wire: the five system flags, and keywords, which are labels. */
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

/** The characters of an atom (RFC 9051 9) without `&`, which begins encoded characters. */
const atomCharacter = /[A-Za-z0-9!#$'+,\-./:;<=>?@^_`|}~[]/

/** Returns a label as a keyword. Characters that an atom must not contain are encoded in modified UTF-7. */
export const keywordOf = (label: string): string => encodeUtf7(label, atomCharacter)

export type FlagsGiven = { readonly flags: ReadonlySet<SystemFlag>; readonly labels: readonly string[] }

/** Reads flags. Fails with Bad for `\Recent` and for unknown system flags. */
export function readFlags(given: readonly string[]): FlagsGiven {
  const flags = new Set<SystemFlag>()
  const labels = new Set<string>()
  for (const flag of given) {
    if (!flag.startsWith('\\')) {
      labels.add(decodeUtf7(flag).normalize('NFC'))
      continue
    }
    const known = systemFlags.find((each) => names[each].toLowerCase() === flag.toLowerCase())
    if (known === undefined) throw new Bad(`${flag} is not a flag that can be set`)
    flags.add(known)
  }
  return { flags, labels: [...labels] }
}

/** The bit of `\Recent`, above those of the system flags. */
const recentBit = 1 << systemFlags.length

/** The names of every combination of these flags, by their bits; computed once, because each message needs one. */
const written: readonly string[] = Array.from({ length: 2 * recentBit }, (_, bits) =>
  [...flagNames, '\\Recent'].filter((_, n) => (bits & (1 << n)) !== 0).join(' '),
)

/** Returns the flag list of a message. Bit n of `bits` is `systemFlags[n]`. */
export function flagList(bits: number, labels: readonly string[], isRecent: boolean): string {
  const own = written[isRecent ? bits | recentBit : bits]!
  if (labels.length === 0) return `(${own})`
  return `(${[...(own === '' ? [] : [own]), ...labels.map(keywordOf)].join(' ')})`
}
