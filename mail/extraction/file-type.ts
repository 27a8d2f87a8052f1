/** Tells what a file is: by its content first, then by what its sender says. */
import { isUtf8 } from 'node:buffer'
import type { Hidden } from '../encoding/invisible-characters.ts'
import { mediaTypeOf } from '../message/media-types.ts'

/** A file as it was sent: its name and type may be wrong. */
export type NamedFile = { readonly name: string; readonly contentType: string; readonly content: Buffer }

/** What the reader of a file type returns: text of any length, and hidden text that is not cut yet. */
export type FileText = { readonly text: string; readonly hidden: readonly Hidden[] }

/** The file types from which text is read. `package` and `compound` are containers of several of them. */
export type FileType = 'pdf' | 'rtf' | 'html' | 'plain' | 'package' | 'compound'

/**
 * The type of a file by the bytes it begins with; for text also by its declared type and name, because the same characters may be a
 * note or a program. Null for files that are not read as text: pictures, sound, archives, programs, data of other kinds. Looks only
 * at the beginning. Never throws.
 */
export function fileTypeOf({ name, contentType, content }: NamedFile): FileType | null {
  const head = content.subarray(0, headBytes)
  for (const [type, signature] of signatures) if (head.subarray(0, signature.length).equals(signature)) return type
  const declared = declaredType(contentType, name)
  const start = head.toString('latin1').replace(/^(?:\xef\xbb\xbf)?\s+/, '')
  if (start.startsWith('{\\rtf')) return 'rtf'
  // Programs open a PDF that has something else in front.
  if (declared === 'application/pdf' && start.includes('%PDF-')) return 'pdf'
  if (!isText(head)) return null
  if (isHtml(start.replaceAll('\0', ''), declared)) return 'html'
  return isPlainType(declared) ? 'plain' : null
}

const headBytes = 4096

const signatures: readonly (readonly [FileType, Buffer])[] = [
  ['pdf', Buffer.from('%PDF-')],
  ['package', Buffer.from('PK\x03\x04', 'latin1')],
  ['compound', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
]

/** The media type that a part declares, without parameters; the one of its name when it declares nothing useful. */
function declaredType(contentType: string, name: string): string {
  const declared = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return isUndeclared.test(declared) ? mediaTypeOf(name) : declared
}

const isUndeclared =
  /^(?:|text|application\/(?:octet-stream|binary|x-binary|force-download|x-download|download|unknown))$/

/** Whether bytes are text in some charset: without characters that only programs write, or with two or four bytes per character. */
function isText(head: Buffer): boolean {
  if (/^(?:\xff\xfe|\xfe\xff|\0\0\xfe\xff)/.test(head.toString('latin1', 0, 4))) return true
  // ESC, form feed and the controls of ISO-2022 occur in text; so does the end-of-file mark of old systems.
  return !head.some((byte) => byte < 0x20 && !textControls.has(byte)) || isPairs(head)
}

const textControls: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x1a, 0x1b])

/** Whether it is UTF-16 without a mark: nearly every other byte is zero, and the rest is text. */
function isPairs(head: Buffer): boolean {
  const zeros = [0, 0]
  for (const [at, byte] of head.entries()) if (byte === 0) (zeros[at % 2] as number)++
  const half = head.length / 2
  return (
    (zeros[0] === 0 || zeros[1] === 0) && Math.max(...zeros) > half * 0.7 && isUtf8(head.filter((byte) => byte !== 0))
  )
}

function isHtml(start: string, declared: string): boolean {
  const first = start.replace(/^(?:\ufeff|<\?xml[^>]*>|<!--.*?-->|\s)+/s, '')
  if (/^<(?:!doctype html|html|head|body)\b/i.test(first)) return true
  return (
    declared === 'text/html' ||
    declared === 'application/xhtml+xml' ||
    (isOfficeType(declared) && /^<(?:table|div|p|meta|style)\b/i.test(first))
  )
}

/** Media types of the formats that are read. Senders give text, HTML tables and lists of values the type of a program that opens them. */
const isOfficeType = (declared: string) =>
  /^application\/(?:pdf|rtf|x-rtf|msword|x-msword|vnd\.ms-(?:word|excel)|x-excel|x-msexcel|excel|vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.)/.test(
    declared,
  )

const isPlainType = (declared: string) => plainTypes.has(declared) || isOfficeType(declared)

const plainTypes: ReadonlySet<string> = new Set([
  'application/csv',
  'application/octet-stream',
  'application/x-csv',
  'application/x-tex',
  'text/comma-separated-values',
  'text/csv',
  'text/markdown',
  'text/plain',
  'text/rtf',
  'text/tab-separated-values',
  'text/tsv',
  'text/x-comma-separated-values',
  'text/x-csv',
  'text/x-log',
  'text/x-markdown',
])
