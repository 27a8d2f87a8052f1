/** Shapes that cut away parts of an element: clips and masks (CSS Masking 1, CSS Shapes 1). */
import type { Declarations } from './css-syntax.ts'
import { functionsOf, numberOf, paintOf } from './css-values.ts'

/** Whether a clip leaves nothing that can be read. */
export function isClipped(style: Declarations): boolean {
  const shapes = ['clip', 'clip-path', '-webkit-clip-path'].flatMap((name) => functionsOf(style.get(name) ?? '') ?? [])
  return shapes.some(({ name, given }) => {
    const numbers = given.map((each) => numberOf(each) ?? Number.NaN)
    const [top = Number.NaN, right = top, bottom = top, left = right] = numbers
    if (name === 'rect') return right - left <= 1 || bottom - top <= 1
    if (name === 'inset') return top + bottom >= 100 || left + right >= 100
    if (name === 'circle') return top <= 1
    if (name === 'ellipse') return top <= 1 || right <= 1
    if (name === 'xywh') return right <= 1 || bottom <= 1
    // A path that draws nothing, because it only moves to its start.
    if (name === 'path') return /^["']\s*(?:m[\s\d.-]*)?z?\s*["']$/i.test(given.join(' '))
    return name === 'polygon' && numbers.length >= 2 && areaOf(numbers.filter((each) => !Number.isNaN(each))) < 1
  })
}

/** The area of a polygon given as alternating x and y. */
function areaOf(points: readonly number[]): number {
  let twice = 0
  for (let i = 0; i + 1 < points.length; i += 2) {
    const [x, y] = [points[i] as number, points[i + 1] as number]
    const next = (i + 2) % points.length
    twice += x * ((points[next + 1] ?? points[1]) as number) - ((points[next] ?? points[0]) as number) * y
  }
  return Math.abs(twice) / 2
}

/** Whether a mask lets nothing through: it has only transparent gradients, or no size. */
export function isMasked(style: Declarations): boolean {
  return ['', '-webkit-'].some((prefix) => {
    const size = style.get(`${prefix}mask-size`)
    const picture = style.get(`${prefix}mask-image`) ?? style.get(`${prefix}mask`) ?? ''
    if (picture === '' || picture === 'none') return false
    if (size !== undefined && /^[+-]?0(?:[a-z]+|%)?(?:\s|$)/.test(size)) return true
    const gradients = functionsOf(picture.slice(0, pictureCharsMax)) ?? []
    return gradients.length > 0 && gradients.every(({ name, given }) => name.endsWith('-gradient') && isClear(given))
  })
}

/** Longer pictures are files embedded in the style. */
const pictureCharsMax = 1000

function isClear(stops: readonly string[]): boolean {
  const paints = stops.map(paintOf).filter((paint) => paint !== null)
  return paints.length > 0 && paints.every(([, , , alpha]) => alpha < 0.1)
}
