/** Finds the glyphs of a page of a PDF with their positions, and tells which of them a person sees. */
import { OPS, type PageViewport } from 'unpdf/pdfjs'
import { isNear } from './colours.ts'
import { type Box, boxOf, contains, identity, intersection, type Matrix, multiply, place } from './geometry.ts'
import type { HiddenKind } from './page.ts'
import { createGround, type Ground, isRectangle, pathBox } from './pdf-ground.ts'

/** The text of one operator: the direction of its base line, its height in points, and its glyphs in the order of the file. */
export type GlyphRun = {
  readonly direction: readonly [x: number, y: number]
  readonly size: number
  readonly glyphs: readonly Glyph[]
}

/** A letter or a blank: where its base line begins and ends, in points from the upper left corner. */
export type Glyph = { readonly text: string; readonly start: Point; readonly end: Point }
type Point = readonly [x: number, y: number]

export type HiddenRuns = { readonly kind: HiddenKind; readonly glyphs: readonly GlyphRun[] }

/** What PDF.js provides about a page. */
export type PageSource = {
  readonly operators: { readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] }
  fontOf(name: string): unknown
  /** Which layers are shown. */
  readonly layers: { isVisible(group: never): boolean }
  readonly viewport: PageViewport
}

export function glyphsOf(source: PageSource): { readonly seen: GlyphRun[]; readonly hidden: HiddenRuns[] } {
  const { operators, viewport } = source
  const walk: Walk = {
    source,
    ground: createGround(),
    page: { left: 0, top: 0, right: viewport.width, bottom: viewport.height },
    state: firstState(viewport.transform as unknown as Matrix),
    saved: [],
    layers: [],
    runs: [],
    glyphs: 0,
  }
  for (const [at, operator] of operators.fnArray.entries()) {
    steps.get(operator)?.(walk, (operators.argsArray[at] ?? []) as never)
    if (walk.glyphs > glyphsMax) break
  }
  const seen: GlyphRun[] = []
  const hidden: { kind: HiddenKind; glyphs: GlyphRun[] }[] = []
  for (const { run, box, height, hiding } of walk.runs) {
    const kind = hiding ?? (walk.ground.isCovered(box, height) ? 'covered' : null)
    if (kind === null) seen.push(run)
    else if (hidden.at(-1)?.kind === kind) hidden.at(-1)?.glyphs.push(run)
    else hidden.push({ kind, glyphs: [run] })
  }
  return { seen, hidden }
}

/** More glyphs than any page has. */
const glyphsMax = 100_000

/** The graphics state (8.4), as far as text and backgrounds need it. A colour is null when it is a pattern. */
type State = {
  matrix: Matrix
  clip: Box | null
  fill: string | null
  stroke: string | null
  alpha: number
  isBlended: boolean
  lineWidth: number
  font: Font | null
  size: number
  mode: number
  charSpacing: number
  wordSpacing: number
  scale: number
  leading: number
  rise: number
  textMatrix: Matrix
  /** The beginning of the line, and the position of the next glyph in it. */
  line: Point
  at: Point
  /** Whether the matrix has changed since the state was saved, and nothing was painted since: then a picture was left out there. */
  isMoved: boolean
}

type Font = { readonly widthScale: number; readonly isVertical: boolean; readonly isDrawn: boolean }

type Walk = {
  readonly source: PageSource
  readonly ground: Ground
  readonly page: Box
  state: State
  readonly saved: State[]
  /** For each open marked content, whether it is shown. */
  readonly layers: boolean[]
  readonly runs: {
    readonly run: GlyphRun
    readonly box: Box
    readonly height: number
    readonly hiding: HiddenKind | null
  }[]
  glyphs: number
}

function firstState(matrix: Matrix): State {
  return {
    matrix,
    clip: null,
    fill: '000000',
    stroke: '000000',
    alpha: 1,
    isBlended: false,
    lineWidth: 1,
    font: null,
    size: 0,
    mode: 0,
    charSpacing: 0,
    wordSpacing: 0,
    scale: 1,
    leading: 0,
    rise: 0,
    textMatrix: identity,
    line: [0, 0],
    at: [0, 0],
    isMoved: false,
  }
}

