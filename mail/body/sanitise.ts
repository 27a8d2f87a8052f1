import { createRequire } from 'node:module'
import type sanitizeHtml from 'sanitize-html'
import { declarationsFor, type StyleRules } from '../hidden/cascade.ts'
import { relevantNames } from '../hidden/hiding-styles.ts'
import { feed } from '../hidden/markup.ts'
import { readSheets, type Sheets } from '../hidden/style-sheets.ts'
import { type Element, elementOf, hidingOfText, pageOf } from '../hidden/visibility.ts'
import { allowedStyles } from './allowed-styles.ts'

export type SanitiseOptions = {
  /** Addresses of the message's own images by Content-ID; an image without one here keeps its `cid:`. */
  readonly images?: ReadonlyMap<string, string>
  /** True keeps the addresses of remote images, for mail that is sent on to others (default false). */
  readonly remoteImages?: boolean
}

/**
 * Returns HTML that is safe to show and loads nothing from its sender: no script, form, frame, event handler or style sheet; links
 * only to http, https, mailto and tel; only styles that colour and space text. The rules of style sheets are copied to the
 * elements they apply to; what a person does not see is left out. Remote images would tell a sender who reads what, so their
 * address is in `data-remote-src` instead of `src`. HTML beyond `htmlCharsMax` or nested deeper than `htmlDepthMax`
 * is cut off. Never throws.
 */
export function sanitiseHtml(html: string, { images, remoteImages = false }: SanitiseOptions = {}): string {
  const sanitize = sanitizer()
  return sanitize(seenHtml(html), {
    allowedTags: [...sanitize.defaults.allowedTags, ...moreTags],
    allowedAttributes,
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
    allowedSchemesAppliedToAttributes: ['href', 'src', 'cite', 'background'],
    allowProtocolRelative: false,
    allowedStyles: { '*': allowedStyles },
    disallowedTagsMode: 'discard',
    enforceHtmlBoundary: false,
    nonTextTags: ['script', 'style', 'textarea', 'option', 'title', 'template', 'svg', 'math', 'xml'],
    exclusiveFilter: ({ tag, attribs }) =>
      tag === 'img' && /^\s*data:(?!image\/(?:png|gif|jpe?g|webp)[;,])/i.test(attribs.src ?? ''),
    transformTags: {
      a: (tagName, attribs) => ({ tagName, attribs: { ...linkOf(attribs), ...inNewWindow } }),
      area: (tagName, attribs) => ({ tagName, attribs: { ...linkOf(attribs), ...inNewWindow } }),
      img: (tagName, attribs) => ({ tagName, attribs: imageOf(attribs, images, remoteImages) }),
    },
  })
}

const require = createRequire(import.meta.url)
let loaded: typeof sanitizeHtml | undefined

/** Loads the library with the first HTML that is shown: receiving and sending do not need it. */
function sanitizer(): typeof sanitizeHtml {
  loaded ??= require('sanitize-html') as typeof sanitizeHtml
  return loaded
}

/** Allowed in addition to the library's default tags. */
const moreTags = ['img', 'center', 'font', 'del', 'ins', 'strike', 'big', 'tt', 'map', 'area']

const allowedAttributes: Record<string, string[]> = {
  '*': [
    'style',
    'dir',
    'lang',
    'align',
    'valign',
    'title',
    'width',
    'height',
    'bgcolor',
    'color',
    'role',
    'aria-hidden',
    'aria-label',
  ],
  a: ['href', 'name', 'target', 'rel'],
  area: ['href', 'shape', 'coords', 'alt', 'target', 'rel'],
  font: ['face', 'size'],
  img: ['src', 'data-remote-src', 'alt', 'border', 'usemap'],
  map: ['name'],
  table: ['border', 'cellpadding', 'cellspacing'],
  td: ['colspan', 'rowspan', 'nowrap'],
  th: ['colspan', 'rowspan', 'nowrap', 'scope'],
  ol: ['start', 'type', 'reversed'],
  li: ['value'],
  blockquote: ['type'],
}

type Attributes = Record<string, string>

const inNewWindow = { target: '_blank', rel: 'noopener noreferrer nofollow' }

/** Removes a target without a scheme, which would lead into the page that shows the message. */
function linkOf({ href = '', ...others }: Attributes): Attributes {
  return /^\s*(?:(?:https?|mailto|tel):|#)/i.test(href) ? { ...others, href } : others
}

function imageOf(
  { src = '', 'data-remote-src': _forged, ...others }: Attributes,
  images: ReadonlyMap<string, string> | undefined,
  remoteImages: boolean,
): Attributes {
  const address = src.trim()
  if (/^data:/i.test(address)) return { ...others, src: address }
  const id = /^cid:(.+)$/is.exec(address)?.[1]
  if (id !== undefined) return { ...others, src: images?.get(id) ?? images?.get(percentDecoded(id)) ?? address }
  if (!/^https?:\/\//i.test(address)) return others
  return { ...others, [remoteImages ? 'src' : 'data-remote-src']: address }
}

/** RFC 2392 2: the URL of a content id is percent-encoded. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return text // a stray per cent sign
  }
}

/** Style properties that are copied to elements: those that the sanitiser allows, and those that hide. */
const inlined: ReadonlySet<string> = new Set([...Object.keys(allowedStyles), ...relevantNames])

/** The HTML without what nobody sees, and with the rules of its style sheets in style attributes. Not safe yet. */
function seenHtml(html: string): string {
  const sheets = readSheets(html, inlined)
  const seen = rewritten(html, sheets)
  // An element that covers another may come after it, so it is known only in a second pass.
  return sheets.rules.covers.size === 0 ? seen : rewritten(html, sheets)
}

function rewritten(html: string, { rules, page }: Sheets): string {
  const out: string[] = []
  const stack = pageOf(rules, page)
  feed(html, {
    onopentag(name, attributes) {
      const element = elementOf(name, attributes, stack, rules)
      if (!element.hiding) out.push(openTag(element, attributes, rules, stack))
      stack.push(element)
    },
    ontext(text) {
      if (hidingOfText(stack.at(-1) as Element) === null) out.push(escaped(text))
      else if (/^\s+$/.test(text)) out.push(' ')
    },
    onclosetag(name) {
      const element = stack.pop()
      if (element && !element.hiding && !voids.has(name)) out.push(`</${written(name)}>`)
    },
  })
  return out.join('')
}

const voids: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/** The body becomes a block; without one its colours would be lost. */
function written(name: string): string {
  return name === 'body' ? 'div' : name
}

function openTag(element: Element, attributes: Attributes, rules: StyleRules, ancestors: readonly Element[]): string {
  const { name } = element
  const style = styleOf(element, attributes, rules, ancestors)
  const kept = Object.entries(style === '' ? attributes : { ...attributes, style })
  const list = kept.map(([key, value]) => (/^[a-z][a-z0-9-]*$/.test(key) ? ` ${key}="${escaped(value)}"` : ''))
  return `<${written(name)}${list.join('')}>`
}

function styleOf(element: Element, attributes: Attributes, rules: StyleRules, ancestors: readonly Element[]): string {
  const { style = '', bgcolor, text } = attributes
  const legacy = element.name === 'body' ? legacyColours(bgcolor, text) : ''
  if (rules.count === 0 && rules.keyframes.size === 0) return legacy + style
  const declared = declarationsFor(rules, element, ancestors, style)
  return legacy + [...declared].map(([key, value]) => `${key}:${value}`).join(';')
}

function legacyColours(bgcolor: string | undefined, text: string | undefined): string {
  return `${bgcolor ? `background-color:${bgcolor};` : ''}${text ? `color:${text};` : ''}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
