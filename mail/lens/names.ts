/** Names that a form asks for in two fields: the first name in one, the last in the other. */
import type { Candidate, OpenMail } from './candidates.ts'
import type { Pair } from './lines.ts'
import { readPerson } from './shapes.ts'
import { isPersonName } from './signatures.ts'

const score = 112
/** How many labels may stand between the two, such as that of a second first name. */
const apartMax = 2

/** The names of a mail whose parts have labels of their own. The evidence spans both. */
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

/** Whose name it is. */
const qualifiers: ReadonlySet<string> = new Set(['contact', 'customer', 'applicant', 'requester', 'name'])

/** "Nombre" beside "Apellidos" is the first name, and "Nom" beside "Prénom" the last. */
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