/** What an operator does. Each has arguments of its own, as the library makes them; its step declares them. */
type Step = (walk: Walk, args: never) => void
type GraphicsEntries = readonly (readonly [string, unknown])[]
type PathArguments = readonly [operator: number, paths: readonly [ArrayLike<number>?], extent: ArrayLike<number>]

const colourOf = (written: unknown) => (typeof written === 'string' ? written.slice(1) : null)

/** Sets a value of the state. */
const set =
  <K extends keyof State>(key: K, read: (value: never) => State[K] = (value) => value): Step =>
  ({ state }, [value]: readonly [unknown]) => {
    state[key] = read(value as never)
  }

/** What each operator does (Annex A), by the names of PDF.js. */
const steps: ReadonlyMap<number, Step> = new Map<number, Step>([
  [OPS.save, save],
  [OPS.restore, restore],
  [OPS.transform, transform],
  [OPS.setGState, (walk, [entries]: readonly [GraphicsEntries]) => setGraphicsState(walk, entries)],
  [OPS.setLineWidth, set('lineWidth')],
  [OPS.setFillRGBColor, set('fill', colourOf)],
  [OPS.setFillTransparent, set('fill', () => null)],
  [OPS.setFillColorN, set('fill', () => null)],
  [OPS.setStrokeRGBColor, set('stroke', colourOf)],
  [OPS.setStrokeTransparent, set('stroke', () => null)],
  [OPS.setStrokeColorN, set('stroke', () => null)],
  [
    OPS.constructPath,
    (walk, [operator, [path], extent]: PathArguments) => paintPath(walk, operator, path ?? [], extent),
  ],
  [OPS.shadingFill, (walk) => walk.ground.paint({ box: walk.state.clip ?? walk.page, colour: null, isWhole: false })],
  [OPS.paintImageXObject, paintPicture],
  [OPS.paintInlineImageXObject, paintPicture],
  [OPS.paintImageMaskXObject, paintPicture],
  [OPS.paintSolidColorImageMask, paintPicture],
  [OPS.paintFormXObjectBegin, beginForm],
  [OPS.paintFormXObjectEnd, restore],
  [OPS.beginGroup, save],
  [OPS.endGroup, restore],
  [OPS.beginAnnotation, beginAnnotation],
  [OPS.endAnnotation, restore],
  [OPS.beginMarkedContent, ({ layers }) => layers.push(true)],
  [
    OPS.beginMarkedContentProps,
    ({ layers, source }, [tag, group]: readonly [unknown, unknown]) =>
      layers.push(tag !== 'OC' || source.layers.isVisible(group as never)),
  ],
  [OPS.endMarkedContent, ({ layers }) => layers.pop()],
  [OPS.beginText, beginText],
  [OPS.setCharSpacing, set('charSpacing')],
  [OPS.setWordSpacing, set('wordSpacing')],
  [OPS.setHScale, set('scale', (percent: number) => percent / 100)],
  [OPS.setLeading, set('leading', (leading: number) => -leading)],
  [OPS.setFont, setFont],
  [OPS.setTextRenderingMode, set('mode')],
  [OPS.setTextRise, set('rise')],
  [OPS.moveText, ({ state }, [x, y]: readonly [number, number]) => moveText(state, x, y)],
  [OPS.setLeadingMoveText, moveWithLeading],
  [OPS.setTextMatrix, setTextMatrix],
  [OPS.nextLine, ({ state }) => moveText(state, 0, state.leading)],
  [OPS.showText, (walk, [glyphs]: readonly [Parameters<typeof showText>[1]]) => showText(walk, glyphs)],
])

function save({ state, saved }: Walk): void {
  saved.push({ ...state })
  state.isMoved = false
}

function restore(walk: Walk): void {
  if (walk.state.isMoved) paintPicture(walk)
  walk.state = walk.saved.pop() ?? walk.state
}

