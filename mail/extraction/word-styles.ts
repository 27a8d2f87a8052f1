/** How the formats of Word affect text, as far as that decides whether anybody sees it. */
import { isNear } from './colours.ts'
import type { HiddenKind } from './page.ts'
import type { Attributes } from './xml.ts'
import { readXml } from './xml.ts'

/** Undefined: as in the surrounding format. Colours are six hexadecimal digits; `unknown` depends on a theme or a pattern. */
export type Format = { vanish?: boolean; colour?: string; fill?: string; halfPoints?: number }

/** The formats of styles by their ids, including those of the styles they are based on. */
export type Styles = ReadonlyMap<string, Format>

/** Reads the part with the styles. */
export function readStyles(source: Buffer | null): Styles {
  const own = new Map<string, { readonly format: Format; base: string }>()
  let style: { readonly format: Format; base: string } | null = null
  if (source !== null)
    readXml(source, {
      open(name, attributes) {
        if (name === 'w:style') {
          style = { format: {}, base: '' }
          own.set(attributes['w:styleId'] ?? '', style)
        } else if (name === 'w:basedOn' && style !== null) style.base = attributes['w:val'] ?? ''
        else if (style !== null) setFormat(style.format, name, attributes)
      },
      close(name) {
        if (name === 'w:style') style = null
      },
    })
  const whole = (id: string, levels: number): Format => {
    const { format = {}, base = '' } = own.get(id) ?? {}
    return base === '' || levels === 0 ? format : { ...whole(base, levels - 1), ...format }
  }
  return new Map([...own.keys()].map((id) => [id, whole(id, basesMax)]))
}

const basesMax = 10

/** Sets what a property element (`w:vanish`, `w:color`, ...) says. */
export function setFormat(format: Format, name: string, attributes: Attributes): void {
  const value = attributes['w:val'] ?? ''
  if (name === 'w:vanish' || name === 'w:specVanish') format.vanish = !/^(?:0|false|off)$/.test(value)
  else if (name === 'w:color') format.colour = value
  else if (name === 'w:sz') format.halfPoints = Number(value)
  else if (name === 'w:highlight') format.fill = value === 'none' ? undefined : 'unknown'
  else if (name === 'w:shd') {
    const fill = attributes['w:fill'] ?? 'auto'
    if (value !== 'clear' && value !== 'nil') format.fill = 'unknown'
    else if (fill !== 'auto') format.fill = fill
  }
}

/** How text is hidden by the formats around it, the outermost first; null when it is seen. */
export function hidingOf(formats: readonly Format[]): HiddenKind | null {
  const {
    vanish,
    colour,
    fill = 'FFFFFF',
    halfPoints = halfPointsUsual,
  } = Object.assign({}, ...formats.map(defined)) as Format
  if (vanish) return 'display_none'
  if (halfPoints <= halfPointsTiny) return 'zero_size'
  return colour !== undefined && isNear(colour, fill) ? 'same_colour' : null
}

const defined = (format: Format) =>
  Object.fromEntries(Object.entries(format).filter(([, value]) => value !== undefined))

const halfPointsUsual = 22
/** One and a half points: nobody can read that. */
const halfPointsTiny = 3
