/** Plain text, comma- and tab-separated values: the characters unchanged. */
import { limits } from '../limits.ts'
import { decodeFile } from '../message/text-file.ts'
import type { FileText, NamedFile } from './file-type.ts'

/** Decodes the beginning of a text file: by its byte order mark, else its declared charset, else a guess. Never throws. */
export function readPlainText({ contentType, content }: NamedFile): FileText {
  return { text: decodeFile(content.subarray(0, sourceBytesMax), charsetOf(contentType)), hidden: [] }
}

/** The charset parameter of a media type; null when there is none. */
export function charsetOf(contentType: string): string | null {
  return /;\s*charset\s*=\s*"?([^\s";]{1,40})/i.exec(contentType.slice(0, limits.mediaTypeCharsMax))?.[1] ?? null
}

/** Enough bytes for the wanted text in any charset, even with zero-width characters in it. */
const sourceBytesMax = limits.extractedCharsMax * 12
