import { limits } from '../limits.ts'
import { closing, splitAt, unescaped, withoutComments } from './css-syntax.ts'

/** What selectors can ask about an element. Names are lower-case. */
export type Named = {
  readonly name: string
  readonly id: string
  readonly classes: readonly string[]
  readonly attributes: Readonly<Record<string, string>>
  readonly place: Place
}

/** The position of an element among the children of its parent. */
export type Place = {
  /** The sibling before it; kept only when a style sheet depends on siblings. */
  readonly before: Named | null
  /** From 1; 0 when unknown. */
  readonly index: number
  /** Number of children of its parent; 0 when unknown. */
  readonly siblings: number
  readonly indexOfType: number
}

/** `table.a > td#b .c`: the last compound is the element itself, the others are ancestors or siblings. */
export type Selector = {
  readonly text: string
  readonly last: Compound
  /** Nearest first. */
  readonly above: readonly Step[]
  /** Specificity (Selectors 4, 17) as one number. */
  readonly weight: number
  /** Whether it depends on nothing but the name, id and classes of the element. */
  readonly isPlain: boolean
}

/** Null: it may match, which a reader that has not seen the whole document cannot tell. */
export type Match = boolean | null

/** How many comparisons may still be made; when none are left, it is unknown whether a selector matches. */
export type Budget = { stepsLeft: number }

type Combinator = ' ' | '>' | '+' | '~'
type Step = { readonly combinator: Combinator; readonly compound: Compound }
type Compound = {
  readonly name: string
  readonly id: string
  readonly classes: readonly string[]
  readonly tests: readonly Test[]
  readonly weight: number
}
type Test = (element: Named, ancestors: readonly Named[], level: number, budget: Budget) => Match

/** Reads one selector (not a list); null when no element can match it or when it is malformed. Linear. */
export function readSelector(source: string): Selector | null {
  return readComplex(withoutComments(source, '').trim(), 0)
}

/** The name in a compound that the fewest elements have. */
export function keyOf({ name, id, classes }: Compound): string {
  if (id !== '') return `#${id}`
  return classes.length > 0 ? `.${classes[0]}` : name === '' ? '*' : name
}

/** Whether an element has the name, id and classes that a compound asks for. */
export function matchesNames(compound: Compound, element: Named): boolean {
  if (compound.name !== '' && compound.name !== element.name) return false
  if (compound.id !== '' && compound.id !== element.id) return false
  return compound.classes.every((name) => element.classes.includes(name))
}

/** Whether a selector matches an element inside others (outermost first). */
export function matches(
  selector: Pick<Selector, 'last' | 'above'>,
  element: Named,
  ancestors: readonly Named[],
  budget: Budget,
  level = ancestors.length,
): Match {
  return both(matchesCompound(selector.last, element, ancestors, level, budget), () =>
    climb(selector.above, 0, element, ancestors, level, budget),
  )
}

/** The name, id and classes that a tag gives an element. */
export function namedOf(name: string, attributes: Readonly<Record<string, string>>, place: Place): Named {
  const { id = '', class: classes = '' } = attributes
  return {
    name,
    id: id.toLowerCase(),
    classes: classes === '' ? none : classes.toLowerCase().split(/\s+/, limits.cssClassesMax).filter(Boolean),
    attributes,
    place,
  }
}

const none: readonly string[] = []

function climb(
  above: readonly Step[],
  at: number,
  element: Named,
  ancestors: readonly Named[],
  level: number,
  budget: Budget,
): Match {
  const step = above[at]
  if (!step) return true
  const rest = (found: Named, foundLevel: number) =>
    both(matchesCompound(step.compound, found, ancestors, foundLevel, budget), () =>
      climb(above, at + 1, found, ancestors, foundLevel, budget),
    )
  let known: Match = false
  const isFound = (found: Named | null | undefined, foundLevel: number) => {
    if (--budget.stepsLeft < 0) return true
    const match = found ? rest(found, foundLevel) : false
    if (match !== false) known = match
    return match === true
  }
  if (step.combinator === '+') isFound(element.place.before, level)
  else if (step.combinator === '>') isFound(ancestors[level - 1], level - 1)
  else if (step.combinator === '~') {
    for (let before = element.place.before; before; before = before.place.before) if (isFound(before, level)) break
  } else for (let i = level - 1; i >= 0; i--) if (isFound(ancestors[i], i)) break
  return budget.stepsLeft < 0 ? null : known
}

