/** Notices of confidentiality and the like below a mail. */

import { notice, noticeHeading } from './signature-words.ts'

/** How many lines are searched for notices. */
const noticeLinesMax = 60

/** A notice says what it is about within this many characters, however long it is. */
const noticeCharsMax = 1_500

/** How many aspects make a notice by itself, and how many below a signature. */
export const noticeAspects = notice.length
export const footerAspects = 2

/** Where the notices at the end begin; `end` when there are none. */
export function noticeStart(lines: readonly string[], end: number, aspectsMin: number): number {
  let start = end
  let to = end
  while (to > 0 && end - to < noticeLinesMax) {
    while (to > 0 && (lines[to - 1] as string).trim() === '') to--
    let from = to
    while (from > 0 && end - from < noticeLinesMax && (lines[from - 1] as string).trim() !== '') from--
    const paragraph = lines.slice(from, to).join(' ')
    if (!isNotice(paragraph, aspectsMin) && !(start < end && noticeHeading.test(paragraph))) break
    start = from + headOf(lines.slice(from, to), aspectsMin)
    to = from
    if (start > from) break
  }
  return start
}

/** How many lines of a paragraph precede its notice: a signature that no blank line separates from it. */
function headOf(paragraph: readonly string[], aspectsMin: number): number {
  for (let at = paragraph.length - 1; at > 0; at--) {
    const mayBegin = (paragraph[at - 1] as string).length < 60 && /^\s*[\p{Lu}\p{Lo}*_]/u.test(paragraph[at] as string)
    if (mayBegin && isNotice(paragraph.slice(at).join(' '), aspectsMin)) return at
  }
  return 0
}

function isNotice(paragraph: string, aspectsMin: number): boolean {
  if (paragraph.length <= 40) return false
  const beginning = paragraph.slice(0, noticeCharsMax)
  let missing = 0
  return notice.every((aspect) => aspect.test(beginning) || ++missing <= notice.length - aspectsMin)
}
