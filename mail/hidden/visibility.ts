import type { Hidden } from '../encoding/invisible-characters.ts'
import { limits } from '../limits.ts'
import { declarationsFor, type StyleRules } from './cascade.ts'
import { type Cover, isCover, isPositioned, levelOf } from './covers.ts'
import type { Declarations } from './css-syntax.ts'
import { type Colour, sameColour } from './css-values.ts'
import {
  backgroundOf,
  colourOf,
  faintMax,
  hiddenByVisibility,
  hidingOf,
  isColumn,
  isCrowded,
  isDot,
  isTurned,
  opacityOf,
  sizeOf,
  tinyMax,
} from './hiding-styles.ts'
import { type Named, namedOf, type Place } from './selectors.ts'

/** What is known of an open element: inherited sizes and colours, and how it is hidden, if it is. */
export type Element = Named & {
  /** From 1, in the order in which elements open; 0 for the page. */
  readonly number: number
  /** `unread`: no program ever shows it (script, title), so it is not reported either. */
  readonly hiding: Hidden['kind'] | 'unread' | null
  readonly unseen: boolean
  /** The font size in pixels. */
  readonly size: number
  readonly clear: boolean
  /** Its opacity from 0 to 1, with that of all its ancestors. */
  readonly opacity: number
  /** The box that is painted over it. */
  readonly cover: Cover | null
  /** The number of the element by which positioned elements inside this one are placed. */
  readonly container: number
  /** What of its content is shown: all, only its summary, or only the words of a drawing. */
  readonly shows: 'all' | 'summary' | 'drawing'
  /** Whether its letters run from right to left in every script. */
  readonly isTurned: boolean
  /** Whether it is too small for a picture. */
  readonly isDot: boolean
  readonly colour: Colour
  readonly background: Colour
  readonly pre: boolean
  /** Whether it has a column of its own beside what follows. */
  readonly isColumn: boolean
  readonly variables: ReadonlyMap<string, string>
  readonly children: Children
}

/** What has been seen of the children of an element so far. */
type Children = { readonly number: number; count: number; last: Named | null; readonly ofType: Map<string, number> }

/** The page before any style: black on white, in the usual size. */
const paper: Element = {
  number: 0,
  ...namedOf('', {}, { before: null, index: 0, siblings: 0, indexOfType: 0 }),
  hiding: null,
  unseen: false,
  size: 16,
  clear: false,
  opacity: 1,
  cover: null,
  container: 0,
  shows: 'all',
  isTurned: false,
  isDot: false,
  colour: [0, 0, 0],
  background: [255, 255, 255],
  isColumn: false,
  pre: false,
  variables: new Map(),
  children: { number: 0, count: 0, last: null, ofType: new Map() },
}

/** The elements that every document has, even without a tag for them, with the attributes of their tags. */
export function pageOf(
  rules: StyleRules,
  { html = {}, body = {} }: { html?: Readonly<Record<string, string>>; body?: Readonly<Record<string, string>> } = {},
): Element[] {
  const cover = rules.covers.get(0) ?? null
  rules.opened = 0
  if (rules.count === 0) return [{ ...paper, cover }]
  const root = elementOf('html', html, [], rules)
  const page = [root, elementOf('body', body, [root], rules)]
  rules.opened = 0
  return page.map((element) => ({ ...element, number: 0, container: 0, cover }))
}

const unread: ReadonlySet<string> = new Set([
  'script',
  'style',
  'title',
  'template',
  'applet',
  'select',
  'datalist',
  'iframe',
  'noframes',
  'xml',
  'audio',
  'video',
  'annotation',
  'annotation-xml',
])

/** The elements of a drawing that show words, and those that are not drawn. */
const drawn: ReadonlySet<string> = new Set(['text', 'title', 'foreignobject'])
const undrawn: ReadonlySet<string> = new Set(['defs', 'desc', 'metadata', 'symbol', 'clippath', 'mask', 'pattern'])

