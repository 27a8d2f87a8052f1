import {
  backgroundOf,
  type Colour,
  colourOf,
  declarationsFor,
  hidingOf,
  type StyleRules,
  sameColour,
  unreadableSize,
  unseen,
} from './css.ts'
import type { Hidden } from './invisible.ts'
import { type Named, namedOf } from './selectors.ts'

/** What is known of an open element: inherited sizes and colours, and how it is hidden, if it is. */
export type Element = Named & {
  /** `unread`: never shown by any program (script, title), hence not reported either. */
  readonly hiding: Hidden['kind'] | 'unread' | null
  readonly unseen: boolean
  readonly tiny: boolean
  readonly clear: boolean
  readonly colour: Colour
  readonly background: Colour
  readonly pre: boolean
}

/** The page itself: black on white. */
export const page: Element = {
  name: '',
  id: '',
  classes: [],
  hiding: null,
  unseen: false,
  tiny: false,
  clear: false,
  colour: [0, 0, 0],
  background: [255, 255, 255],
  pre: false,
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
  const parent = ancestors.at(-1) ?? page
  const named = namedOf(name, attributes)
  const style = declarationsFor(rules, named, ancestors, attributes.style)
  const isUnread = unread.has(name) || (!keepsSignatures && isSignature(attributes))
  const hiding = isUnread ? 'unread' : attributes.hidden !== undefined ? 'display_none' : hidingOf(style)
  const colour = colourOf(style, attributes, name)
  const background = backgroundOf(style, attributes)
  return {
    ...named,
    hiding,
    unseen: unseen(style) ?? parent.unseen,
    tiny: unreadableSize(style) ?? parent.tiny,
    clear: colour === undefined ? parent.clear : colour === 'clear',
    colour: colour === undefined || colour === 'clear' ? linkColour(name, parent) : colour,
    background: background === undefined ? parent.background : background,
    pre: parent.pre || name === 'pre' || /^pre/.test(style.get('white-space') ?? ''),
  }
}

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
  if (element.tiny) return 'zero_size'
  if (element.clear) return 'transparent'
  return sameColour(element.colour, element.background) ? 'same_colour' : null
}
