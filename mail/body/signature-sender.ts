/** The sender's names, as signatures have them. */

import { type NamedAddress, splitAddress } from '../message/address.ts'

export type Sender = {
  /** The first letters of the name and of the local part: "bm". */
  readonly initials: ReadonlySet<string>
  /** Words of the name and of the local part, folded. */
  readonly names: ReadonlySet<string>
  readonly address: string
  /** Words of the name, the local part and the domain, of three letters or more. */
  readonly words: ReadonlySet<string>
}

/** The sender that a From field names. Never throws. */
export function senderOf(from: NamedAddress): Sender {
  const { local, domain } = splitAddress(from.address.toLowerCase())
  const initialsOf = (text: string) =>
    wordsOf(text)
      .map((word) => word[0])
      .join('')
  const initials = new Set([initialsOf(from.name), initialsOf(local)].filter(({ length }) => length > 1))
  const names = new Set([...wordsOf(from.name), ...wordsOf(local.replace(/\d+/g, ' '))])
  const hosts = domain.split('.').slice(0, -1).flatMap(wordsOf)
  return {
    initials,
    names,
    address: from.address.toLowerCase(),
    words: new Set([...names, ...hosts].filter((w) => w.length > 2)),
  }
}

/** The words of a text, in lower case and without accents. */
export function wordsOf(text: string): readonly string[] {
  const folded = text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
  return folded.match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Whether the words of a line name the sender; with `whole`, whether it has no other words. */
export function namesSender(text: string, sender: Sender | null, whole: boolean): boolean {
  if (sender === null) return false
  const parts = wordsOf(text)
  const own = parts.filter((part) => sender.names.has(part) || startsAsSender(part, sender))
  const isOwnStart = parts.length > 0 && sender.names.has(parts[0] as string)
  return own.length > 0 && (whole ? own.length === parts.length : isOwnStart || own.length > 1)
}

/** In scripts without blanks a name is one word: 田中一郎 for 田中 一郎. */
function startsAsSender(part: string, { names }: Sender): boolean {
  return (
    /^[\p{Script=Han}\p{Script=Hangul}]{3,}$/u.test(part) &&
    [...names].some((name) => name.length > 1 && part.startsWith(name))
  )
}
