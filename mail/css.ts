import type { Hidden } from './invisible.ts'
import { limits } from './limits.ts'
import { keyOf, matches, matchesAncestors, type Named, readSelector, type Selector } from './selectors.ts'

/** Declarations that apply, lower-case, by name. */
export type Declarations = ReadonlyMap<string, string>

/** Red, green, blue; null when not known (images, gradients, colour names we do not know). */
export type Colour = readonly [number, number, number] | null

/** The rules of the style elements of a document. */
export type StyleRules = {
  /** By the last part of their selector that names most: `#id`, `.class`, `tag` or `*`. */
  readonly byKey: Map<string, Rule[]>
  /** What a tag with its classes and id leads to. */
  readonly known: Map<string, Known>
  readonly names: ReadonlySet<string>
  count: number
  /** Ancestors that may still be compared; when none are left, rules apply whatever the ancestors are. */
  stepsLeft: number
}

/** Rules that keep the declarations of those names; the names that hide or colour something when none are given. */
export function styleRules(names: ReadonlySet<string> = relevant): StyleRules {
  return { byKey: new Map(), known: new Map(), names, count: 0, stepsLeft: limits.cssStepsMax }
}

/**
 * Adds the rules of a style sheet: at most `cssRulesMax` selectors of tags, classes and ids, also with ancestors. At-rules are
 * left out: what they hide (for print, for narrow screens) is seen elsewhere; so are selectors of attributes and states.
 */
export function addRules(rules: StyleRules, css: string): void {
  const text = withoutComments(css)
  let position = 0
  while (position < text.length && rules.count < limits.cssRulesMax * 2) {
    const open = text.indexOf('{', position)
    if (open < 0) return
    const close = blockEnd(text, open)
    const prelude = text.slice(position, open)
    position = close + 1
    const selectors = prelude.slice(prelude.lastIndexOf(';') + 1).trim()
    if (selectors.startsWith('@')) continue
    const declared = readDeclarations(text.slice(open + 1, close)).filter(({ name }) => rules.names.has(name))
    if (declared.length === 0) continue
    for (const text of selectors.split(',', limits.cssRulesMax)) addRule(rules, text, declared)
  }
}

/** The declarations that apply to an element inside others (outermost first), by rising weight (CSS Cascade 4, 6.1). */
export function declarationsFor(
  rules: StyleRules,
  element: Named,
  ancestors: readonly Named[],
  style: string | undefined,
): Declarations {
  const own = style === undefined ? none : readDeclarations(style)
  const given = rules.count === 0 ? nobodys : givenBy(rules, element, ancestors)
  return own.length === 0 ? given.result : cascade([...given.declared, ...own])
}

/** The last of a name counts; what is important counts more. */
function cascade(all: readonly Declared[]): Declarations {
  const found = new Map<string, string>()
  for (const { name, value } of all) found.set(name, value)
  for (const { name, value, important } of all) if (important) found.set(name, value)
  return found
}

type Declared = { readonly name: string; readonly value: string; readonly important: boolean }

/** Reads `name: value; ...`. Linear. */
function readDeclarations(text: string): Declared[] {
  const found: Declared[] = []
  for (const declaration of text.slice(0, 8192).toLowerCase().split(';')) {
    const colon = declaration.indexOf(':')
    if (colon <= 0) continue
    const value = declaration.slice(colon + 1)
    const mark = value.search(/!\s*important/)
    const name = declaration.slice(0, colon).trim()
    found.push({ name, value: (mark < 0 ? value : value.slice(0, mark)).trim(), important: mark >= 0 })
  }
  return found
}

function addRule(rules: StyleRules, text: string, declared: readonly Declared[]): void {
  const selector = readSelector(text)
  if (!selector) return
  const key = keyOf(selector.last)
  const list = rules.byKey.get(key) ?? []
  const same = list.at(-1)
  // A style sheet that says `p` a thousand times is one rule.
  if (same && same.selector.text === selector.text)
    list[list.length - 1] = { ...same, declared: merged(same.declared, declared) }
  else if (mayGrow(rules, list, declared)) list.push({ selector, declared, order: rules.count++ })
  rules.byKey.set(key, list)
  rules.known.clear()
}

// Rules that hide have room of their own, so that no crowd of others keeps them out.
function mayGrow({ count }: StyleRules, list: readonly Rule[], declared: readonly Declared[]): boolean {
  const style = cascade(declared)
  if (hidingOf(style) !== null || unseen(style) || unreadableSize(style)) return count < limits.cssRulesMax * 2
  return count < limits.cssRulesMax && list.length < limits.cssRulesPerKeyMax
}

function merged(one: readonly Declared[], other: readonly Declared[]): readonly Declared[] {
  const byName = new Map([...one, ...other].map((each) => [`${each.name}${each.important ? '!' : ''}`, each]))
  return [...byName.values()]
}

