/** Boxes that are painted over the whole box that contains them (CSS Positioned Layout 3). */
import type { Declarations } from './css-syntax.ts'
import { numberOf } from './css-values.ts'
import { backgroundOf } from './hiding-styles.ts'

/** A box that covers others: its number among the elements, and its level in the stack. */
export type Cover = { readonly number: number; readonly level: number }

/** Whether an element is positioned: then it places boxes inside it, and is painted above elements that are not. */
export function isPositioned(style: Declarations): boolean {
  return style.has('position') && style.get('position') !== 'static'
}

/** The level in the stack: elements with a higher one are painted later. */
export function levelOf(style: Declarations): number {
  const level = Number(style.get('z-index') ?? 0)
  return Number.isNaN(level) ? 0 : level
}

/** Whether an element is a plain, opaque box over the whole of its container. */
export function isCover(style: Declarations, attributes: Readonly<Record<string, string>>): boolean {
  if (!/^(?:absolute|fixed)$/.test(style.get('position') ?? '') || levelOf(style) < 0) return false
  if (!reaches(style, 'left', 'right', 'width') || !reaches(style, 'top', 'bottom', 'height')) return false
  // Over an unknown background, only an opaque colour is known.
  return (backgroundOf(style, attributes, null) ?? null) !== null
}

function reaches(style: Declarations, start: string, end: string, size: string): boolean {
  const from = numberOf(style.get(start) ?? '')
  if (from === null || from > 0) return false
  const to = numberOf(style.get(end) ?? '')
  const given = style.get(size) ?? style.get(`min-${size}`) ?? ''
  const long = numberOf(given)
  return (to !== null && to <= 0) || (long !== null && long >= (/%$|^\d+v[hw]$/.test(given) ? whole(given) : wholeMin))
}

/** A length in pixels that is enough to cover any text. */
const wholeMin = 1000

/** 100 % of the container or of the screen, in the unit that `numberOf` returns. */
function whole(given: string): number {
  return numberOf(given.replace(/^[\d.]+/, '100')) ?? wholeMin
}
