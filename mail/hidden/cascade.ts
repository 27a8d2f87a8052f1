import { limits } from '../limits.ts'
import { animationParts } from './animation-values.ts'
import { animated, type Keyframes, keyframesName, keyframesOf } from './animations.ts'
import type { Cover } from './covers.ts'
import { containerApplies, mediaApplies, supportsApplies } from './css-conditions.ts'
import {
  type Declarations,
  type Declared,
  headOf,
  readDeclarations,
  splitAt,
  statementsOf,
  withoutComments,
} from './css-syntax.ts'
import { importOf, sheetIn } from './data-sheets.ts'
import { declaredIn, hiddenByVisibility, hidingOf, relevantNames, sizeOf, tinyMax } from './hiding-styles.ts'
import { type Budget, keyOf, matches, matchesNames, type Named, readSelector, type Selector } from './selectors.ts'

/** The rules of the style elements of a document. */
export type StyleRules = Budget & {
  /** Rules by the rarest name in the last part of their selector: `#id`, `.class`, `tag` or `*`. */
  readonly byKey: Map<string, Rule[]>
  /** What is known for a tag with its classes and id. */
  readonly known: Map<string, Known>
  readonly names: ReadonlySet<string>
  readonly keyframes: Map<string, Keyframes>
  /** The values that an animation sets. */
  readonly moved: Map<string, readonly Declared[]>
  /** Variables that `@property` registers (CSS Properties and Values 1). */
  readonly registered: Map<string, Registered>
  count: number
  /** Whether selectors depend on siblings, and values on variables. */
  asksSiblings: boolean
  asksVariables: boolean
  /** Whether selectors depend on the number of siblings; then `childCounts` has it, by the number of the parent. */
  asksCounts: boolean
  readonly childCounts: Map<number, number>
  /** Elements opened so far. */
  opened: number
  /** The box that covers the content of an element, by its number; complete once the whole document has been read. */
  readonly covers: Map<number, Cover>
}

/** `initial` is null when there is none. */
type Registered = { readonly initial: string | null; readonly isInherited: boolean }

/** Empty rules, which will keep the declarations of these names; by default of the names that hide or colour something. */
export function styleRules(names: ReadonlySet<string> = relevantNames): StyleRules {
  return {
    byKey: new Map(),
    known: new Map(),
    names,
    keyframes: new Map(),
    moved: new Map(),
    registered: new Map(),
    count: 0,
    stepsLeft: limits.cssStepsMax,
    asksSiblings: false,
    asksVariables: false,
    asksCounts: false,
    childCounts: new Map(),
    opened: 0,
    covers: new Map(),
  }
}

/**
 * Adds the rules of a style sheet: at most `cssRulesMax` selectors, and as many again that hide something. Blocks for other
 * readers (print, narrow screens, dark mode, one program alone) are left out, and so are fonts.
 */
export function addRules(rules: StyleRules, css: string): void {
  addSheet(rules, css, { parents: null, isLayered: false, depth: 0 })
}

function addSheet(rules: StyleRules, css: string, around: Around): void {
  if (/[+~]|child|type/.test(css)) rules.asksSiblings = true
  if (/last-child|only-child/.test(css)) rules.asksCounts = true
  const text = css.replace(/<!--|-->/g, ' ')
  if (text.includes('--')) rules.asksVariables = true
  addBlock(rules, text.includes('@') ? withImports(rules, text, around) : text, around)
}

/** Adds the style sheets that `@import` at the beginning of another embeds in addresses. Returns the rest of the text. */
function withImports(rules: StyleRules, text: string, around: Around): string {
  let end = 0
  for (const { prelude, block } of statementsOf(text)) {
    const head = headOf(prelude, ' ')
    if (block !== null || !/^(?:@(?:charset|layer|import)|$)/i.test(head)) break
    end += prelude.length + 1
    const asked = importOf(head)
    const applies =
      asked && mediaApplies(asked.media) && (asked.supports === null || supportsApplies(`(${asked.supports})`))
    const sheet = applies && around.depth < limits.cssDepthMax ? sheetIn(asked.address) : null
    if (sheet !== null)
      addSheet(rules, sheet, {
        ...around,
        isLayered: around.isLayered || asked?.isLayered === true,
        depth: around.depth + 1,
      })
  }
  return text.slice(end)
}

/** The surroundings of a block: `parents` is the list of selectors in which its rules are nested (CSS Nesting 1). */
type Around = { readonly parents: string | null; readonly isLayered: boolean; readonly depth: number }

function addBlock(rules: StyleRules, text: string, around: Around): void {
  let own = ''
  for (const { prelude, block } of statementsOf(text)) {
    if (rules.count >= limits.cssRulesMax * 2) return
    const head = headOf(prelude, '')
    if (block === null) own += `${prelude};`
    else if (head.startsWith('@')) addAtRule(rules, head, block, around)
    else addStyleRule(rules, head, block, around)
  }
  if (around.parents !== null && own !== '') addDeclared(rules, around.parents, own, around)
}