function transform({ state }: Walk, matrix: Matrix): void {
  state.matrix = multiply(state.matrix, matrix)
  state.isMoved = true
}

function setGraphicsState({ state }: Walk, entries: GraphicsEntries): void {
  for (const [key, value] of entries) {
    if (key === 'ca') state.alpha = value as number
    else if (key === 'BM') state.isBlended = value !== 'source-over' && value !== 'normal' && value !== 'Normal'
    else if (key === 'LW') state.lineWidth = value as number
  }
}

const fills: ReadonlySet<number> = new Set([
  OPS.fill,
  OPS.eoFill,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
])
const strokes: ReadonlySet<number> = new Set([OPS.stroke, OPS.closeStroke])
/** In points; thinner lines are not a background. */
const lineWidthMin = 3

/** Paints a path. A path that is not painted is a clip; if it is not a rectangle, its box is used, which is larger. */
function paintPath(
  { state, ground }: Walk,
  operator: number,
  path: ArrayLike<number>,
  extent: ArrayLike<number>,
): void {
  state.isMoved = false
  const box = pathBox(state.matrix, extent)
  if (box === null) return
  if (operator === OPS.endPath) {
    state.clip = state.clip === null ? box : intersection(state.clip, box)
    return
  }
  const painted = state.clip === null ? box : intersection(box, state.clip)
  if (fills.has(operator)) {
    const isPlain = isRectangle(path) && state.alpha >= opaqueMin && !state.isBlended
    ground.paint({ box: painted, colour: isPlain ? state.fill : null, isWhole: isPlain && state.fill !== null })
  } else if (strokes.has(operator) && state.lineWidth >= lineWidthMin)
    ground.paint({ box: widened(painted, state.lineWidth), colour: null, isWhole: false })
}

const opaqueMin = 0.95

function widened({ left, top, right, bottom }: Box, by: number): Box {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by }
}

/** A picture fills the unit square; what it shows is unknown. */
function paintPicture({ state, ground }: Walk): void {
  state.isMoved = false
  ground.paint({ box: boxOf(state.matrix, 0, 0, 1, 1), colour: null, isWhole: false })
}

function beginForm(walk: Walk, [matrix, bounds]: readonly [Matrix | null, ArrayLike<number> | null]): void {
  save(walk)
  const { state } = walk
  if (matrix !== null) state.matrix = multiply(state.matrix, Array.from(matrix) as unknown as Matrix)
  const box = pathBox(state.matrix, bounds)
  if (box !== null) state.clip = state.clip === null ? box : intersection(state.clip, box)
}

function beginAnnotation(walk: Walk, [, , move, matrix]: readonly [string, unknown, Matrix, Matrix]): void {
  save(walk)
  const base = walk.source.viewport.transform as unknown as Matrix
  walk.state = { ...firstState(multiply(multiply(base, move), matrix)) }
}

function beginText({ state }: Walk): void {
  state.isMoved = false
  state.textMatrix = identity
  state.line = [0, 0]
  state.at = [0, 0]
}

function setFont({ state, source }: Walk, [name, size]: readonly [string, number]): void {
  const { fontMatrix, vertical, isType3Font } = (source.fontOf(name) ?? {}) as FontData
  state.font = { widthScale: fontMatrix?.[0] ?? 0.001, isVertical: vertical === true, isDrawn: isType3Font === true }
  state.size = size
}

type FontData = { readonly fontMatrix?: readonly number[]; readonly vertical?: boolean; readonly isType3Font?: boolean }

function moveText(state: State, x: number, y: number): void {
  state.line = [state.line[0] + x, state.line[1] + y]
  state.at = state.line
}

function moveWithLeading({ state }: Walk, [x, y]: readonly [number, number]): void {
  state.leading = y
  moveText(state, x, y)
}

function setTextMatrix({ state }: Walk, args: readonly unknown[]): void {
  const matrix = typeof args[0] === 'number' ? args : (args[0] as ArrayLike<number>)
  state.textMatrix = Array.from(matrix as ArrayLike<number>) as unknown as Matrix
  state.line = [0, 0]
  state.at = [0, 0]
}

