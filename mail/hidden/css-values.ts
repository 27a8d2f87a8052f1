import { closing, splitAt } from './css-syntax.ts'

/** Red, green, blue; null when unknown (images, gradients, functions that are not read here). */
export type Colour = readonly [number, number, number] | null

/** Red, green and blue from 0 to 255, and opacity from 0 to 1. */
export type Paint = readonly [number, number, number, number]

/** The size of one `em` and of one per cent, in pixels. */
export type Scale = { readonly em?: number; readonly percent?: number }

/**
 * A length in pixels, an angle in degrees, or a bare number; null for anything else. Reads calc(), min(), max() and clamp().
 * Without a scale, one per cent counts as one pixel, but inside functions as one per cent of the screen's width.
 */
export function numberOf(text: string, { em = 16, percent }: Scale = {}): number | null {
  const plain = simple.exec(text)
  if (!plain) return text.includes('(') ? calculated(text, { em, percent: percent ?? screenPercent }) : null
  const unit = plain[2] as string
  const size = unit === 'em' ? em : unit === '%' ? (percent ?? 1) : Object.hasOwn(units, unit) ? units[unit] : undefined
  return size === undefined ? null : Number(plain[1]) * size
}

/** The functions in `name(arguments) ...`; null when the text is not made of functions alone. Linear. */
export function functionsOf(text: string): { readonly name: string; readonly given: readonly string[] }[] | null {
  const found: { name: string; given: readonly string[] }[] = []
  const head = /\s*([a-z][a-z0-9-]*)\(/y
  for (let at = 0; at < text.length && found.length < functionsMax; ) {
    head.lastIndex = at
    const name = head.exec(text)?.[1]
    if (name === undefined) return null
    const close = closing(text, head.lastIndex - 1)
    found.push({ name, given: listOf(text.slice(head.lastIndex, close)) })
    at = close + 1
  }
  return found.length === 0 ? null : found
}

/** The values in a text, separated by blanks, commas or slashes as in the arguments of functions. */
export function listOf(text: string): readonly string[] {
  return splitAt(text.replace(/[\s,/]+/g, ' ').trim(), ' ').filter(Boolean)
}

/** A colour as CSS Color 4 or old HTML writes it; null when it is not one that can be read here. */
export function paintOf(text: string): Paint | null {
  if (text.length > colourCharsMax) return null
  const value = text.trim().toLowerCase()
  const hex = /^#?([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})$/.exec(value)?.[1]
  if (hex !== undefined) return ofHex(hex)
  if (value === 'transparent') return [0, 0, 0, 0]
  if (!value.includes('(')) return named.has(value) ? ofHex(named.get(value) as string) : null
  const [one, more] = functionsOf(value) ?? []
  if (!one || more) return null
  const { name, given } = one
  if (name === 'light-dark') return paintOf(given[0] ?? '')
  if (name === 'color-mix') return mixed(splitAt(value.slice(value.indexOf('(') + 1, -1), ','))
  // Relative colours (CSS Color 5, 4) begin with another colour. What they change of it is ignored, except the opacity.
  if (given[0] === 'from') return recoloured(given)
  const space = name === 'color' ? given[0] : name
  const numbers = name === 'color' ? given.slice(1) : given
  const part = (i: number, full: number) => {
    const word = numbers[i] ?? (i === 3 ? '1' : '')
    return word === 'none' ? 0 : (numberOf(word, { percent: full / 100 }) ?? Number.NaN)
  }
  const rgb = rgbOf(space as string, part)
  const alpha = part(3, 1)
  if (!rgb || Number.isNaN(alpha) || rgb.some(Number.isNaN)) return null
  return [...(rgb.map((each) => within(each, 255)) as [number, number, number]), within(alpha, 1)]
}

/** The colour that a paint shows over another colour. */
export function blended([r, g, b, alpha]: Paint, under: Colour): Colour {
  if (alpha >= 0.99) return [r, g, b]
  if (under === null) return null
  const mix = (top: number, below: number) => top * alpha + below * (1 - alpha)
  return [mix(r, under[0]), mix(g, under[1]), mix(b, under[2])]
}

/** Whether a person could not tell the colours apart. */
export function sameColour(one: Colour, other: Colour): boolean {
  return one !== null && other !== null && one.every((value, i) => Math.abs(value - (other[i] as number)) <= 16)
}

const functionsMax = 20
/** Longer texts are not colours, and deeply nested ones would overflow the stack. */
const colourCharsMax = 200
const termsMax = 100
const screenPercent = 10.24
const within = (value: number, most: number) => Math.min(most, Math.max(0, value))
const simple = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)$/