function matchesCompound(
  compound: Compound,
  element: Named,
  ancestors: readonly Named[],
  level: number,
  budget: Budget,
): Match {
  if (!matchesNames(compound, element)) return false
  let result: Match = true
  for (const test of compound.tests) {
    const match = test(element, ancestors, level, budget)
    if (match === false) return false
    if (match === null) result = null
  }
  return result
}

function both(one: Match, other: () => Match): Match {
  if (one === false) return false
  const second = other()
  return second === false ? false : one === null ? null : second
}

const ident = /(?:[-\w]|[^\0-\x7f]|\\[0-9a-f]{1,6}\s?|\\[^\n0-9a-f])+/iy
const combinator = /\s*([>+~])\s*|\s+/y

function readComplex(text: string, depth: number): Selector | null {
  if (text === '' || text.length > limits.cssSelectorCharsMax) return null
  const steps: Step[] = []
  let joined: Combinator = ' '
  for (let at = 0; at < text.length; ) {
    const read = readCompound(text, at, depth)
    if (!read || steps.length > limits.cssAncestorsMax) return null
    steps.push({ combinator: joined, compound: read.compound })
    combinator.lastIndex = read.end
    const found = combinator.exec(text)
    if (!found && read.end < text.length) return null
    joined = (found?.[1] ?? ' ') as Combinator
    at = found ? combinator.lastIndex : read.end
  }
  const last = steps.at(-1)?.compound
  if (!last) return null
  return {
    text,
    last,
    // A combinator was read with the compound after it, but belongs to the one before it.
    above: steps
      .slice(0, -1)
      .map(({ compound }, i) => ({ compound, combinator: (steps[i + 1] as Step).combinator }))
      .reverse(),
    weight: steps.reduce((sum, { compound }) => sum + compound.weight, 0),
    isPlain: steps.length === 1 && last.tests.length === 0,
  }
}

type Draft = { name: string; id: string; classes: string[]; tests: Test[]; weight: number }

function readCompound(text: string, from: number, depth: number): { compound: Compound; end: number } | null {
  const draft: Draft = { name: '', id: '', classes: [], tests: [], weight: 0 }
  let at = from
  const word = () => {
    ident.lastIndex = at
    const found = ident.exec(text)?.[0]
    if (found === undefined) return null
    at += found.length
    return unescaped(found).toLowerCase()
  }
  if (text[at] === '*') at++
  else {
    draft.name = word() ?? ''
    if (draft.name !== '') draft.weight++
  }
  for (; at < text.length; ) {
    const mark = text[at++]
    if (mark === '.' || mark === '#') {
      const name = word()
      if (name === null || !addName(draft, mark, name)) return null
    } else if (mark === '[') {
      const close = closing(text, at - 1)
      const test = attributeTest(text.slice(at, close))
      if (!test) return null
      draft.tests.push(test)
      draft.weight += 100
      at = close + 1
    } else if (mark === ':' && text[at] !== ':') {
      const name = word()
      const open = text[at] === '('
      const close = open ? closing(text, at) : at
      if (name === null || !addState(draft, name, open ? text.slice(at + 1, close) : '', depth)) return null
      at = open ? close + 1 : at
    } else if (mark === '&') draft.tests.push(({ name }) => name === 'html')
    else if (mark === ':') return null
    else {
      at--
      break
    }
  }
  return at === from ? null : { compound: draft, end: at }
}

function addName(draft: Draft, mark: string, name: string): boolean {
  draft.weight += mark === '#' ? 10_000 : 100
  if (mark === '.') draft.classes.push(name)
  else if (draft.id !== '' && draft.id !== name) return false
  else draft.id = name
  return true
}

