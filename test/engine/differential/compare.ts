/** Puts random cases to two servers, and makes each that they answer differently as small as it gets. */
import fc from 'fast-check'
import type { Document } from 'mongodb'
import { answersOf, type Server } from './answers.ts'
import { anyCase, type Case } from './cases.ts'
import { shrink } from './shrink.ts'

export type Disagreement = {
  readonly smallest: Case
  /** The first command that the two answer differently, and what they answer. */
  readonly command: Document
  readonly answers: readonly [first: string, second: string]
}

/** How often one case is tried in smaller forms. */
const triesMax = 400

/** The case that a seed makes; the next seed makes another. */
export function caseOf(seed: number): Case {
  return fc.sample(anyCase, { seed, numRuns: 1 })[0]!
}

/** What the two servers answer differently, in its smallest form; undefined when they agree. */
export async function compareCase(servers: readonly [Server, Server], whole: Case): Promise<Disagreement | undefined> {
  const first = await disagreementIn(servers, whole)
  if (first === undefined) return undefined
  let found = first
  const fails = async (smaller: Case) => {
    const less = await disagreementIn(servers, smaller)
    if (less === undefined || kindOf(less) !== kindOf(first)) return false
    found = less
    return true
  }
  await shrink(whole, fails, triesMax)
  return found
}

async function disagreementIn(
  [first, second]: readonly [Server, Server],
  smallest: Case,
): Promise<Disagreement | undefined> {
  const [one, other] = await Promise.all([answersOf(first, smallest), answersOf(second, smallest)])
  const at = one.findIndex((answer, i) => answer !== other[i])
  if (at < 0) return undefined
  return { smallest, command: commandAt(smallest, at), answers: [one[at]!, other[at] ?? 'no answer'] }
}

function commandAt({ docs, indexes, steps }: Case, at: number): Document {
  const inserts = docs.length === 0 ? 0 : 1
  if (at < inserts) return { insert: 'c', documents: docs }
  const index = indexes[at - inserts]
  if (index !== undefined) return { createIndexes: 'c', indexes: [index] }
  return steps[at - inserts - indexes.length] ?? { find: 'c', sort: { _id: 1 } }
}

/** Smaller cases must be of the same kind: the same command, refused by the same of the two with the same code. */
function kindOf({ command, answers }: Disagreement): string {
  return [Object.keys(command)[0], ...answers.map((answer) => /"code":\{[^}]*\}/.exec(answer)?.[0])].join(' ')
}