/** A glyph as the library describes it, or a distance in thousandths of the size by which the next one moves back. */
type Shown =
  | number
  | {
      readonly unicode?: string
      readonly width?: number
      readonly isSpace?: boolean
      readonly vmetric?: readonly number[] | null
    }

/** 9.4.4. */
function showText(walk: Walk, shown: readonly Shown[]): void {
  const { state } = walk
  const { font, size, charSpacing, wordSpacing, scale } = state
  state.isMoved = false
  if (font === null) return
  const matrix = multiply(state.matrix, state.textMatrix)
  let [x, y] = state.at
  const glyphs: Glyph[] = []
  for (const each of shown) {
    const start = place(matrix, x, y + state.rise)
    if (typeof each === 'number') {
      const distance = (each * size) / 1000
      if (font.isVertical) y -= distance
      else x -= distance * scale
      continue
    }
    const { unicode = '', width = 0, isSpace = false, vmetric } = each
    const spacing = charSpacing + (isSpace ? wordSpacing : 0)
    if (font.isVertical) y += (vmetric?.[0] ?? -1000) * size * font.widthScale - spacing
    else x += (width * size * font.widthScale + spacing) * scale
    // Without the spacing after the glyph, which is not part of it.
    const end = place(matrix, font.isVertical ? x : x - spacing * scale, font.isVertical ? y + spacing : y + state.rise)
    glyphs.push({ text: unicode, start, end })
  }
  state.at = [x, y]
  walk.glyphs += glyphs.length
  if (glyphs.length > 0) addRun(walk, glyphs, matrix)
}

function addRun({ state, ground, layers, page, runs }: Walk, glyphs: readonly Glyph[], matrix: Matrix): void {
  const isVertical = state.font?.isVertical === true
  const [a, b, c, d] = matrix
  const [ux, uy] = isVertical ? [-c, -d] : [a, b]
  const length = Math.hypot(ux, uy) || 1
  const height = Math.abs(state.size) * Math.hypot(c, d)
  const run: GlyphRun = {
    direction: [(ux * Math.sign(state.size || 1)) / length, (uy * Math.sign(state.size || 1)) / length],
    size: height,
    glyphs,
  }
  const box = boxAround(glyphs, isVertical ? height / 2 : 0, height)
  const at: Point = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  runs.push({ run, box, height: ground.height, hiding: hidingOf(state, at, height, { ground, layers, page }) })
}

/** The box of the letters of upright text, whose base line is their lower edge; for other directions an approximation. */
function boxAround(glyphs: readonly Glyph[], beside: number, height: number): Box {
  const xs = glyphs.flatMap(({ start, end }) => [start[0], end[0]])
  const ys = glyphs.flatMap(({ start, end }) => [start[1], end[1]])
  return {
    left: Math.min(...xs) - beside,
    right: Math.max(...xs) + beside,
    top: Math.min(...ys) - height * 0.6,
    bottom: Math.max(...ys),
  }
}

function hidingOf(
  state: State,
  [x, y]: Point,
  height: number,
  { ground, layers, page }: Pick<Walk, 'ground' | 'layers' | 'page'>,
): HiddenKind | null {
  const { mode, fill, stroke, alpha, clip, font } = state
  if (layers.includes(false)) return 'display_none'
  if (mode === invisible || alpha < visibleAlphaMin) return 'transparent'
  if (height < sizeMin && font?.isDrawn === false) return 'zero_size'
  if (!contains(page, x, y) || (clip !== null && !contains(widened(clip, height), x, y))) return 'off_screen'
  const colours = mode === 0 || mode === 4 ? [fill] : mode === 1 || mode === 5 ? [stroke] : [fill, stroke]
  const under = ground.colourAt(x, y)
  return colours.every((colour) => colour !== null && under !== null && isNear(colour, under)) ? 'same_colour' : null
}

const invisible = 3
const visibleAlphaMin = 0.05
/** In points; nobody can read anything smaller. */
const sizeMin = 1.6