type Rule = { readonly selector: Selector; readonly declared: readonly Declared[]; readonly order: number }

/** Declarations by rising weight, and what they come to. */
type Given = { readonly declared: readonly Declared[]; readonly result: Declarations }

/** `given` is what all the candidates come to. */
type Known = { readonly candidates: readonly Rule[]; readonly asksAncestors: boolean; readonly given: Given }

function givenBy(rules: StyleRules, element: Named, ancestors: readonly Named[]): Given {
  const { candidates, asksAncestors, given } = knownOf(rules, element)
  if (!asksAncestors || rules.stepsLeft <= 0) return given
  const matched = candidates.filter(({ selector }) => {
    if (selector.above.length === 0) return true
    rules.stepsLeft -= ancestors.length + 1
    return matchesAncestors(selector, ancestors)
  })
  return matched.length === candidates.length ? given : givenOf(matched)
}

function knownOf(rules: StyleRules, element: Named): Known {
  const key = `${element.name} ${element.id} ${element.classes.join(' ')}`
  const kept = rules.known.get(key)
  if (kept) return kept
  const candidates = candidatesFor(rules, element)
  const asksAncestors = candidates.some(({ selector }) => selector.above.length > 0)
  const known = { candidates, asksAncestors, given: givenOf(candidates) }
  if (rules.known.size < knownMax) rules.known.set(key, known)
  return known
}

function givenOf(rules: readonly Rule[]): Given {
  if (rules.length === 0) return nobodys
  const declared = rules.reduce<readonly Declared[]>((all, rule) => merged(all, rule.declared), none)
  return { declared, result: cascade(declared) }
}

function candidatesFor({ byKey }: StyleRules, element: Named): readonly Rule[] {
  const keys = ['*', element.name, ...new Set(element.classes.map((name) => `.${name}`)), `#${element.id}`]
  return keys
    .flatMap((key) => byKey.get(key) ?? [])
    .filter(({ selector }) => matches(selector.last, element))
    .sort((a, b) => a.selector.weight - b.selector.weight || a.order - b.order)
}

/** Combinations of classes that are remembered: a document made of nothing else would fill memory. */
const knownMax = 5000