/** `name`, `name=value`, `name~="value" i`; case is ignored. */
function attributeTest(text: string): Test | null {
  const [, rawName = '', operator = '', rest = ''] = /^\s*([^\s=~|^$*]+)\s*(?:([~|^$*]?=)([\s\S]*))?$/.exec(text) ?? []
  const name = unescaped(rawName).toLowerCase()
  if (name === '') return null
  if (operator === '') return ({ attributes }) => Object.hasOwn(attributes, name)
  const given = rest.trim().replace(/["'\s]\s*[is]$/i, (end) => end[0] as string)
  const wanted = unescaped(given.trim().replace(/^["']|["']$/g, '')).toLowerCase()
  const compare = comparisons[operator] as (value: string, wanted: string) => boolean
  if (wanted === '' && operator !== '=' && operator !== '|=') return () => false
  return ({ attributes }, _ancestors, _level, budget) => {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    if (value === undefined) return false
    budget.stepsLeft -= Math.floor(value.length / charsPerStep)
    return compare(value.toLowerCase(), wanted)
  }
}

/** How many characters of an attribute are compared for one step of the budget. */
const charsPerStep = 32

const comparisons: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  '=': (value, wanted) => value === wanted,
  '~=': (value, wanted) => value.split(/\s+/).includes(wanted),
  '|=': (value, wanted) => value === wanted || value.startsWith(`${wanted}-`),
  '^=': (value, wanted) => value.startsWith(wanted),
  '$=': (value, wanted) => value.endsWith(wanted),
  '*=': (value, wanted) => value.includes(wanted),
}

/** False when the selector stands for no element (but for a first line or generated text). */
function addState(draft: Draft, name: string, given: string, depth: number): boolean {
  if (/^(?:before|after|first-line|first-letter)$/.test(name)) return false
  if (/^(?:is|where|not|matches|(?:-webkit-|-moz-)any)$/.test(name)) {
    if (depth >= depthMax) return false
    const inside = splitAt(given, ',')
      .slice(0, limits.cssRulesPerKeyMax)
      .map((one) => readComplex(one.trim(), depth + 1))
    const known = inside.filter((one) => one !== null)
    if (name !== 'where') draft.weight += Math.max(0, ...known.map(({ weight }) => weight))
    draft.tests.push(anyOf(known, name === 'not'))
    return true
  }
  draft.weight += 100
  draft.tests.push(stateTest(name, given.trim().toLowerCase()))
  return true
}

const depthMax = 5

function anyOf(selectors: readonly Selector[], negated: boolean): Test {
  return (element, ancestors, level, budget) => {
    let result: Match = false
    for (const selector of selectors) {
      const match = matches(selector, element, ancestors, budget, level)
      if (match === true) return !negated
      if (match === null) result = null
    }
    return result === null ? null : negated
  }
}

function stateTest(name: string, given: string): Test {
  if (name === 'root' || name === 'scope') return (element) => element.name === 'html'
  if (name === 'link' || name === 'any-link') return (element) => element.attributes.href !== undefined
  if (/^(?:checked|disabled|required|open)$/.test(name)) return ({ attributes }) => attributes[name] !== undefined
  if (states.test(name)) return () => false
  const [step, offset] = positions.get(name) ?? stepsOf(given.replace(/^odd$/, '2n+1').replace(/^even$/, '2n'))
  const isAt = (index: number): Match => {
    if (index <= 0 || Number.isNaN(offset)) return null
    return step === 0 ? index === offset : (index - offset) % step === 0 && (index - offset) / step >= 0
  }
  if (name === 'first-child' || name === 'nth-child') return ({ place }) => isAt(place.index)
  if (name === 'first-of-type' || name === 'nth-of-type') return ({ place }) => isAt(place.indexOfType)
  if (name === 'last-child' || name === 'nth-last-child')
    return ({ place: { index, siblings } }) => isAt(siblings === 0 ? 0 : siblings - index + 1)
  if (name === 'only-child')
    return ({ place: { index, siblings } }) => (siblings === 0 ? null : index === 1 && siblings === 1)
  return name === 'defined' || name === 'enabled' ? () => true : () => null
}

/** States that depend on what a reader or a program does, and those that only one program knows. */
const states =
  /^(?:hover|active|focus|focus-within|focus-visible|visited|target|fullscreen|modal|popover-open|playing|autofill|user-invalid|current|past|future|-.*)$/

const positions: ReadonlyMap<string, readonly [number, number]> = new Map(
  ['first-child', 'first-of-type', 'last-child'].map((name) => [name, [0, 1]]),
)

/** `2n+1` as [2, 1], `3` as [0, 3]; NaN when it is neither. */
function stepsOf(text: string): readonly [number, number] {
  const [, step, offset = '0'] = /^([+-]?\d*)n\s*([+-]\s*\d+)?$/.exec(text) ?? []
  if (step === undefined) return [0, /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN]
  return [step === '' || step === '+' ? 1 : step === '-' ? -1 : Number(step), Number(offset.replace(/\s/g, ''))]
}
