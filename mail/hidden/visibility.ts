import type { Hidden } from '../encoding/invisible-characters.ts'
import { limits } from '../limits.ts'
import { type Declarations, declarationsFor, type StyleRules } from './cascade.ts'
import { type Colour, sameColour } from './css-values.ts'
import { backgroundOf, colourOf, hidingOf, sizeOf, tinyMax, unseen } from './hiding-styles.ts'
import { type Named, namedOf, type Place } from './selectors.ts'

/** What is known of an open element: inherited sizes and colours, and how it is hidden, if it is. */
export type Element = Named & {
  /** `unread`: never shown by any program (script, title), hence not reported either. */
  readonly hiding: Hidden['kind'] | 'unread' | null
  readonly unseen: boolean
  /** The font size in pixels. */
  readonly size: number
  readonly clear: boolean
  readonly colour: Colour
  readonly background: Colour
  readonly pre: boolean
  readonly variables: ReadonlyMap<string, string>
  readonly children: Children
}

/** What was seen of the children of an element so far. */
type Children = { readonly number: number; count: number; last: Named | null; readonly ofType: Map<string, number> }

/** Black on white, in the usual size. */
const paper: Element = {
  ...namedOf('', {}, { before: null, index: 0, siblings: 0, indexOfType: 0 }),
  hiding: null,
  unseen: false,
  size: 16,
  clear: false,
  colour: [0, 0, 0],
  background: [255, 255, 255],
  pre: false,
  variables: new Map(),
  children: { number: 0, count: 0, last: null, ofType: new Map() },
}

/** The elements that every document has, also when no tag says so, with the attributes their tags give them. */
export function pageOf(
  rules: StyleRules,
  { html = {}, body = {} }: { html?: Readonly<Record<string, string>>; body?: Readonly<Record<string, string>> } = {},
): Element[] {
  if (rules.count === 0) return [paper]
  const root = elementOf('html', html, [], rules, true)
  const page = [root, elementOf('body', body, [root], rules, true)]
  rules.opened = 0
  return page
}

const unread: ReadonlySet<string> = new Set([
  'script',
  'style',
  'title',
  'template',
  'object',
  'applet',
  'select',
  'datalist',
  'textarea',
  'iframe',
  'noframes',
  'svg',
  'math',
  'xml',
  'audio',
  'video',
])

/** What opening an element inside others (outermost first) means for the text in it. */
export function elementOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ancestors: readonly Element[],
  rules: StyleRules,
  keepsSignatures: boolean,
): Element {
  const parent = ancestors.at(-1) ?? paper
  rules.opened++
  if (parent.hiding) return { ...parent, name }
  const named = namedOf(name, attributes, rules.asksSiblings ? placeIn(parent, name, rules) : nowhere)
  if (rules.asksSiblings) parent.children.last = named
  const given = declarationsFor(rules, named, ancestors, attributes.style)
  const asksVariables = rules.asksVariables || attributes.style?.includes('--') === true
  const variables = asksVariables ? variablesOf(given, parent.variables) : parent.variables
  const style = asksVariables ? resolved(given, variables) : given
  const isUnread = unread.has(name) || (!keepsSignatures && isSignature(attributes))
  const isHidden = attributes.hidden !== undefined || isClosed(name, attributes)
  const hiding = isUnread ? 'unread' : isHidden ? 'display_none' : hidingOf(style)
  const painted = backgroundOf(style, attributes, parent.background)
  const background = painted === undefined ? parent.background : painted
  const colour = colourOf(style, attributes, name, background)
  return {
    ...named,
    hiding,
    unseen: unseen(style) ?? parent.unseen,
    size: sizeOf(style, parent.size) ?? (name === 'font' && attributes.size ? 16 : parent.size),
    clear: colour === undefined ? parent.clear : colour === 'clear',
    colour: colour === undefined || colour === 'clear' ? linkColour(name, parent) : colour,
    background,
    variables,
    children: rules.asksSiblings
      ? childless(ancestors.length === 1 && name === 'body' ? 0 : rules.opened)
      : paper.children,
    pre: parent.pre || name === 'pre' || /^pre/.test(style.get('white-space') ?? ''),
  }
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

/** Whether an element is one of its parent's children: what stands in the head is not, though no tag may part them. */
export function isCounted(parent: string, countSoFar: number, name: string): boolean {
  return !(parent === 'html' || (parent === 'body' && countSoFar === 0)) || !ofHead.has(name)
}

const ofHead: ReadonlySet<string> = new Set(['head', 'style', 'meta', 'title', 'link', 'base', 'script'])

/** Elements whose content programs show to nobody, or only when asked to. */
function isClosed(name: string, attributes: Readonly<Record<string, string>>): boolean {
  return closed.has(name) || attributes.popover !== undefined || (name === 'dialog' && attributes.open === undefined)
}

const closed: ReadonlySet<string> = new Set(['canvas', 'progress', 'meter', 'noembed', 'rp'])

/** The variables of an element (CSS Variables 1): its own and those of its parent. */
function variablesOf(style: Declarations, inherited: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const own = [...style].filter(([name]) => name.startsWith('--')).slice(0, limits.cssVariablesMax)
  if (own.length === 0) return inherited
  const all = new Map([...inherited, ...own].slice(-limits.cssVariablesMax))
  for (const [name, value] of own) all.set(name, filledIn(value, all) ?? '')
  return all
}

/** Values with what their variables stand for; those that ask for an unknown one are left out. */
function resolved(style: Declarations, variables: ReadonlyMap<string, string>): Declarations {
  const found = new Map<string, string>()
  for (const [name, value] of style) {
    const filled = filledIn(value, variables)
    if (filled !== null && !name.startsWith('--')) found.set(name, filled)
  }
  return found
}

function filledIn(value: string, variables: ReadonlyMap<string, string>): string | null {
  let filled = value
  for (let i = 0; i < variableDepthMax && filled.includes('var('); i++) {
    filled = filled
      .slice(0, limits.cssSelectorCharsMax)
      .replace(/var\(\s*(--[^\s,()]+)\s*(?:,([^()]*))?\)/g, (_, name, instead = '') => variables.get(name) ?? instead)
  }
  return filled.includes('var(') || (filled.trim() === '' && value !== '') ? null : filled.trim()
}

const variableDepthMax = 3

// A link without a colour of its own is shown in the reader's link colour, whatever stands around it.
function linkColour(name: string, parent: Element): Colour {
  return name === 'a' ? null : parent.colour
}

// Gmail, Thunderbird, Outlook (web, mobile, Windows Mail), Apple and Yahoo mark the signature they add.
function isSignature(attributes: Readonly<Record<string, string>>): boolean {
  return (
    /\b(?:gmail_signature|moz-signature|yahoo-signature|ydp[a-z0-9]*signature|protonmail_signature_block)\b/.test(
      (attributes.class ?? '').slice(0, 500),
    ) ||
    /^(?:signature|ms-outlook-mobile-signature|applemailsignature|divtagdefaultwrapper_signature)$/i.test(
      attributes.id ?? '',
    ) ||
    attributes['data-signatureblock'] === 'true' ||
    attributes['data-smartmail'] === 'gmail_signature'
  )
}

/** How text directly inside an element is kept from sight, or null when it is seen. */
export function hidingOfText(element: Element): Hidden['kind'] | 'unread' | null {
  if (element.hiding) return element.hiding
  if (element.unseen) return 'display_none'
  if (element.size <= tinyMax) return 'zero_size'
  if (element.clear) return 'transparent'
  return sameColour(element.colour, element.background) ? 'same_colour' : null
}
