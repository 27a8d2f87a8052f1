/** Files embedded in plain text, as Usenet and old mail programs send them: uuencode and yEnc. */

import { decodeUuLines, decodeYenc } from '../encoding/transfer.ts'
import { limits } from '../limits.ts'

export type InlineFile = { readonly name: string; readonly bytes: Buffer }

/**
 * Finds the files in the content of a text part; `text` is the content without them. Null when there are none, which takes one
 * search. A file counts only if its end line is found. At most `inlineFilesMax`. Linear. Never throws.
 */
export function readInlineFiles(
  content: Buffer,
): { readonly text: Buffer; readonly files: readonly InlineFile[] } | null {
  const files: InlineFile[] = []
  const text: Buffer[] = []
  let open: readonly Form[] = forms
  let kept = 0
  let position = 0
  while (files.length < limits.inlineFilesMax) {
    const start = nextStart(content, position, open)
    if (start === null) break
    const { form } = start
    const end = content.indexOf(form.end, start.next - 1, 'latin1')
    position = start.next
    if (end < 0) {
      open = open.filter((each) => each !== form) // no later file of this form ends either
      continue
    }
    files.push({ name: start.name, bytes: form.decode(content.subarray(start.next, end + 1)) })
    text.push(content.subarray(kept, start.at))
    const feed = content.indexOf(0x0a, end + 1)
    kept = feed < 0 ? content.length : feed + 1
    position = kept
  }
  if (files.length === 0) return null
  text.push(content.subarray(kept))
  return { text: Buffer.concat(text), files }
}

type Form = {
  /** The start of its first line; the pattern finds the file name. */
  readonly begin: string
  readonly pattern: RegExp
  readonly end: string
  readonly decode: (lines: Buffer) => Buffer
}

const forms: readonly Form[] = [
  { begin: 'begin ', pattern: /^begin [0-7]{3,4} (\S.*)$/, end: '\nend', decode: decodeUuLines },
  { begin: '=ybegin ', pattern: /^=ybegin (?:.* )?name=(.+)$/, end: '\n=yend ', decode: decodeYenc },
]

/** Longest first line of a file. */
const startCharsMax = 300

/** `at` is the offset of the first line of the file, `next` the offset after that line. */
type Start = { readonly form: Form; readonly at: number; readonly next: number; readonly name: string }

function nextStart(content: Buffer, from: number, open: readonly Form[]): Start | null {
  const starts = open.map((form) => startOf(content, from, form)).filter((start) => start !== null)
  return starts.reduce<Start | null>((first, start) => (first !== null && first.at < start.at ? first : start), null)
}

function startOf(content: Buffer, from: number, form: Form): Start | null {
  const { begin, pattern } = form
  for (let at = content.indexOf(begin, from, 'latin1'); at >= 0; at = content.indexOf(begin, at + 1, 'latin1')) {
    if (at > 0 && content[at - 1] !== 0x0a) continue
    const window = content.subarray(at, at + startCharsMax)
    const feed = window.indexOf(0x0a)
    const match = feed < 0 ? null : pattern.exec(window.toString('latin1', 0, feed).trimEnd())
    if (match) return { form, at, next: at + feed + 1, name: (match[1] as string).trim() }
  }
  return null
}
