/** Word documents of Word 97 to 2003 (.doc; [MS-DOC]). */
import type { FileText } from './file-type.ts'
import { hidesText, type Piece, piecesOf, type Run, readFormats, rowEndsIn } from './old-word-tables.ts'
import { createPage, type HiddenKind, type Page } from './page.ts'

/**
 * The text of a document: headers, body, notes, boxes, footers. Results of fields are text, their codes are not; hidden and deleted text
 * and comments are reported as hidden. `stream` finds a stream of the file by name. Throws when the file is broken, encrypted, or older.
 */
export function readOldWordDocument(document: Buffer, stream: (name: string) => Buffer | null): FileText {
  const flags = document.readUInt16LE(0x0a)
  if (document.readUInt16LE(0) !== signature || document.readUInt16LE(2) < nFibMin)
    throw new Error('This is not a document of Word 97 or later.')
  if (flags & encryptedFlag) throw new Error('The document is encrypted.')
  const tables = stream(flags & firstTableFlag ? '1Table' : '0Table')
  if (tables === null) throw new Error('The document lacks its table stream.')
  const source: Source = {
    document,
    pieces: piecesOf(document, tables),
    hidden: readFormats(document, tables, hidesText),
    rowEnds: readFormats(document, tables, rowEndsIn),
  }
  const stories = storiesOf(document)
  const headers = headersOf(document, tables, stories.headers)
  const { body, footnotes, endnotes, boxes, headerBoxes } = stories
  const page = createPage()
  for (const story of [...headers.top, body, footnotes, endnotes, boxes, headerBoxes, ...headers.bottom])
    writeStory(page, source, story)
  const comments = createPage()
  writeStory(comments, source, stories.comments)
  page.hide('comment', comments.finished().text)
  return page.finished()
}

/** 2.5.1; Word 97. */
const signature = 0xa5ec
const nFibMin = 0x00c1
const encryptedFlag = 0x0100
const firstTableFlag = 0x0200

/** Characters of the document by their numbers, `from` to `to` (exclusive). */
type Story = { readonly from: number; readonly to: number }

type Source = {
  readonly document: Buffer
  readonly pieces: readonly Piece[]
  readonly hidden: readonly Run<HiddenKind>[]
  readonly rowEnds: readonly Run<true>[]
}

/** 2.5.4: the texts of the document follow one another. */
function storiesOf(document: Buffer) {
  let at = 0
  const next = (offset: number): Story => {
    const from = at
    at += document.readUInt32LE(offset)
    return { from, to: at }
  }
  return {
    body: next(0x4c),
    footnotes: next(0x50),
    headers: next(0x54),
    comments: next(0x5c),
    endnotes: next(0x60),
    boxes: next(0x64),
    headerBoxes: next(0x68),
  }
}

/** 2.8.22: after six separators of notes there are, for each section, the headers and footers of even, odd and first pages. */
function headersOf(document: Buffer, tables: Buffer, { from }: Story): { top: Story[]; bottom: Story[] } {
  const [at, size] = [document.readUInt32LE(0xf2), document.readUInt32LE(0xf6)]
  const found: { top: Story[]; bottom: Story[] } = { top: [], bottom: [] }
  const count = Math.min(Math.floor(size / 4) - 2, separators + storiesOfSection * sectionsMax)
  for (let n = separators; n < count; n++) {
    const story = { from: from + tables.readUInt32LE(at + n * 4), to: from + tables.readUInt32LE(at + n * 4 + 4) }
    const isTop = [0, 1, 4].includes((n - separators) % storiesOfSection)
    found[isTop ? 'top' : 'bottom'].push(story)
  }
  return found
}

const separators = 6
const storiesOfSection = 6
/** Most sections whose headers are read. */
const sectionsMax = 4

/** Marks that stand for other characters, or for none (2.4.1). */
const marks: ReadonlyMap<string, string> = new Map([
  ['\x07', '\t'],
  ['\x0b', '\n'],
  ['\x0c', '\n'],
  ['\x0d', '\n'],
  ['\x0e', '\n'],
  ['\x1e', '\u2011'],
])

const [fieldBegin, fieldSeparator, fieldEnd] = ['\x13', '\x14', '\x15']

function writeStory(page: Page, source: Source, { from, to }: Story): void {
  /** For each open field, whether its code is being read, which is not text. */
  const fields: boolean[] = []
  page.line()
  for (const { text, hiding, isRowEnd } of stretches(source, from, to)) {
    if (page.isFull()) return
    if (isRowEnd) page.line()
    else {
      let seen = ''
      for (const char of text) {
        if (char === fieldBegin) fields.push(true)
        else if (char === fieldSeparator && fields.length > 0) fields[fields.length - 1] = false
        else if (char === fieldEnd) fields.pop()
        else if (!fields.includes(true)) seen += marks.get(char) ?? (char < ' ' && char !== '\t' ? '' : char)
      }
      if (hiding === null) page.text(seen)
      else page.hide(hiding, seen)
    }
  }
  page.line()
}

type Stretch = { readonly text: string; readonly hiding: HiddenKind | null; readonly isRowEnd: boolean }

/** The characters from one number to another, in stretches that are hidden or visible as a whole. */
function* stretches({ document, pieces, hidden, rowEnds }: Source, from: number, to: number): Generator<Stretch> {
  for (const piece of pieces) {
    const [first, last] = [Math.max(from, piece.from), Math.min(to, piece.to)]
    if (first >= last) continue
    const width = piece.isWide ? 2 : 1
    const end = piece.at + (last - piece.from) * width
    for (let at = piece.at + (first - piece.from) * width; at < end; ) {
      const hiding = runAt(hidden, at)
      const rowEnd = runAt(rowEnds, at)
      const next = Math.min(end, hiding.to, rowEnd.to)
      const stop = next > at + width ? next - ((next - at) % width) : at + width
      const bytes = document.subarray(at, stop)
      yield {
        text: piece.isWide ? bytes.toString('utf16le') : western.decode(bytes),
        hiding: hiding.value,
        isRowEnd: rowEnd.value !== null,
      }
      at = stop
    }
  }
}

const western = new TextDecoder('windows-1252')

/** The run at an offset of the stream, or a null value up to the next run. Runs are sorted by offset. */
function runAt<T>(runs: readonly Run<T>[], at: number): { readonly value: T | null; readonly to: number } {
  let [low, high] = [0, runs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((runs[middle] as Run<T>).to <= at) low = middle + 1
    else high = middle
  }
  const run = runs[low]
  if (run === undefined) return { value: null, to: Number.POSITIVE_INFINITY }
  return run.from <= at ? run : { value: null, to: run.from }
}