function addStyleRule(rules: StyleRules, head: string, block: string, around: Around): void {
  const parents = around.parents === null ? head : nested(head, around.parents)
  if (around.depth < limits.cssDepthMax && block.includes('{'))
    addBlock(rules, block, { ...around, parents, depth: around.depth + 1 })
  else addDeclared(rules, parents, block, around)
}

/** Turns `a, & b` inside `p, q` into `:is(p, q) a, :is(p, q) b`. */
function nested(head: string, parents: string): string {
  const parent = `:is(${parents})`
  if (parents === '' || parents.length > limits.cssSelectorCharsMax / 4) return ''
  return splitAt(head, ',')
    .map((one) => (one.includes('&') ? one.replaceAll('&', parent) : `${parent} ${one}`))
    .join(',')
}

function addAtRule(rules: StyleRules, head: string, block: string, around: Around): void {
  const [, name = '', condition = ''] = /^@([a-z-]+)\s*([\s\S]*)$/i.exec(head) ?? []
  const kind = name.toLowerCase()
  if (/^(?:-webkit-)?keyframes$/.test(kind)) addKeyframes(rules, condition, block)
  if (kind === 'property') register(rules, condition, block)
  const applies = Object.hasOwn(atRules, kind) ? atRules[kind] : undefined
  if (around.depth >= limits.cssDepthMax || !applies?.(condition)) return
  const root = kind === 'scope' ? /^\(([^()]*)\)/.exec(condition)?.[1] : undefined
  const isLayered = around.isLayered || kind === 'layer'
  addBlock(rules, block, { parents: root ?? around.parents, isLayered, depth: around.depth + 1 })
}

function addKeyframes({ keyframes, names }: StyleRules, name: string, block: string): void {
  if (keyframes.size >= limits.cssRulesMax) return
  keyframes.set(
    keyframesName(withoutComments(name, '')),
    keyframesOf(block, (each) => names.has(each) || each.startsWith('--')),
  )
}

