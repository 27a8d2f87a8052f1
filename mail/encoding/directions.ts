/** Controls of the direction of text (UAX 9). */

/**
 * Puts overridden letters in the order in which they are shown, and removes the overrides; `overridden` has what they
 * held, as it was written. An override ends with its line. Linear.
 */
export function inShownOrder(text: string): { readonly text: string; readonly overridden: readonly string[] } {
  if (!/[\u202d\u202e]/.test(text)) return { text, overridden: [] }
  const overridden: string[] = []
  const lines = text.split('\n').map((line) => lineInShownOrder(line, overridden))
  return { text: lines.join('\n'), overridden: overridden.slice(0, overriddenMax) }
}

const overriddenMax = 5
/** Deeper overrides are ignored. */
const overrideDepthMax = 8

/** `from` is the number of output pieces before it; `piece` is its index among the pieces of the line. */
type Override = { readonly isRight: boolean; readonly from: number; readonly piece: number }

function lineInShownOrder(line: string, overridden: string[]): string {
  if (!/[\u202d\u202e]/.test(line)) return line
  const pieces = line.split(directions)
  const out: string[] = []
  const open: (Override | null)[] = []
  const end = (piece: number) => {
    const last = open.pop()
    if (!last) return
    const held = out.splice(last.from).join('')
    const around = open.findLast((each) => each !== null)
    if (!around)
      overridden.push(
        pieces
          .slice(last.piece + 1, piece)
          .join('')
          .replace(directions, ''),
      )
    const isAsWritten = last.isRight === (around?.isRight ?? false) || /\p{Script=Hebrew}|\p{Script=Arabic}/u.test(held)
    out.push(isAsWritten ? held : mirrored(held))
  }
  for (const [n, piece] of pieces.entries()) {
    if (piece === '\u202d' || piece === '\u202e') {
      const isDeep = open.length >= overrideDepthMax
      open.push(isDeep ? null : { isRight: piece === '\u202e', from: out.length, piece: n })
    } else if (piece === embeddingEnd && open.length > 0) end(n)
    else out.push(piece)
  }
  while (open.length > 0) end(pieces.length)
  return out.join('')
}

/** Reverses the characters, and mirrors brackets. */
function mirrored(text: string): string {
  const characters = text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []
  return characters
    .map((one) => mirrors.get(one) ?? one)
    .reverse()
    .join('')
}

const mirrors: ReadonlyMap<string, string> = new Map(
  ['()', '[]', '{}', '<>', '«»'].flatMap(
    ([open = '', close = '']) =>
      [
        [open, close],
        [close, open],
      ] as const,
  ),
)

/**
 * Ends the direction controls of a line within it (UAX 9 2): embeddings and isolates that stay open are closed. Overrides,
 * which show letters in another order, and ends without a beginning are removed. Linear. Never throws.
 */
export function closeDirections(line: string): string {
  if (!directed.test(line)) return line
  const out: string[] = []
  const open: OpenDirection[] = []
  let isolates = 0
  const end = (): string => {
    const { closing, shown } = open.pop() as OpenDirection
    if (closing === isolateEnd) isolates--
    return shown ? closing : ''
  }
  for (const piece of line.split(directions)) {
    const opened = openings.get(piece)
    if (opened) {
      open.push(opened)
      if (opened.closing === isolateEnd) isolates++
      if (opened.shown) out.push(piece)
    } else if (piece === embeddingEnd) {
      if (open.at(-1)?.closing === embeddingEnd) out.push(end())
    } else if (piece === isolateEnd) {
      while (isolates > 0 && open.at(-1)?.closing !== isolateEnd) out.push(end())
      if (isolates > 0) out.push(end())
    } else out.push(piece)
  }
  while (open.length > 0) out.push(end())
  return out.join('')
}

/** Embeddings, overrides, isolates, and the characters that end them. */
const directed = /[\u202a-\u202e\u2066-\u2069]/
export const directions = /([\u202a-\u202e\u2066-\u2069])/g
const embeddingEnd = '\u202c'
const isolateEnd = '\u2069'

type OpenDirection = { readonly closing: string; readonly shown: boolean }

const embedding: OpenDirection = { closing: embeddingEnd, shown: true }
const override: OpenDirection = { closing: embeddingEnd, shown: false }
const isolate: OpenDirection = { closing: isolateEnd, shown: true }
const openings: ReadonlyMap<string, OpenDirection> = new Map([
  ['\u202a', embedding],
  ['\u202b', embedding],
  ['\u202d', override],
  ['\u202e', override],
  ['\u2066', isolate],
  ['\u2067', isolate],
  ['\u2068', isolate],
])
