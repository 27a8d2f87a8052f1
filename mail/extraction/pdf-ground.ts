/** What is painted on a page of a PDF, as far as that decides whether text on it is seen. */
import { type Box, boxOf, contains, intersection, type Matrix } from './geometry.ts'

/** Something painted. Its colour is null when it is unknown or not the same everywhere; `isWhole` says that nothing shows through it. */
type Paint = { readonly box: Box; readonly colour: string | null; readonly isWhole: boolean }

export type Ground = {
  /** Records something painted. */
  paint(paint: Paint): void
  /** How much has been painted so far. */
  readonly height: number
  /** The colour at a point, after all that has been painted so far; null when it is unknown. */
  colourAt(x: number, y: number): string | null
  /** Whether something painted at `height` or later covers a box. */
  isCovered(box: Box, height: number): boolean
}

/** An empty page, which is white. */
export function createGround(): Ground {
  const paints: Paint[] = []
  return {
    paint(paint) {
      if (paints.length < paintsMax) paints.push(paint)
    },
    get height() {
      return paints.length
    },
    colourAt(x, y) {
      if (paints.length === paintsMax) return null
      const last = paints.findLast(({ box }) => contains(box, x, y))
      return last === undefined ? 'ffffff' : last.colour
    },
    isCovered(box, height) {
      return paints.slice(height).some((paint) => paint.isWhole && liesOver(paint.box, box))
    },
  }
}

/** Drawings of hundreds of thousands of lines: beyond this number backgrounds are unknown, and text on them counts as seen. */
const paintsMax = 3000

/** Whether one box hides another one except for its rim. */
function liesOver(over: Box, box: Box): boolean {
  const { left, top, right, bottom } = intersection(over, box)
  const [width, height] = [box.right - box.left, box.bottom - box.top]
  return right - left >= width * coveredShare && bottom - top >= height * coveredShare
}

const coveredShare = 0.85

/** Whether a path is an upright rectangle. It is encoded as moveTo 0 and lineTo 1 with a point each, and closePath 4; others are curves. */
export function isRectangle(path: ArrayLike<number>): boolean {
  const xs = new Set<number>()
  const ys = new Set<number>()
  for (let at = 0; at < path.length; ) {
    const step = path[at++]
    if (step === 4) continue
    if (step !== 0 && step !== 1) return false
    xs.add(path[at++] as number)
    ys.add(path[at++] as number)
    if (xs.size > 2 || ys.size > 2) return false
  }
  return xs.size === 2 && ys.size === 2
}

/** The box of a path from its smallest and largest coordinates; null when it has none. */
export function pathBox(matrix: Matrix, extent: ArrayLike<number> | null | undefined): Box | null {
  const [left = Number.NaN, top = Number.NaN, right = Number.NaN, bottom = Number.NaN] = Array.from(extent ?? [])
  return [left, top, right, bottom].every(Number.isFinite) ? boxOf(matrix, left, top, right, bottom) : null
}