/** Opens an element inside others (outermost first) and tells what that means for the text in it. */
export function elementOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ancestors: readonly Element[],
  rules: StyleRules,
): Element {
  const parent = ancestors.at(-1) ?? paper
  const number = ++rules.opened
  if (parent.hiding) return { ...parent, name }
  const named = namedOf(name, attributes, rules.asksSiblings ? placeIn(parent, name, rules) : nowhere)
  if (rules.asksSiblings) parent.children.last = named
  const isDrawing = name === 'svg' || parent.shows === 'drawing'
  const own = isDrawing ? drawingStyle(attributes) : attributes.style
  const given = declarationsFor(rules, named, ancestors, own, (value, style) =>
    filledIn(value, variablesOf(style, parent.variables, rules), rules),
  )
  const asksVariables = rules.asksVariables || attributes.style?.includes('--') === true
  const variables = asksVariables ? variablesOf(given, parent.variables, rules) : parent.variables
  const style = asksVariables ? resolved(given, variables, rules) : given
  const isUnread = isNeverRead(name, parent)
  const isHidden = attributes.hidden !== undefined || isClosed(name, attributes, parent)
  const size = sizeOf(style, parent.size) ?? (name === 'font' && attributes.size ? 16 : parent.size)
  const opacity = parent.opacity * (opacityOf(style) ?? 1)
  const faded = opacity < faintMax ? 'transparent' : isCrowded(style, size) ? 'zero_size' : null
  const hiding = isUnread ? 'unread' : isHidden ? 'display_none' : (hidingOf(style) ?? ownHiding(named, style) ?? faded)
  const painted = backgroundOf(style, attributes, parent.background)
  const background = name === 'svg' ? null : painted === undefined ? parent.background : painted
  if (isCover(style, attributes)) rules.covers.set(parent.container, { number, level: levelOf(style) })
  const colour = colourOf(style, attributes, name, background)
  return {
    ...named,
    number,
    hiding,
    unseen: hiddenByVisibility(style) ?? parent.unseen,
    size,
    opacity,
    cover: coverOf(number, style, parent, rules),
    container: isPositioned(style) ? number : parent.container,
    shows: shownOf(name, attributes, isDrawing),
    isTurned: isTurned(style, name, attributes),
    isDot: name === 'img' && isDot(style, attributes),
    clear: colour === undefined ? parent.clear : colour === 'clear',
    colour: colour === undefined || colour === 'clear' ? linkColour(name, parent) : colour,
    background,
    variables,
    children: rules.asksSiblings
      ? childless(ancestors.length === 1 && name === 'body' ? 0 : rules.opened)
      : paper.children,
    isColumn: isColumn(style),
    pre: parent.pre || name === 'pre' || /^pre/.test(style.get('white-space') ?? ''),
  }
}

/** How an element hides its content because of its kind: a drawing cuts off what lies outside it, a phantom only takes up room. */
function ownHiding({ name, attributes }: Named, style: Declarations): Hidden['kind'] | null {
  if (name === 'mphantom') return 'transparent'
  return name === 'svg' && style.get('overflow') !== 'visible' && isDot(style, attributes) ? 'zero_size' : null
}

const nowhere: Place = paper.place
const childless = (number: number): Children => ({ number, count: 0, last: null, ofType: new Map() })

function placeIn({ name: parent, children }: Element, name: string, { childCounts }: StyleRules): Place {
  if (!isCounted(parent, children.count, name)) return nowhere
  const indexOfType = (children.ofType.get(name) ?? 0) + 1
  children.ofType.set(name, indexOfType)
  const siblings = childCounts.get(children.number) ?? 0
  return { before: children.last, index: ++children.count, siblings, indexOfType }
}

/** Whether an element counts as a child of its parent. Elements of the head do not, even if no tag separates head and body. */
export function isCounted(parent: string, countSoFar: number, name: string): boolean {
  return !(parent === 'html' || (parent === 'body' && countSoFar === 0)) || !ofHead.has(name)
}

const ofHead: ReadonlySet<string> = new Set(['head', 'style', 'meta', 'title', 'link', 'base', 'script'])

/** The box over an element: that over its parent, unless the element is this box or is painted above it; else one over the element only. */
function coverOf(number: number, style: Declarations, parent: Element, { covers }: StyleRules): Cover | null {
  const over = parent.cover
  const level = levelOf(style)
  const isAbove =
    over !== null && isPositioned(style) && (level > over.level || (level === over.level && number > over.number))
  return (over === null || number === over.number || isAbove ? null : over) ?? covers.get(number) ?? null
}

