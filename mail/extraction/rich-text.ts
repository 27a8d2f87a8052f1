/** RTF files. */
import { visibleText } from '../body/html-text.ts'
import { readRtf, readRtfFile } from '../containers/rtf.ts'
import { limits } from '../limits.ts'
import type { FileText, NamedFile } from './file-type.ts'

/** The text of an RTF file; if it contains HTML, what a person sees of that. Never throws. */
export function readRichText({ content }: NamedFile): FileText {
  const rtf = content.subarray(Math.max(0, content.indexOf('{\\rtf')))
  const { html } = readRtf(rtf)
  if (html !== null) return visibleText(html, { enough: limits.extractedCharsMax * 2 })
  const { text, unseen } = readRtfFile(rtf)
  return { text, hidden: unseen.map(({ kind, text: excerpt }) => ({ kind, excerpt })) }
}
