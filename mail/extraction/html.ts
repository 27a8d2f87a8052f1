/** HTML files, read as HTML bodies are. */
import { isAscii, isUtf8 } from 'node:buffer'
import { visibleText } from '../body/html-text.ts'
import { limits } from '../limits.ts'
import { decodeFile } from '../message/text-file.ts'
import type { FileText, NamedFile } from './file-type.ts'
import { charsetOf } from './plain-text.ts'

/** The text that a person sees of an HTML file. Never throws. */
export function readHtmlFile({ contentType, content }: NamedFile): FileText {
  const source = content.subarray(0, limits.htmlCharsMax * 2)
  const html = decodeFile(source, charsetOf(contentType) ?? charsetInside(source))
  const { text, hidden } = visibleText(html, { enough: limits.extractedCharsMax * 2 })
  return { text, hidden }
}

/** The charset that the file itself declares in its first kilobyte (HTML Standard 13.2.3.2), unless its bytes are clearly UTF-8. */
function charsetInside(source: Buffer): string | null {
  if (isUtf8(source) && !isAscii(source)) return null
  const head = source.toString('latin1', 0, 1024)
  const charset = /<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1] ?? null
  return charset !== null && /^utf-?(?:16|32)/i.test(charset) ? null : charset
}