/** Lengths in pixels, on a screen of 1024 by 768; angles in degrees. */
const units: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 37.8,
  mm: 3.78,
  q: 0.945,
  rem: 16,
  ex: 8,
  ch: 8,
  lh: 18,
  rlh: 18,
  vw: 10.24,
  vh: 7.68,
  vi: 10.24,
  vb: 7.68,
  vmin: 7.68,
  vmax: 10.24,
  deg: 1,
  grad: 0.9,
  rad: 57.2958,
  turn: 360,
}

/** CSS Values 4, 10: sums, products and the three functions that compare; null for anything else. */
function calculated(text: string, scale: Scale): number | null {
  const tokens = text.match(/[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:[a-z]+|%)?|[a-z-]*\(|[^\s]/g) ?? []
  if (tokens.length > termsMax) return null
  let at = 0
  const sum = (): number => {
    let value = product()
    while (tokens[at] === '+' || tokens[at] === '-') value += tokens[at++] === '+' ? product() : -product()
    return value
  }
  const product = (): number => {
    let value = factor()
    while (tokens[at] === '*' || tokens[at] === '/') value = tokens[at++] === '*' ? value * factor() : value / factor()
    return value
  }
  const factor = (): number => {
    const token = tokens[at++] ?? ''
    if (!token.endsWith('(')) return token.includes('(') ? Number.NaN : (numberOf(token, scale) ?? Number.NaN)
    const given = [sum()]
    while (tokens[at] === ',') {
      at++
      given.push(sum())
    }
    if (tokens[at++] !== ')') return Number.NaN
    return compared(token.slice(0, -1), given)
  }
  const value = sum()
  return Number.isNaN(value) || at < tokens.length ? null : value
}

function compared(name: string, given: readonly number[]): number {
  if (name === 'min') return Math.min(...given)
  if (name === 'max') return Math.max(...given)
  if (name === 'clamp') return Math.max(given[0] ?? 0, Math.min(given[1] ?? 0, given[2] ?? 0))
  return name === '' || name === 'calc' ? (given[0] as number) : Number.NaN
}

/** `in space, colour share, colour share` (CSS Color 5, 3.1), mixed in sRGB for every space: exact enough to tell colours apart. */
function mixed(given: readonly string[]): Paint | null {
  const [one, other] = given.slice(1).map((part) => {
    const words = listOf(part)
    const share = words.find((word) => word.endsWith('%'))
    const paint = words.map(paintOf).find((each) => each !== null)
    return paint && { paint, share: share === undefined ? null : within((numberOf(share) ?? 50) / 100, 1) }
  })
  if (!one || !other) return null
  const first = one.share ?? (other.share === null ? 0.5 : 1 - other.share)
  const second = other.share ?? 1 - first
  const sum = first + second
  if (sum === 0) return null
  const alpha = (one.paint[3] * first + other.paint[3] * second) / sum
  const mix = (i: 0 | 1 | 2) =>
    alpha === 0 ? 0 : (one.paint[i] * one.paint[3] * first + other.paint[i] * other.paint[3] * second) / sum / alpha
  return [mix(0), mix(1), mix(2), alpha * Math.min(1, sum)]
}

function recoloured(given: readonly string[]): Paint | null {
  const base = paintOf(given[1] ?? '')
  // Three components, then the opacity.
  const alpha = given[5] === undefined ? null : numberOf(given[5], { percent: 0.01 })
  return base && (alpha === null ? base : [base[0], base[1], base[2], within(alpha, 1)])
}

function ofHex(hex: string): Paint {
  const long = hex.length <= 4 ? [...hex].map((digit) => digit + digit).join('') : hex
  const at = (i: number) => Number.parseInt(long.slice(i * 2, i * 2 + 2) || 'ff', 16)
  return [at(0), at(1), at(2), at(3) / 255]
}

type Part = (index: number, full: number) => number

function rgbOf(space: string, part: Part): readonly number[] | null {
  if (/^rgba?$/.test(space)) return [part(0, 255), part(1, 255), part(2, 255)]
  if (/^hsla?$/.test(space)) return ofHue(part(0, 360), part(1, 100) / 100, part(2, 100) / 100)
  if (space === 'hwb') return ofWhiteAndBlack(part(0, 360), part(1, 100) / 100, part(2, 100) / 100)
  if (space === 'lab') return ofLab(part(0, 100), part(1, 125), part(2, 125))
  if (space === 'lch') return ofLab(part(0, 100), ...around(part(1, 150), part(2, 360)))
  if (space === 'oklab') return ofOklab(part(0, 1), part(1, 0.4), part(2, 0.4))
  if (space === 'oklch') return ofOklab(part(0, 1), ...around(part(1, 0.4), part(2, 360)))
  if (/^(?:srgb|display-p3|a98-rgb|rec2020|prophoto-rgb)$/.test(space)) return [0, 1, 2].map((i) => part(i, 1) * 255)
  return space === 'srgb-linear' ? [0, 1, 2].map((i) => gamma(part(i, 1))) : null
}

function around(chroma: number, hue: number): [number, number] {
  return [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)]
}

