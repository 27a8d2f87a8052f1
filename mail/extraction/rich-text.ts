/** RTF files. */

import { visibleText } from '../body/html-text.ts'
import { readRtf } from '../containers/rtf.ts'
import { limits } from '../limits.ts'
import type { FileText, NamedFile } from './file-type.ts'

/** The text of an RTF file; of one that carries HTML what a person sees of that. Never throws. */
export function readRichText({ content }: NamedFile): FileText {
  const { html, text } = readRtf(content.subarray(Math.max(0, content.indexOf('{\\rtf'))))
  if (html === null) return { text: text ?? '', hidden: [] }
  return visibleText(html, { enough: limits.extractedCharsMax * 2 })
}