/** CSS Properties and Values 1, 2: a registration without a syntax or without `inherits` is invalid. */
function register({ registered }: StyleRules, name: string, block: string): void {
  const given = cascade(readDeclarations(block))
  const inherits = given.get('inherits')
  const initial = given.get('initial-value') ?? null
  const isComplete =
    given.has('syntax') && (initial !== null || /^["']\s*\*\s*["']$/.test(given.get('syntax') as string))
  if (!isComplete || !/^(?:true|false)$/.test(inherits ?? '') || registered.size >= limits.cssRulesMax) return
  registered.set(withoutComments(name, '').trim().toLowerCase(), { initial, isInherited: inherits === 'true' })
}

const atRules: Readonly<Record<string, (condition: string) => boolean>> = {
  media: mediaApplies,
  supports: supportsApplies,
  container: containerApplies,
  layer: () => true,
  scope: () => true,
}

/**
 * The declarations that apply to an element inside others (outermost first), by rising weight (CSS Cascade 4, 6.1), with the values
 * that its animations set. `filled` replaces the variables in a value, and returns null when one is unknown.
 */
export function declarationsFor(
  rules: StyleRules,
  element: Named,
  ancestors: readonly Named[],
  style: string | undefined,
  filled: (value: string, style: Declarations) => string | null = (value) => value,
): Declarations {
  const own = style === undefined ? none : declaredIn(style)
  const given = rules.count === 0 ? nothingGiven : givenBy(rules, element, ancestors)
  const declared = own.length === 0 ? given.declared : [...given.declared, ...own]
  const result = own.length === 0 ? given.result : cascade(declared)
  if (rules.keyframes.size === 0 || !(result.has('animation-name') || result.has('animation'))) return result
  const animation = [...result].filter(([name]) => name.startsWith('animation'))
  const known = new Map(
    animation.flatMap(([name, asked]) => {
      const value = filled(asked, result) ?? ''
      return name === 'animation' ? animationParts(value) : [[name, value] as const]
    }),
  )
  // Animations outweigh everything that is not important (CSS Cascade 4, 6.2).
  const important = declared.filter((each) => each.important)
  return cascade([...declared, ...movedBy(rules, known), ...important])
}

/** The values that animations set, remembered for each combination of animations. */
function movedBy(rules: StyleRules, animation: ReadonlyMap<string, string>): readonly Declared[] {
  const key = [...animation].join(';')
  const kept = rules.moved.get(key)
  if (kept) return kept
  const moved = animated(animation, rules.keyframes, rules)
  if (rules.moved.size < knownMax) rules.moved.set(key, moved)
  return moved
}

/** The last declaration of a name counts; important declarations outweigh the others. */
function cascade(all: readonly Declared[]): Declarations {
  const found = new Map<string, string>()
  for (const { name, value } of all) found.set(name, value)
  for (const { name, value, important } of all) if (important) found.set(name, value)
  return found
}

function addDeclared(rules: StyleRules, selectors: string, block: string, { isLayered }: Around): void {
  const found = declaredIn(block).filter(({ name }) => rules.names.has(name) || name.startsWith('--'))
  if (found.length === 0) return
  const kept = found.slice(-limits.cssVariablesMax)
  for (const text of splitAt(selectors, ',').slice(0, limits.cssRulesMax)) addRule(rules, text, kept, isLayered)
}

function addRule(rules: StyleRules, text: string, declared: readonly Declared[], isLayered: boolean): void {
  const selector = readSelector(text)
  if (!selector) return
  const key = keyOf(selector.last)
  const list = rules.byKey.get(key) ?? []
  const same = list.at(-1)
  // A style sheet that repeats `p` a thousand times makes one rule.
  if (same && same.selector.text === selector.text && same.isLayered === isLayered)
    list[list.length - 1] = ruleOf(same.selector, merged(same.declared, declared), same.order, isLayered)
  else {
    const rule = ruleOf(selector, declared, rules.count, isLayered)
    if (!mayGrow(rules, list, rule)) return
    list.push(rule)
    rules.count++
  }
  rules.byKey.set(key, list)
  rules.known.clear()
}

type Rule = {
  readonly selector: Selector
  readonly declared: readonly Declared[]
  readonly order: number
  readonly isLayered: boolean
  readonly hides: boolean
}

function ruleOf(selector: Selector, declared: readonly Declared[], order: number, isLayered: boolean): Rule {
  const style = cascade(declared)
  const hides =
    hidingOf(style) !== null ||
    hiddenByVisibility(style) === true ||
    (sizeOf(style, 16) ?? 16) <= tinyMax ||
    style.has('animation-name') ||
    style.has('animation')
  return { selector, declared, order, isLayered, hides }
}

// Rules that hide have a limit of their own, so that a crowd of others cannot keep them out.
function mayGrow({ count }: StyleRules, list: readonly Rule[], { hides }: Rule): boolean {
  if (hides) return count < limits.cssRulesMax * 2
  return count < limits.cssRulesMax && list.length < limits.cssRulesPerKeyMax
}

function merged(one: readonly Declared[], other: readonly Declared[]): readonly Declared[] {
  const byName = new Map([...one, ...other].map((each) => [`${each.name}${each.important ? '!' : ''}`, each]))
  return [...byName.values()]
}

/** Declarations by rising weight, and the values that result from them. */
type Given = { readonly declared: readonly Declared[]; readonly result: Declarations }

/** `given` is the result if all candidates match. */
type Known = { readonly candidates: readonly Rule[]; readonly asksMore: boolean; readonly given: Given }

function givenBy(rules: StyleRules, element: Named, ancestors: readonly Named[]): Given {
  const { candidates, asksMore, given } = knownOf(rules, element)
  if (!asksMore || rules.stepsLeft <= 0) return given
  const matched = candidates.filter(({ selector, hides }) => {
    if (selector.isPlain) return true
    rules.stepsLeft--
    // A rule that may match counts if it hides: it is better to leave text out and report it.
    return matches(selector, element, ancestors, rules) ?? hides
  })
  return matched.length === candidates.length ? given : givenOf(matched)
}

function knownOf(rules: StyleRules, element: Named): Known {
  const key = `${element.name} ${element.id} ${element.classes.join(' ')}`
  const kept = rules.known.get(key)
  if (kept) return kept
  const candidates = candidatesFor(rules, element)
  const asksMore = candidates.some(({ selector }) => !selector.isPlain)
  const known = { candidates, asksMore, given: givenOf(candidates) }
  if (rules.known.size < knownMax) rules.known.set(key, known)
  return known
}

function givenOf(rules: readonly Rule[]): Given {
  if (rules.length === 0) return nothingGiven
  const declared = rules.reduce<readonly Declared[]>((all, rule) => merged(all, rule.declared), none)
  return { declared, result: cascade(declared) }
}

function candidatesFor({ byKey }: StyleRules, element: Named): readonly Rule[] {
  const keys = ['*', element.name, ...new Set(element.classes.map((name) => `.${name}`)), `#${element.id}`]
  return keys
    .flatMap((key) => byKey.get(key) ?? [])
    .filter(({ selector }) => matchesNames(selector.last, element))
    .sort(
      (a, b) => Number(b.isLayered) - Number(a.isLayered) || a.selector.weight - b.selector.weight || a.order - b.order,
    )
}

/** Most combinations of classes that are remembered: a document made of nothing else would fill memory. */
const knownMax = 5000
const none: readonly Declared[] = []
const nothingGiven: Given = { declared: none, result: new Map() }
