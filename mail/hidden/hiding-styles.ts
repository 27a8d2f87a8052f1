import type { Hidden } from '../encoding/invisible-characters.ts'
import { animationNames, animationParts, isAnimation } from './animation-values.ts'
import { isDisplay } from './css-conditions.ts'
import { isClipped, isMasked } from './css-shapes.ts'
import { type Declarations, type Declared, readDeclarations, splitAt } from './css-syntax.ts'
import { blended, type Colour, functionsOf, listOf, numberOf, paintOf } from './css-values.ts'

/** How a style hides an element and everything in it, or null. Inherited sizes, colours and opacity are not considered. */
export function hidingOf(style: Declarations): Hidden['kind'] | null {
  if (style.size === 0) return null
  if (style.get('display') === 'none' || style.get('content-visibility') === 'hidden') return 'display_none'
  if (isMasked(style)) return 'transparent'
  if (isFlat(style) || isClipped(style)) return 'zero_size'
  if (isAway(style)) return 'off_screen'
  return hidingOfFilter(style.get('filter')) ?? hidingOfTransform(style)
}

/** Whether `visibility` hides an element, in which others may be visible again. Null when it is not set. */
export function hiddenByVisibility(style: Declarations): boolean | null {
  const given = style.get('visibility')
  return given === undefined || isInherited(given) ? null : given === 'hidden' || given === 'collapse'
}

/** The font size in pixels of an element whose parent has `parent` pixels; null when it sets none. */
export function sizeOf(style: Declarations, parent: number): number | null {
  const given = style.get('font-size')
  if (given === undefined || isInherited(given)) return null
  if (given === 'smaller' || given === 'larger') return given === 'larger' ? parent * 1.2 : parent / 1.2
  return numberOf(given, { em: parent, percent: parent / 100 }) ?? 16
}

/** The opacity of an element from 0 to 1, apart from that of its ancestors; null when it sets none. */
export function opacityOf(style: Declarations): number | null {
  const given = style.get('opacity')
  const value = given === undefined ? null : numberOf(given, { percent: 0.01 })
  return value === null ? null : Math.min(1, Math.max(0, value))
}

/** Whether letters of `size` pixels overlap beyond recognition. */
export function isCrowded(style: Declarations, size: number): boolean {
  const given = style.get('letter-spacing')
  const space = given === undefined ? null : numberOf(given, { em: size, percent: size / 100 })
  return space !== null && space <= -size * crowdedShare
}

/** Letters are about half as wide as high, and can be read while a third of that width is left. */
const crowdedShare = 0.35

/** Whether a picture has no more room than a dot: a spacer, or a tracking pixel. */
export function isDot(style: Declarations, attributes: Readonly<Record<string, string>>): boolean {
  return ['width', 'height'].some((name) => {
    const given = style.get(name) ?? style.get(`max-${name}`) ?? attributes[name]?.trim().toLowerCase()
    return given !== undefined && !given.endsWith('%') && (numberOf(given) ?? flatMax + 1) <= flatMax
  })
}

/** Whether the letters of an element run from right to left in every script. */
export function isTurned(style: Declarations, name: string, attributes: Readonly<Record<string, string>>): boolean {
  const direction = style.get('direction') ?? attributes.dir?.toLowerCase()
  return direction === 'rtl' && (name === 'bdo' || (style.get('unicode-bidi') ?? '').endsWith('override'))
}

/** Opacity below which nothing can be seen. */
export const faintMax = 0.1

/** Largest font size in pixels that cannot be read: two points. */
export const tinyMax = 2.67

