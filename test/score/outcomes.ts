/** The outcomes of labelled cases, and their report as text. */

export type Outcome = {
  /** The set that the case belongs to; cases are counted per set. */
  readonly set: string
  readonly id: string
  readonly isRight: boolean
  /** The difference between the actual and the expected result, on one line; empty if the case is right. */
  readonly difference: string
  /** Items found and missed, by kind, for precision and recall. Absent in cases whose answer is a single text. */
  readonly found?: { readonly [kind: string]: Found }
  /** Whether each other reader, by name, is right for the same case. */
  readonly beside?: { readonly [name: string]: boolean }
}

export type Found = { readonly right: number; readonly wrong: number; readonly missed: number }

/** The figures of a file as lines of text; with `show` each wrong case follows on a line of its own. */
export function summarise(file: string, outcomes: readonly Outcome[], { show }: { readonly show: boolean }): string {
  const sets = Map.groupBy(outcomes, ({ set }) => set)
  const lines = [...sets].map(([set, cases]) => `  ${set}: ${counted(cases)}`)
  const wrong = outcomes.filter(({ difference }) => difference !== '')
  const shown = show ? wrong.map(({ set, id, difference }) => `  wrong: ${set} ${id}: ${difference}`) : []
  const beside = besideLines(outcomes, sets.size > 1 ? sets : new Map())
  return [
    `${file}: ${counted(outcomes)}`,
    ...(sets.size > 1 ? lines : []),
    ...figures(outcomes),
    ...beside,
    ...shown,
  ].join('\n')
}

/** Adds up the items of one kind over all cases. */
export function foundIn(outcomes: readonly Outcome[], kind: string): Found {
  const sum = (of: keyof Found) => outcomes.reduce((total, { found }) => total + (found?.[kind]?.[of] ?? 0), 0)
  return { right: sum('right'), wrong: sum('wrong'), missed: sum('missed') }
}

/** Whether two texts are the same apart from line endings, trailing spaces, and blank lines at the start and end. */
export function isSameText(one: string, other: string): boolean {
  return comparable(one) === comparable(other)
}

/** Returns a text on one line, shortened in the middle if it is long. */
export function shortly(text: string): string {
  const line = JSON.stringify(comparable(text))
  return line.length <= shownCharsMax
    ? line
    : `${line.slice(0, shownCharsMax / 3)} ... ${line.slice(-shownCharsMax / 1.6)}`
}

const shownCharsMax = 240

function counted(outcomes: readonly Outcome[]): string {
  return `${outcomes.filter(({ isRight }) => isRight).length} of ${outcomes.length} exactly right`
}

function figures(outcomes: readonly Outcome[]): readonly string[] {
  const kinds = new Set(outcomes.flatMap(({ found }) => Object.keys(found ?? {})))
  return [...kinds].map((kind) => {
    const { right, wrong, missed } = foundIn(outcomes, kind)
    return `  ${kind}: precision ${share(right, right + wrong)}, recall ${share(right, right + missed)}`
  })
}

/** For each reader: how many cases are right, in total and per set. */
function besideLines(outcomes: readonly Outcome[], sets: ReadonlyMap<string, readonly Outcome[]>): readonly string[] {
  const names = [...new Set(outcomes.flatMap(({ beside }) => Object.keys(beside ?? {})))]
  return names.map((name) => {
    const asked = (cases: readonly Outcome[]) => cases.filter(({ beside }) => beside?.[name] !== undefined)
    const right = (cases: readonly Outcome[]) =>
      `${cases.filter(({ beside }) => beside?.[name]).length} of ${asked(cases).length}`
    const bySet = [...sets]
      .filter(([, cases]) => asked(cases).length > 0)
      .map(([set, cases]) => `${set} ${right(cases)}`)
    return `  ${name}: ${right(outcomes)}${bySet.length > 1 ? ` (${bySet.join(', ')})` : ''}`
  })
}

function share(part: number, whole: number): string {
  return whole === 0 ? 'of none' : `${((100 * part) / whole).toFixed(1)} % (${part} of ${whole})`
}

function comparable(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+/, '')
    .trimEnd()
}