// CSS Color 4, 7.1
function ofHue(hue: number, saturation: number, lightness: number): number[] {
  return [0, 8, 4].map((n) => {
    const k = (((n + hue / 30) % 12) + 12) % 12
    const reach = saturation * Math.min(lightness, 1 - lightness)
    return 255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  })
}

function ofWhiteAndBlack(hue: number, white: number, black: number): number[] {
  if (white + black >= 1) return [0, 1, 2].map(() => (255 * white) / (white + black))
  return ofHue(hue, 1, 0.5).map((each) => each * (1 - white - black) + 255 * white)
}

// CSS Color 4, 9.3 and 18: the numbers are those of its sample code, for a white of D50.
function ofLab(lightness: number, a: number, b: number): number[] {
  const f = (lightness + 16) / 116
  const cubed = (t: number) => (t > 6 / 29 ? t ** 3 : (116 * t - 16) / 903.3)
  const [x, y, z] = [0.9643 * cubed(f + a / 500), cubed(f), 0.8251 * cubed(f - b / 200)]
  return [
    3.1341 * x - 1.6174 * y - 0.4907 * z,
    -0.9788 * x + 1.9162 * y + 0.0334 * z,
    0.072 * x - 0.229 * y + 1.4057 * z,
  ].map(gamma)
}

function ofOklab(lightness: number, a: number, b: number): number[] {
  const l = (lightness + 0.3963 * a + 0.2158 * b) ** 3
  const m = (lightness - 0.1056 * a - 0.0639 * b) ** 3
  const s = (lightness - 0.0895 * a - 1.2915 * b) ** 3
  return [
    4.0767 * l - 3.3077 * m + 0.231 * s,
    -1.2684 * l + 2.6098 * m - 0.3413 * s,
    -0.0042 * l - 0.7034 * m + 1.7076 * s,
  ].map(gamma)
}

function gamma(linear: number): number {
  return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055)
}

/** The named colours of CSS Color 4, 6.1, and its system colours (6.2) on a light screen. */
const named: ReadonlyMap<string, string> = new Map(
  'aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32 canvas ffffff canvastext 000000 window ffffff windowtext 000000 field ffffff fieldtext 000000 background ffffff buttonface f0f0f0 buttontext 000000 infobackground ffffe1 infotext 000000 menu f0f0f0 menutext 000000'
    .split(/ (?=\w+ [0-9a-f]{6}(?: |$))/)
    .map((pair) => pair.split(' ') as [string, string]),
)
