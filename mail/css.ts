import type { Hidden } from './invisible.ts'

/** Declarations of one rule or style attribute, lower-case, the last of a name wins. */
export type Declarations = ReadonlyMap<string, string>

/** Rules of style elements with a simple selector: a tag, `.class`, `tag.class` or `#id`. */
export type StyleRules = Map<string, Declarations>

/** Red, green, blue; null when not known (images, gradients, colour names we do not know). */
export type Colour = readonly [number, number, number] | null

/** Reads `name: value; ...`. Linear. */
export function readDeclarations(text: string): Declarations {
  const found = new Map<string, string>()
  for (const declaration of text.slice(0, 8192).toLowerCase().split(';')) {
    const colon = declaration.indexOf(':')
    if (colon > 0)
      found.set(
        declaration.slice(0, colon).trim(),
        declaration
          .slice(colon + 1)
          .replace('!important', '')
          .trim(),
      )
  }
  return found
}

/**
 * Adds the rules of a style sheet that hide or colour something. At-rules are left out: what they hide (for print,
 * for narrow screens) is seen elsewhere. At most `max` rules. Linear.
 */
export function addRules(rules: StyleRules, css: string, max = 1000): void {
  const text = withoutComments(css)
  let position = 0
  while (position < text.length && rules.size < max) {
    const open = text.indexOf('{', position)
    if (open < 0) return
    const close = blockEnd(text, open)
    const prelude = text.slice(position, open)
    position = close + 1
    const selectors = prelude.slice(prelude.lastIndexOf(';') + 1).trim()
    if (selectors.startsWith('@')) continue
    const declarations = [...readDeclarations(text.slice(open + 1, close))].filter(([name]) => relevant.has(name))
    if (declarations.length === 0) continue
    for (const selector of selectors.toLowerCase().split(',')) {
      const simple = selector.trim()
      if (/^(?:[a-z][a-z0-9]*)?(?:[.#][a-z0-9_-]+)?$/.test(simple) && simple !== '' && rules.size < max) {
        rules.set(simple, new Map([...(rules.get(simple) ?? []), ...declarations]))
      }
    }
  }
}

/** The declarations that apply to an element, by rising weight: tag, class, id, style attribute. */
export function declarationsFor(
  rules: StyleRules,
  name: string,
  attributes: Readonly<Record<string, string>>,
): Declarations {
  const own = attributes.style ? readDeclarations(attributes.style) : none
  if (rules.size === 0) return own
  const classes = (attributes.class ?? '').toLowerCase().split(/\s+/, 20).filter(Boolean)
  const keys = [name, ...classes.map((each) => `.${each}`), ...classes.map((each) => `${name}.${each}`)]
  if (attributes.id) keys.push(`#${attributes.id.toLowerCase()}`, `${name}#${attributes.id.toLowerCase()}`)
  const matched = keys.map((key) => rules.get(key)).filter((found) => found !== undefined)
  return matched.length === 0 ? own : new Map([...matched, own].flatMap((each) => [...each]))
}

/** How an element and all it holds is kept from sight, or null. Inherited sizes and colours are not asked here. */
export function hidingOf(style: Declarations): Hidden['kind'] | null {
  if (style.size === 0) return null
  const is = (name: string, pattern: RegExp) => pattern.test(style.get(name) ?? '')
  if (is('display', /^none\b/) || is('visibility', /^(?:hidden|collapse)\b/) || is('content-visibility', /^hidden/))
    return 'display_none'
  if (is('opacity', /^(?:0?\.0\d*|0+|0+\.0+|0?\.0\d*%|0%)$/)) return 'transparent'
  const clips = is('overflow', /hidden|clip/) || is('overflow-y', /hidden|clip/)
  const flat = ['height', 'max-height', 'width', 'max-width'].some((name) => is(name, zeroLength))
  if (clips && flat) return 'zero_size'
  if (
    is('clip', /^rect\(\s*0[a-z]*[\s,]+0[a-z]*[\s,]+0[a-z]*[\s,]+0/) ||
    is('clip-path', /inset\(\s*(?:50|100)%|circle\(\s*0/)
  )
    return 'zero_size'
  if (is('transform', /scale[xy]?\(\s*0(?:\.0*\d?)?\s*[,)]/)) return 'zero_size'
  if (['left', 'top', 'right', 'bottom', 'margin-left', 'margin-top', 'text-indent'].some((name) => is(name, farAway)))
    return 'off_screen'
  return is('transform', /translate[xy]?\([^)]*-\d{3,}/) ? 'off_screen' : null
}

/** Whether a font size cannot be read: 0, or at most one pixel. Null when none is given. */
export function unreadableSize(style: Declarations): boolean | null {
  const given = style.get('font-size') ?? /(?:^|\s)(\d[\d.]*[a-z%]*)(?:\/|\s)/.exec(style.get('font') ?? '')?.[1]
  if (given === undefined || given === 'inherit') return null
  const found = /^(\d*\.?\d+)(px|pt|em|rem|%|)/.exec(given)
  if (!found) return false
  const size = Number(found[1])
  return (
    size === 0 ||
    (size <= 1 && (found[2] === 'px' || found[2] === 'pt')) ||
    (size <= 5 && found[2] === '%') ||
    (size <= 0.08 && /em/.test(found[2] ?? ''))
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
    style.get('color') ?? (name === 'font' ? attributes.color : name === 'body' ? attributes.text : undefined)
  if (given === undefined || given === 'inherit') return undefined
  if (
    given === 'transparent' ||
    /^(?:rgba|hsla)\([^)]*[,/]\s*0?\.?0*%?\s*\)$/.test(given) ||
    /^#[0-9a-f]{3}0$|^#[0-9a-f]{6}00$/.test(given)
  )
    return 'clear'
  return readColour(given)
}

/** Whether a person could not tell the colours apart. */
export function sameColour(one: Colour, other: Colour): boolean {
  return one !== null && other !== null && one.every((value, i) => Math.abs(value - (other[i] as number)) <= 8)
}

const none: Declarations = new Map()
const zeroLength = /^(?:0|0?\.\d+|1)(?:px|pt|em|rem|%)?$/
const farAway = /^-(?:\d{3,}(?:\.\d+)?(?:px|pt)?|\d{2,}(?:\.\d+)?(?:em|rem|vw|vh)|\d{3,}%)/
const relevant: ReadonlySet<string> = new Set(
  'display visibility content-visibility opacity overflow overflow-y height max-height width max-width clip clip-path transform left top right bottom margin-left margin-top text-indent font-size font color background background-color background-image'.split(
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
