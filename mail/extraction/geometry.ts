/** Positions on a page: transformations (PDF 2.0, 8.3.3) and upright boxes. */

/** a b c d e f: x' = ax + cy + e, y' = bx + dy + f. */
export type Matrix = readonly [number, number, number, number, number, number]

export type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number }

export const identity: Matrix = [1, 0, 0, 1, 0, 0]

/** The transformation that does `inner` first, and then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer
  const [ia, ib, ic, id, ie, jf] = inner
  return [a * ia + c * ib, b * ia + d * ib, a * ic + c * id, b * ic + d * id, a * ie + c * jf + e, b * ie + d * jf + f]
}

export function place([a, b, c, d, e, f]: Matrix, x: number, y: number): readonly [x: number, y: number] {
  return [a * x + c * y + e, b * x + d * y + f]
}

/** The smallest upright box around a transformed box. */
export function boxOf(matrix: Matrix, left: number, top: number, right: number, bottom: number): Box {
  const corners = [
    place(matrix, left, top),
    place(matrix, right, top),
    place(matrix, left, bottom),
    place(matrix, right, bottom),
  ]
  const xs = corners.map(([x]) => x)
  const ys = corners.map(([, y]) => y)
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) }
}

export function intersection(one: Box, other: Box): Box {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  }
}

export function contains({ left, top, right, bottom }: Box, x: number, y: number): boolean {
  return x >= left && x <= right && y >= top && y <= bottom
}