/** How an element and all it holds is kept from sight, or null. Inherited sizes and colours are not asked here. */
export function hidingOf(style: Declarations): Hidden['kind'] | null {
  if (style.size === 0) return null
  const is = (name: string, pattern: RegExp) => pattern.test(style.get(name) ?? '')
  if (is('display', /^none\b/) || is('content-visibility', /^hidden/)) return 'display_none'
  if (is('opacity', /^(?:0?\.0\d*|0+|0+\.0+|0?\.0\d*%|0%)$/)) return 'transparent'
  const clips = is('overflow', /hidden|clip/) || is('overflow-y', /hidden|clip/)
  const flat = ['height', 'max-height', 'width', 'max-width'].some((name) => is(name, zeroLength))
  if (clips && (flat || is('line-height', /^0+(?:\.0+)?(?:px|pt|em|%)?$/))) return 'zero_size'
  if (
    is('clip', /^rect\(\s*0[a-z]*[\s,]+0[a-z]*[\s,]+0[a-z]*[\s,]+0/) ||
    is('clip-path', /inset\(\s*(?:50|100)%|circle\(\s*0/)
  )
    return 'zero_size'
  if (is('transform', /scale[xy]?\(\s*0(?:\.0*\d?)?\s*[,)]/)) return 'zero_size'
  if (['left', 'top', 'right', 'bottom', 'margin-left', 'margin-top', 'text-indent'].some((name) => is(name, farAway)))
    return 'off_screen'
  if (is('filter', /opacity\(\s*0?(?:\.0+)?%?\s*\)/)) return 'transparent'
  if (is('zoom', /^(?:0|0?\.0\d*)%?$/)) return 'zero_size'
  return is('transform', /translate[xy]?\([^)]*-\d{3,}/) ? 'off_screen' : null
}

/** Whether `visibility` hides; what stands inside may be seen again. Null when it says nothing. */
export function unseen(style: Declarations): boolean | null {
  const given = style.get('visibility')
  return given === undefined || given === 'inherit' ? null : /^(?:hidden|collapse)\b/.test(given)
}

/** Whether a font size cannot be read: at most two pixels. Null when none is given. */
export function unreadableSize(style: Declarations): boolean | null {
  const given = style.get('font-size') ?? /(?:^|\s)(\d[\d.]*[a-z%]*)(?:\/|\s)/.exec(style.get('font') ?? '')?.[1]
  if (given === undefined || given === 'inherit') return null
  const found = /^(\d*\.?\d+)(px|pt|em|rem|%|)/.exec(given)
  if (!found) return false
  const size = Number(found[1])
  return (
    size === 0 ||
    (size <= 2 && (found[2] === 'px' || found[2] === 'pt')) ||
    (size <= 12 && found[2] === '%') ||
    (size <= 0.12 && /em/.test(found[2] ?? ''))
  )
}

/** The background a style or a bgcolor attribute paints: undefined when it paints none, null when it is not plain. */
export function backgroundOf(style: Declarations, attributes: Readonly<Record<string, string>>): Colour | undefined {
  if (attributes.background || /url\(|gradient/.test(style.get('background-image') ?? style.get('background') ?? ''))
    return null
  const given = style.get('background-color') ?? style.get('background') ?? attributes.bgcolor
  if (given === undefined || /^(?:transparent|none|inherit|initial|unset)?$/.test(given.trim())) return undefined
  return readColour(given)
}

/** The text colour a style, a font element or a body sets: undefined when none, 'clear' when it cannot be seen. */
export function colourOf(
  style: Declarations,
  attributes: Readonly<Record<string, string>>,
  name: string,
): Colour | undefined | 'clear' {
  const given =
    style.get('-webkit-text-fill-color') ??
    style.get('color') ??
    (name === 'font' ? attributes.color : name === 'body' ? attributes.text : undefined)
  if (given === undefined || given === 'inherit') return undefined
  if (
    given === 'transparent' ||
    /^(?:rgba?|hsla?)\((?:[^,)]*,){3}\s*0?\.?0*%?\s*\)$|^(?:rgba?|hsla?)\([^)/]*\/\s*0?\.?0*%?\s*\)$/.test(given) ||
    /^#[0-9a-f]{3}0$|^#[0-9a-f]{6}00$/.test(given)
  )
    return 'clear'
  return readColour(given)
}

/** Whether a person could not tell the colours apart. */
export function sameColour(one: Colour, other: Colour): boolean {
  return one !== null && other !== null && one.every((value, i) => Math.abs(value - (other[i] as number)) <= 16)
}

const none: readonly Declared[] = []
const nobodys: Given = { declared: none, result: new Map() }
const zeroLength = /^(?:0|0?\.\d+|1)(?:px|pt|em|rem|%)?$/
const farAway =
  /^(?:-(?:\d{3,}(?:\.\d+)?(?:px|pt)?|\d{2,}(?:\.\d+)?(?:em|rem|vw|vh)|\d{3,}%)|\d{4,}(?:\.\d+)?(?:px|pt|em|rem))/
const relevant: ReadonlySet<string> = new Set(
  'display visibility content-visibility opacity overflow overflow-y height max-height width max-width clip clip-path transform left top right bottom margin-left margin-top text-indent line-height filter zoom font-size font color -webkit-text-fill-color white-space background background-color background-image'.split(
    ' ',
  ),
)

const names: Readonly<Record<string, Colour>> = {
  white: [255, 255, 255],
  black: [0, 0, 0],
  red: [255, 0, 0],
  green: [0, 128, 0],
  lime: [0, 255, 0],
  blue: [0, 0, 255],
  yellow: [255, 255, 0],
  silver: [192, 192, 192],
  gray: [128, 128, 128],
  grey: [128, 128, 128],
  navy: [0, 0, 128],
  orange: [255, 165, 0],
  snow: [255, 250, 250],
  ivory: [255, 255, 240],
  ghostwhite: [248, 248, 255],
  whitesmoke: [245, 245, 245],
  floralwhite: [255, 250, 240],
}

function readColour(text: string): Colour {
  const value = text.trim().toLowerCase()
  const hex = /^#?([0-9a-f]{3,8})\b/.exec(value)?.[1]
  if (hex && (hex.length === 3 || hex.length === 4))
    return [0, 1, 2].map((i) => Number.parseInt(`${hex[i]}${hex[i]}`, 16)) as unknown as Colour
  if (hex && hex.length >= 6) return [0, 2, 4].map((i) => Number.parseInt(hex.slice(i, i + 2), 16)) as unknown as Colour
  const rgb = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)/.exec(value)
  if (rgb) return [Number(rgb[1]), Number(rgb[2]), Number(rgb[3])]
  const word = /^[a-z]+/.exec(value)?.[0] ?? ''
  return Object.hasOwn(names, word) ? (names[word] as Colour) : null
}

function withoutComments(css: string): string {
  let out = ''
  let position = 0
  for (let open = css.indexOf('/*'); open >= 0; open = css.indexOf('/*', position)) {
    out += `${css.slice(position, open)} `
    const close = css.indexOf('*/', open + 2)
    position = close < 0 ? css.length : close + 2
  }
  return (out + css.slice(position)).replace(/<!--|-->/g, ' ')
}

/** Index of the brace that closes the one at `open`, or the end. */
function blockEnd(text: string, open: number): number {
  let depth = 0
  for (let i = open; i < text.length; i++) {
    if (text[i] === '{') depth++
    else if (text[i] === '}' && --depth === 0) return i
  }
  return text.length
}
