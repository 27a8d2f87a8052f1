/** The text of a file. Only worker processes of `core/extraction` read files of strangers so. */
import { type Hidden, hiddenExcerpt, stripInvisible } from '../encoding/invisible-characters.ts'
import { limits } from '../limits.ts'
import { type FileText, type FileType, fileTypeOf, type NamedFile } from './file-type.ts'

/** What a person reads of a file, and what is in it that nobody sees. */
export type ExtractedText = {
  /** Line ends are LF; at most `extractedCharsMax` code points. Never empty. */
  readonly text: string
  /** At most `hiddenMax`; hidden sheets, rows and columns, text without colour or size, comments. */
  readonly hidden: readonly Hidden[]
}

/**
 * Reads the text of a file as a person sees it. Null where there is none: a picture or another form that is not read, an empty file.
 * Throws whatever a reader throws at a file that is broken, encrypted or larger than the limits.
 */
export async function readFile(file: NamedFile): Promise<ExtractedText | null> {
  const type = fileTypeOf(file)
  if (type === null) return null
  const read = await readers[type]()
  const found = await read(file)
  return found && finished(found)
}

type FileReader = (file: NamedFile) => FileText | null | Promise<FileText | null>

/** Each is loaded with the first file of its form. */
const readers: Readonly<Record<FileType, () => Promise<FileReader>>> = {
  plain: async () => (await import('./plain-text.ts')).readPlainText,
  html: async () => (await import('./html.ts')).readHtmlFile,
  compound: async () => (await import('./compound.ts')).readCompound,
  package: async () => (await import('./packages.ts')).readPackage,
  pdf: async () => (await import('./pdf.ts')).readPdf,
  rtf: async () => (await import('./rich-text.ts')).readRichText,
}

/** Cuts, tidies, and takes out what no letter shows. */
function finished(found: FileText): ExtractedText | null {
  const { text, hidden } = stripInvisible(tidied(found.text.slice(0, sourceCharsMax)))
  const first = text.length > extractedCharsMax ? [...text].slice(0, extractedCharsMax).join('') : text
  const reports = [...found.hidden.map(({ kind, excerpt }) => ({ kind, excerpt: hiddenExcerpt(excerpt) })), ...hidden]
  const told = reports.filter(({ excerpt }) => excerpt !== '').slice(0, limits.hiddenMax)
  return /\S/.test(first) ? { text: first.trim(), hidden: told } : null
}

const { extractedCharsMax } = limits
/** Characters without width may stand between those that are wanted. */
const sourceCharsMax = extractedCharsMax * 8

/** Lines end with LF, without blanks in front of it; one empty line at most between them. */
function tidied(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\f\v]/g, '\n')
    .replaceAll('\0', '')
    .replace(/[^\S\n]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
}
