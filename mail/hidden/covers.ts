/** Boxes that are painted over all of the box they stand in (CSS Positioned Layout 3). */
import type { Declarations } from './css-syntax.ts'
import { numberOf } from './css-values.ts'
import { backgroundOf } from './hiding-styles.ts'

/** A box that covers others: its number among the elements, and its place in the stack. */
export type Cover = { readonly number: number; readonly level: number }

/** Whether boxes inside are placed by this one, and whether it is painted above those that are not positioned. */
export function isPositioned(style: Declarations): boolean {
  return style.has('position') && style.get('position') !== 'static'
}

/** The place in the stack: higher ones are painted later. */
export function levelOf(style: Declarations): number {
  const level = Number(style.get('z-index') ?? 0)
  return Number.isNaN(level) ? 0 : level
}

/** Whether an element is a plain, opaque box over the whole of its container. */
export function isCover(style: Declarations, attributes: Readonly<Record<string, string>>): boolean {
  if (!/^(?:absolute|fixed)$/.test(style.get('position') ?? '') || levelOf(style) < 0) return false
  if (!reaches(style, 'left', 'right', 'width') || !reaches(style, 'top', 'bottom', 'height')) return false
  // On something that is not known only what is opaque has a colour.
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

/** Pixels in which whatever is said has room. */
const wholeMin = 1000

/** 100 % of the container, or of the screen, in the unit that `numberOf` gives. */
function whole(given: string): number {
  return numberOf(given.replace(/^[\d.]+/, '100')) ?? wholeMin
}