function shownOf(name: string, attributes: Attributes, isDrawing: boolean): Element['shows'] {
  if (name === 'details' && attributes.open === undefined) return 'summary'
  return isDrawing && !drawn.has(name) ? 'drawing' : 'all'
}

function isNeverRead(name: string, parent: Element): boolean {
  if (parent.shows === 'drawing') return undrawn.has(name) || (unread.has(name) && !drawn.has(name))
  return unread.has(name)
}

/** Attributes of drawings that mean the same as styles (SVG 2, 6.6), which outweigh them. */
function drawingStyle({ style = '', ...attributes }: Attributes): string {
  const names = ['display', 'visibility', 'opacity', 'font-size']
  const given = names.flatMap((name) => (attributes[name] === undefined ? [] : `${name}:${attributes[name]};`))
  return given.join('') + style
}

type Attributes = Readonly<Record<string, string>>

/** Whether programs show the content of an element to nobody, or only on request. */
function isClosed(name: string, attributes: Attributes, parent: Element): boolean {
  if (parent.shows === 'summary') return name !== 'summary'
  return closed.has(name) || attributes.popover !== undefined || (name === 'dialog' && attributes.open === undefined)
}

const closed: ReadonlySet<string> = new Set(['canvas', 'progress', 'meter', 'noembed', 'rp'])

/** The variables of an element (CSS Variables 1): its own and those it inherits. */
function variablesOf(
  style: Declarations,
  inherited: ReadonlyMap<string, string>,
  rules: Pick<StyleRules, 'registered'>,
): ReadonlyMap<string, string> {
  const { registered } = rules
  const own = [...style].filter(([name]) => name.startsWith('--')).slice(0, limits.cssVariablesMax)
  if (own.length === 0 && (registered.size === 0 || inherited.size === 0)) return inherited
  const kept = [...inherited].filter(([name]) => registered.get(name)?.isInherited !== false)
  const all = new Map([...kept, ...own].slice(-limits.cssVariablesMax))
  for (const [name, value] of own) all.set(name, filledIn(value, all, rules) ?? '')
  return all
}

/** The declarations with their variables replaced. Those that use an unknown variable are left out. */
function resolved(
  style: Declarations,
  variables: ReadonlyMap<string, string>,
  rules: Pick<StyleRules, 'registered'>,
): Declarations {
  const found = new Map<string, string>()
  for (const [name, value] of style) {
    const filled = filledIn(value, variables, rules)
    if (filled !== null && !name.startsWith('--')) found.set(name, filled)
  }
  return found
}

function filledIn(
  value: string,
  variables: ReadonlyMap<string, string>,
  { registered }: Pick<StyleRules, 'registered'>,
): string | null {
  let filled = value
  for (let i = 0; i < variableDepthMax && filled.includes('var('); i++) {
    filled = filled
      .slice(0, limits.cssSelectorCharsMax)
      .replace(
        /var\(\s*(--[^\s,()]+)\s*(?:,([^()]*))?\)/g,
        (_, name, instead = '') => variables.get(name) ?? registered.get(name)?.initial ?? instead,
      )
  }
  return filled.includes('var(') || (filled.trim() === '' && value !== '') ? null : filled.trim()
}

const variableDepthMax = 3

// A link without a colour of its own is shown in the reader's link colour, whatever surrounds it.
function linkColour(name: string, parent: Element): Colour {
  return name === 'a' ? null : parent.colour
}

/** How an element is hidden, or null when it is visible. Its text may be hidden in more ways. */
export function hidingOfBox(element: Element): Hidden['kind'] | 'unread' | null {
  if (element.hiding) return element.hiding
  if (element.cover) return 'covered'
  return element.unseen ? 'display_none' : null
}

/** How text directly inside an element is hidden, or null when it is visible. */
export function hidingOfText(element: Element): Hidden['kind'] | 'unread' | null {
  if (element.hiding) return element.hiding
  if (element.shows !== 'all') return element.shows === 'summary' ? 'display_none' : 'unread'
  const hiding = hidingOfBox(element)
  if (hiding) return hiding
  if (element.size <= tinyMax) return 'zero_size'
  if (element.clear) return 'transparent'
  return sameColour(element.colour, element.background) ? 'same_colour' : null
}
