/** Reads the text of a file. Files of strangers are read only in the worker processes of `core/extraction`. */
import { type Hidden, hiddenExcerpt, stripInvisible } from '../encoding/invisible-characters.ts'
import { limits } from '../limits.ts'
import { type FileText, type FileType, fileTypeOf, type NamedFile } from './file-type.ts'

/** What a person reads in a file, and what is in it that nobody sees. */
export type ExtractedText = {
  /** Line ends are LF; at most `extractedCharsMax` code points. Never empty. */
  readonly text: string
  /** At most `hiddenMax`; hidden sheets, rows and columns, text without colour or size, comments. */
  readonly hidden: readonly Hidden[]
}

/**
 * Reads the text of a file as a person sees it. Null when there is none: for a picture or another type that is not read, and for an
 * empty file. Throws what the reader of the type throws when the file is broken, encrypted or larger than the limits.
 */
export async function readFile(file: NamedFile): Promise<ExtractedText | null> {
  const type = fileTypeOf(file)
  if (type === null) return null
  const read = await readers[type]()
  const found = await read(file)
  return found && finished(found)
}

type FileReader = (file: NamedFile) => FileText | null | Promise<FileText | null>

/** Each reader is loaded with the first file of its type. */
const readers: Readonly<Record<FileType, () => Promise<FileReader>>> = {
  plain: async () => (await import('./plain-text.ts')).readPlainText,
  html: async () => (await import('./html.ts')).readHtmlFile,
  compound: async () => (await import('./compound.ts')).readCompound,
  package: async () => (await import('./packages.ts')).readPackage,
  pdf: async () => (await import('./pdf.ts')).readPdf,
  rtf: async () => (await import('./rich-text.ts')).readRichText,
}

/** Cuts and tidies the text, and removes invisible characters. */
function finished(found: FileText): ExtractedText | null {
  const { text, hidden } = stripInvisible(tidied(found.text.slice(0, sourceCharsMax)))
  const first = text.length > extractedCharsMax ? [...text].slice(0, extractedCharsMax).join('') : text
  const reports = [...found.hidden.map(({ kind, excerpt }) => ({ kind, excerpt: hiddenExcerpt(excerpt) })), ...hidden]
  const kept = reports.filter(({ excerpt }) => excerpt !== '').slice(0, limits.hiddenMax)
  return /\S/.test(first) ? { text: first.trim(), hidden: kept } : null
}

const { extractedCharsMax } = limits
/** Zero-width characters may be between those that are wanted. */
const sourceCharsMax = extractedCharsMax * 8

/** Lines end with LF, without blanks before it; at most one empty line in a row. */
function tidied(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\f\v]/g, '\n')
    .replaceAll('\0', '')
    .replace(/[^\S\n]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
}
