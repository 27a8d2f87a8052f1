/** Finds names that a form asks for in two fields, and names from which an e-mail address is made. */
import { at, type Candidate, type OpenMail } from './candidates.ts'
import { fold } from './lexicon.ts'
import type { Pair } from './lines.ts'
import { ownEmails } from './reach.ts'
import { readPerson } from './shapes.ts'
import { isPersonName } from './signatures.ts'

const score = 112
/** How many labels may come between the two, such as that of a middle name. */
const apartMax = 2

/** Returns the names whose parts have labels of their own. The evidence spans both parts. */
export function composedNames({ passages }: OpenMail): readonly Candidate[] {
  return passages.flatMap((passage) => {
    const { pairs } = passage
    return pairs.flatMap((one, n) => {
      if (!isFirst(one, pairs)) return []
      const near = pairs.slice(Math.max(0, n - apartMax), n + apartMax + 1)
      const other = near.find((each) => each !== one && isLast(each, one))
      const [first, last] = [partOf(one), other === undefined ? null : partOf(other)]
      if (first === null || last === null) return []
      const value = `${first.value} ${last.value}`
      if (!isPersonName(value)) return []
      return [{ value, passage, start: Math.min(first.start, last.start), end: Math.max(first.end, last.end), score }]
    })
  })
}

const says = ({ meanings: { known, unknown } }: Pair, meaning: string) =>
  unknown === 0 && known.has(meaning) && [...known].every((each) => each === meaning || qualifiers.has(each))

/** Meanings that say whose name it is. */
const qualifiers: ReadonlySet<string> = new Set(['contact', 'customer', 'applicant', 'requester', 'name'])

/** A plain "name" is the first name beside "Apellidos", and the last name beside "Prénom". */
const isFirst = (pair: Pair, pairs: readonly Pair[]) =>
  says(pair, 'first') || (says(pair, 'name') && !pairs.some((each) => says(each, 'first')))
const isLast = (pair: Pair, first: Pair) => says(pair, 'last') || (says(first, 'first') && says(pair, 'name'))

function partOf({
  value,
  start,
}: Pair): { readonly value: string; readonly start: number; readonly end: number } | null {
  const found = readPerson(value)
  return found === null ? null : { value: found.value, start: start + found.start, end: start + found.end }
}

const capitals = /(?<![\p{L}\p{N}@.])\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*){1,5}(?![\p{L}@])/gu

/** Returns names from which an address of the mail's person is made: "Jane Doe" beside `jane.doe@`, `doe.jane@`, `j.doe@`. */
export function addressedNames(mail: OpenMail): readonly Candidate[] {
  const locals = new Set(ownEmails(mail).map(({ value }) => letters(String(value).split('@')[0] as string)))
  if (locals.size === 0) return []
  return mail.passages.flatMap((passage) =>
    passage.lines.flatMap((line) => {
      if (line.role !== null || mail.zones(passage).has(line)) return []
      return Array.from(line.text.matchAll(capitals)).flatMap(({ 0: run, index }) => {
        const found = partsOf(run).find(({ value }) => isMadeOf(value, locals) && isPersonName(value))
        if (found === undefined) return []
        // The address may contain only the first of two last names.
        const rest = run.slice(found.start)
        const value = isPersonName(rest) ? rest : found.value
        return [
          at(passage, line.start + index, { value, start: found.start, end: found.start + value.length }, addressed),
        ]
      })
    }),
  )
}

const addressed = 53

/** Returns all runs of two or three adjacent words. */
function partsOf(run: string): readonly { readonly value: string; readonly start: number }[] {
  const words = run.split(' ')
  return words.flatMap((_, n) =>
    [3, 2].flatMap((count) =>
      n + count > words.length
        ? []
        : [{ value: words.slice(n, n + count).join(' '), start: words.slice(0, n).join(' ').length + (n > 0 ? 1 : 0) }],
    ),
  )
}

function isMadeOf(name: string, locals: ReadonlySet<string>): boolean {
  const [first = '', ...others] = name.split(' ').map(letters)
  const last = others.join('')
  return (
    last.length >= lastCharsMin &&
    first !== '' &&
    [first + last, last + first, first.charAt(0) + last, last + first.charAt(0)].some((each) => locals.has(each))
  )
}

const lastCharsMin = 3
const letters = (text: string) => fold(text).replace(/[^\p{L}]/gu, '')
