/** Lays out the text of a document from its elements: paragraphs, tables, notes, and what of them is hidden. */
import type { Hidden } from '../encoding/invisible-characters.ts'
import { limits } from '../limits.ts'
import type { FileText } from './file-type.ts'

export type HiddenKind = Hidden['kind']

/**
 * A page is written from its beginning to its end. Paragraphs have lines of their own. The cells of a row share one line, with
 * tabs between them, unless one of them is longer than a line.
 */
export type Page = {
  text(text: string): void
  /** Begins a new line, unless one has just begun. */
  line(): void
  /** Adds text that nobody sees. Pieces of one kind with nothing visible between them are joined. */
  hide(kind: HiddenKind, text: string): void
  openRow(): void
  openCell(): void
  /** `count` is how often the cell or row is repeated. Empty ones at the end are left out. */
  closeCell(count?: number): void
  closeRow(count?: number): void
  /** Begins a note: what is written until `closeNote` goes to the end of the page. */
  openNote(): void
  closeNote(): void
  /** Whether the page has as much text as is wanted. */
  isFull(): boolean
  finished(): FileText
}

export function createPage(): Page {
  const hidden: { kind: HiddenKind; text: string; at: number }[] = []
  /** The page and the open cells; the last one is written to. The last of `rows` has the cells of the innermost row. */
  const outputs: Output[] = [{ pieces: [], isAtStart: true }]
  const rows: string[][] = []
  const notes: string[] = []
  let chars = 0
  const output = () => outputs.at(-1) as Output
  const page: Page = {
    text(text) {
      if (text === '' || page.isFull()) return
      output().pieces.push(text)
      output().isAtStart = text.endsWith('\n')
      chars += text.length
    },
    line() {
      const last = hidden.at(-1)
      if (last?.at === chars) last.text += ' '
      if (!output().isAtStart) page.text('\n')
    },
    hide(kind, text) {
      const last = hidden.at(-1)
      if (last !== undefined && last.kind === kind && last.at === chars) {
        if (last.text.length < limits.hiddenSourceCharsMax) last.text += text
      } else if (hidden.length < limits.hiddenMax * 2) hidden.push({ kind, text, at: chars })
    },
    openRow() {
      page.line()
      rows.push([])
    },
    openCell() {
      outputs.push({ pieces: [], isAtStart: true })
    },
    closeCell(count = 1) {
      if (outputs.length === 1) return
      const cell = textOf(outputs.pop())
      for (let n = 0; n < Math.min(count, repeatsMax); n++) rows.at(-1)?.push(cell)
    },
    closeRow(count = 1) {
      const row = rowOf(rows.pop() ?? [])
      for (let n = 0; n < Math.min(count, repeatsMax) && row !== ''; n++) {
        output().pieces.push(row)
        output().isAtStart = false
        page.line()
      }
    },
    openNote() {
      outputs.push({ pieces: [], isAtStart: true })
    },
    closeNote() {
      if (outputs.length > 1) notes.push(textOf(outputs.pop()))
    },
    isFull: () => chars > charsMax,
    finished() {
      while (outputs.length > 1) {
        page.closeCell()
        page.closeRow()
      }
      return {
        text: [textOf(outputs[0]), ...notes].join('\n'),
        hidden: hidden.map(({ kind, text }) => ({ kind, excerpt: text })),
      }
    },
  }
  return page
}

/** Where text is written; `isAtStart` says that a line has begun and is still empty. */
type Output = { readonly pieces: string[]; isAtStart: boolean }

/** The cells of a row on one line, or below each other when one of them is a long text. */
function rowOf(cells: readonly string[]): string {
  const isLong = cells.some((cell) => cell.length > cellCharsMax)
  if (isLong) return cells.filter((cell) => cell !== '').join('\n')
  return cells
    .map((cell) => cell.replace(/\s*\n\s*/g, ' '))
    .join('\t')
    .trimEnd()
}

const textOf = (output: Output | undefined) => output?.pieces.join('').trim() ?? ''

/** Code points may take two characters, and some text is removed later. */
const charsMax = limits.extractedCharsMax * 4
const cellCharsMax = 300
/** Most repetitions of a cell or row: more of the same says nothing. */
const repeatsMax = 50