/** The background that a style or a bgcolor attribute paints: undefined when it paints none, null when it is not plain. */
export function backgroundOf(
  style: Declarations,
  attributes: Readonly<Record<string, string>>,
  under: Colour,
): Colour | undefined {
  const all = style.get('background')
  if (attributes.background || /url\(|gradient|image/.test(style.get('background-image') ?? all ?? '')) return null
  const given = style.get('background-color') ?? all ?? attributes.bgcolor
  if (given === undefined || wide.test(given)) return undefined
  const paint = paintOf(given) ?? (all === undefined ? null : firstOf(splitAt(given, ' '), paintOf))
  if (!paint) return given === attributes.bgcolor || given.includes('(') ? null : undefined
  return paint[3] < 0.02 ? undefined : blended(paint, under)
}

/** The text colour that a style, a font element or a body sets: undefined when it sets none, 'clear' when it cannot be seen. */
export function colourOf(
  style: Declarations,
  attributes: Readonly<Record<string, string>>,
  name: string,
  under: Colour,
): Colour | undefined | 'clear' {
  const given =
    style.get('-webkit-text-fill-color') ??
    style.get('color') ??
    (name === 'font' ? attributes.color : name === 'body' ? attributes.text : undefined)
  if (given === undefined || given === 'currentcolor' || isInherited(given)) return undefined
  if (given === 'initial') return [0, 0, 0]
  const paint = paintOf(given)
  return paint && paint[3] < 0.1 ? 'clear' : paint ? blended(paint, under) : null
}

/** The declarations that mail programs accept. Those with an invalid value are left out. */
export function declaredIn(text: string): readonly Declared[] {
  return expanded(readDeclarations(text).filter(({ name, value }) => isValid(name, value)))
}

/** Whether mail programs accept a declaration. Only names that may hide or show something are checked. */
function isValid(name: string, value: string): boolean {
  const check = checks.get(name)
  return check === undefined || wide.test(value) || value.includes('var(') || check(value)
}

/** Replaces shorthands that may hide something by what they stand for, and logical names by physical ones. */
function expanded(all: readonly Declared[]): readonly Declared[] {
  if (!all.some(({ name }) => shorthands.has(name))) return all
  return all.flatMap((one) => {
    const parts = shorthands.get(one.name)?.(one.value)
    return parts ? parts.map(([name, value]) => ({ ...one, name, value })) : one
  })
}

/** Names of properties that hide or colour something. */
export const relevantNames: ReadonlySet<string> = new Set([
  'animation',
  ...animationNames.map((name) => `animation-${name}`),
  ...'display float visibility content-visibility opacity overflow overflow-x overflow-y contain height max-height min-height width max-width min-width clip clip-path -webkit-clip-path mask mask-image mask-size -webkit-mask -webkit-mask-image -webkit-mask-size position z-index unicode-bidi direction transform translate scale rotate backface-visibility -webkit-backface-visibility left top right bottom margin-left margin-top margin-bottom text-indent padding-left letter-spacing line-height filter zoom font-size color -webkit-text-fill-color white-space background background-color background-image'.split(
    ' ',
  ),
])

/** Whether an element has a column of its own beside what follows it, as a label before its value. */
export function isColumn(style: ReadonlyMap<string, string>): boolean {
  const isBeside =
    /^(?:left|right)$/.test(style.get('float') ?? '') ||
    /^(?:inline-block|table-cell)$/.test(style.get('display') ?? '')
  const width = /^(\d+(?:\.\d+)?)(px|em|rem|%)$/.exec(style.get('width') ?? style.get('min-width') ?? '')
  return (
    isBeside &&
    width !== null &&
    Number(width[1]) >= (width[2] === 'px' ? columnPixelsMin : columnMin[width[2] as keyof typeof columnMin])
  )
}

/** Narrower columns hold single letters. */
const columnPixelsMin = 40
const columnMin = { em: 3, rem: 3, '%': 5 } as const

const wide = /^(?:inherit|initial|unset|revert|revert-layer)$/
const isInherited = (value: string) => /^(?:inherit|unset|revert|revert-layer)$/.test(value)

function isFaint(given: string | undefined): boolean {
  const value = given === undefined ? null : numberOf(given, { percent: 0.01 })
  return value !== null && value < faintMax
}

function isFlat(style: Declarations): boolean {
  const clips =
    ['overflow', 'overflow-x', 'overflow-y'].some((name) => /hidden|clip|auto|scroll/.test(style.get(name) ?? '')) ||
    /paint|strict|content/.test(style.get('contain') ?? '')
  if (!clips) return isFaint(style.get('zoom'))
  const size = (name: string) => sizeIn(style.get(name))
  const isLow = (name: string) => [name, `max-${name}`].some((each) => (size(each) ?? 9) <= flatMax)
  if (
    (isLow('height') && !((size('min-height') ?? 0) > flatMax)) ||
    (isLow('width') && !((size('min-width') ?? 0) > flatMax))
  )
    return true
  if ((sizeIn(style.get('text-indent'), 10.24) ?? 0) >= 1000 || (size('padding-left') ?? 0) >= 1000) return true
  return (sizeIn(style.get('line-height'), 0.16) ?? 9) <= 0.05 || isFaint(style.get('zoom'))
}

/** Largest height or width, in pixels, in which nothing can be read. */
const flatMax = 2

function sizeIn(given: string | undefined, percent?: number): number | null {
  return given === undefined ? null : numberOf(given, { percent })
}

function isAway(style: Declarations): boolean {
  return offsets.some((name) => {
    const given = style.get(name)
    return given !== undefined && isFar(numberOf(given))
  })
}

const offsets = ['left', 'top', 'right', 'bottom', 'margin-left', 'margin-top', 'text-indent', 'letter-spacing']

/** Whether an offset, in pixels or per cent, leads out of sight: sooner to the left and up than to the right and down. */
function isFar(pixels: number | null): boolean {
  return pixels !== null && (pixels <= -100 || pixels >= 1000)
}

function hidingOfFilter(filter: string | undefined): Hidden['kind'] | null {
  const found = filter === undefined ? null : functionsOf(filter)
  const isGone = found?.some(({ name, given }) => {
    if (name === 'opacity') return isFaint(given[0])
    return name === 'blur' && (numberOf(given[0] ?? '') ?? 0) >= 5
  })
  return isGone ? 'transparent' : null
}

/** How `transform`, and the properties that do the same as its parts, hide an element. */
function hidingOfTransform(style: Declarations): Hidden['kind'] | null {
  const own = ['translate', 'scale', 'rotate'].flatMap((name) => {
    const given = style.get(name)
    return given === undefined ? [] : [{ name, given: listOf(given) }]
  })
  let front = 1
  for (const { name, given } of [...own, ...(functionsOf(style.get('transform') ?? '') ?? [])]) {
    if (name.startsWith('rotate')) front *= frontOf(name, given)
    const numbers = given.map((each) => numberOf(each, name.startsWith('scale') ? { percent: 0.01 } : {}) ?? Number.NaN)
    if (name.startsWith('translate') && numbers.some(isFar)) return 'off_screen'
    if (isPressed(name, numbers)) return 'zero_size'
    if (name === 'matrix' && numbers.slice(4).some(isFar)) return 'off_screen'
    if (name === 'matrix3d' && numbers.slice(12, 14).some(isFar)) return 'off_screen'
  }
  if (Math.abs(front) < faintMax) return 'zero_size'
  const back = style.get('backface-visibility') ?? style.get('-webkit-backface-visibility')
  return front < 0 && back === 'hidden' ? 'transparent' : null
}

/**
 * How far a turned element faces the reader: 1 when it does, 0 when it is seen from its edge, less when it is seen from behind. The
 * axis (CSS Transforms 2, 5) is a letter or three numbers before or after the angle; without one it points at the reader.
 */
function frontOf(name: string, given: readonly string[]): number {
  const angle = given.find((each) => !isOfAxis(each)) ?? '0'
  const axis = given.filter(isOfAxis).join(' ')
  const letter = /[xyz]$/.exec(name)?.[0] ?? axis
  const vector = axes.get(letter) ?? axis.split(' ').map(Number)
  const [x = 0, y = 0, z = 0] = vector.length === 3 ? vector : [0, 0, 1]
  const length = x * x + y * y + z * z
  const cosine = Math.cos(((numberOf(angle) ?? 0) * Math.PI) / 180)
  return length > 0 ? cosine + (1 - cosine) * ((z * z) / length) : 1
}

const isOfAxis = (word: string) => /^(?:[xyz]|[-+]?(?:\d+\.?\d*|\.\d+))$/.test(word)
const axes: ReadonlyMap<string, readonly number[]> = new Map([
  ['x', [1, 0, 0]],
  ['y', [0, 1, 0]],
  ['z', [0, 0, 1]],
])

function isPressed(name: string, numbers: readonly number[]): boolean {
  const at = (i: number) => numbers[i] ?? Number.NaN
  if (name === 'scale3d') return Math.abs(at(0)) < 0.1 || Math.abs(at(1)) < 0.1
  if (/^scale[xy]?$/.test(name)) return numbers.slice(0, 2).some((each) => Math.abs(each) < 0.1)
  if (name === 'matrix') return Math.abs(at(0) * at(3) - at(1) * at(2)) < 0.01
  return name === 'matrix3d' && Math.abs(at(0) * at(5) - at(1) * at(4)) < 0.01
}

type Check = (value: string) => boolean

const isOneOf = (words: string): Check => {
  const all = new Set(words.split(' '))
  return (value) => all.has(value)
}
const isNumber: Check = (value) => numberOf(value) !== null
const isWordOfLength = isOneOf('auto none normal min-content max-content fit-content stretch -webkit-fill-available')
const isLength: Check = (value) =>
  numberOf(value) !== null || isWordOfLength(value) || /^(?:calc|min|max|clamp|env|fit-content)\(/.test(value)
const areAll =
  (check: Check): Check =>
  (value) =>
    splitAt(value, ' ').every((one) => one === '' || check(one))
const isSize: Check = (value) =>
  isLength(value) && (value.includes('(') || !value.startsWith('-') || /^-\D/.test(value))
const isColour: Check = (value) =>
  value === 'currentcolor' || paintOf(value) !== null || /^(?:[a-z]+\(\s*from\b|color-mix\(|light-dark\()/.test(value)
const areFunctions = (value: string, names: RegExp) =>
  value === 'none' || functionsOf(value)?.every(({ name }) => names.test(name)) === true
const isBackground = areAll(
  (value) =>
    isColour(value) ||
    value.includes('(') ||
    /^(?:none|(?:no-)?repeat(?:-[xy])?|scroll|fixed|local|center|top|bottom|left|right|cover|contain|auto|round|space|[a-z]+-box)$/.test(
      value,
    ) ||
    /^[-+.\d]/.test(value),
)
const isWordOfSize = isOneOf('xx-small x-small small medium large x-large xx-large xxx-large smaller larger')
const isFontSize: Check = (value) => isWordOfSize(value) || isSize(value)

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['display', isDisplay],
  ['visibility', isOneOf('visible hidden collapse')],
  ['content-visibility', isOneOf('visible hidden auto')],
  ['opacity', isNumber],
  ['zoom', (value) => isNumber(value) || value === 'normal'],
  ...['overflow', 'overflow-x', 'overflow-y'].map((name): [string, Check] => [
    name,
    (value) => value.split(/\s+/).every(isOneOf('visible hidden clip auto scroll overlay')),
  ]),
  ...['height', 'max-height', 'min-height', 'width', 'max-width', 'min-width'].map((name): [string, Check] => [
    name,
    isSize,
  ]),
  ...offsets.map((name): [string, Check] => [name, isLength]),
  ['line-height', isSize],
  ['font-size', isFontSize],
  ['font', (value) => fontSizeIn(value) !== undefined],
  ...['color', 'background-color', '-webkit-text-fill-color'].map((name): [string, Check] => [name, isColour]),
  ['transform', (value) => areFunctions(value, /^(?:matrix|translate|scale|rotate|skew|perspective)/)],
  [
    'filter',
    (value) =>
      areFunctions(
        value,
        /^(?:opacity|blur|brightness|contrast|drop-shadow|grayscale|hue-rotate|invert|saturate|sepia|url)$/,
      ),
  ],
  ...['clip-path', '-webkit-clip-path'].map((name): [string, Check] => [
    name,
    (value) =>
      /-box\b/.test(value) || areFunctions(value, /^(?:inset|circle|ellipse|polygon|path|rect|xywh|shape|url)$/),
  ]),
  ...['translate', 'scale', 'margin', 'inset'].map((name): [string, Check] => [name, areAll(isLength)]),
  ['padding-left', isSize],
  ['background', (value) => isBackground(value.replace(/[/,]/g, ' '))],
  ['background-image', (value) => value === 'none' || value.includes('(')],
  ['clip', (value) => value === 'auto' || value.startsWith('rect(')],
  ['unicode-bidi', isOneOf('normal embed isolate bidi-override isolate-override plaintext')],
  ['direction', isOneOf('ltr rtl')],
  ...['backface-visibility', '-webkit-backface-visibility'].map((name): [string, Check] => [
    name,
    isOneOf('visible hidden'),
  ]),
  ...['animation', '-webkit-animation'].map((name): [string, Check] => [name, isAnimation]),
  ['position', isOneOf('static relative absolute fixed sticky')],
  ['z-index', (value) => value === 'auto' || /^[+-]?\d+$/.test(value)],
])

function fontSizeIn(value: string): string | undefined {
  const words = splitAt(value, ' ')
    .flatMap((word) => word.split('/', 1))
    .filter(Boolean)
  return words.length < 2
    ? undefined
    : words.slice(0, -1).find((word) => isFontSize(word) && !/^[1-9]\d\d+$|^n/.test(word))
}

type Expansion = (value: string) => (readonly [name: string, value: string])[] | null

const sides = ['top', 'right', 'bottom', 'left'] as const

/** The values that `1px 2px` gives the four sides. */
function foursides(prefix: string, value: string): (readonly [string, string])[] {
  const given = splitAt(value, ' ').filter(Boolean)
  const [top = '0', right = top, bottom = top, left = right] = given
  return [top, right, bottom, left].map((each, i) => [`${prefix}${sides[i]}`, each] as const)
}

/** The values that `one two` gives the start and the end of an axis. */
const axis =
  (start: string, end: string): Expansion =>
  (value) => {
    const [one = '0', two = one] = splitAt(value, ' ').filter(Boolean)
    return [
      [start, one],
      [end, two],
    ]
  }
const renamed =
  (name: string): Expansion =>
  (value) => [[name, value]]

const shorthands: ReadonlyMap<string, Expansion> = new Map<string, Expansion>([
  ['font', (value) => [['font-size', fontSizeIn(value) ?? value]]],
  ['margin', (value) => foursides('margin-', value)],
  ['inset', (value) => foursides('', value)],
  ['inset-block', axis('top', 'bottom')],
  ['inset-inline', axis('left', 'right')],
  ['margin-block', axis('margin-top', 'margin-bottom')],
  ['margin-inline', axis('margin-left', 'margin-right')],
  ['inset-block-start', renamed('top')],
  ['inset-inline-start', renamed('left')],
  ['inset-inline-end', renamed('right')],
  ['margin-block-start', renamed('margin-top')],
  ['margin-inline-start', renamed('margin-left')],
  ['padding-inline-start', renamed('padding-left')],
  ['block-size', renamed('height')],
  ['inline-size', renamed('width')],
  ['max-block-size', renamed('max-height')],
  ['max-inline-size', renamed('max-width')],
  ['overflow-block', renamed('overflow-y')],
  ['overflow-inline', renamed('overflow-x')],
  ['animation', animationParts],
  ['-webkit-animation', animationParts],
  ...animationNames.map((name): [string, Expansion] => [`-webkit-animation-${name}`, renamed(`animation-${name}`)]),
])

function firstOf<T>(words: readonly string[], read: (word: string) => T | null): T | null {
  for (const word of words) {
    const found = read(word)
    if (found !== null) return found
  }
  return null
}
