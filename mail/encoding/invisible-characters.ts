import { limits } from '../limits.ts'
import { directions, inShownOrder } from './directions.ts'
import { withoutEscapes } from './terminal-escapes.ts'

/** Text in the message that a person who reads it does not see; `alternative` is text of a plain part that the HTML does not show. */
export type Hidden = {
  readonly kind:
    | 'display_none'
    | 'transparent'
    | 'zero_size'
    | 'off_screen'
    | 'same_colour'
    | 'covered'
    | 'alternative'
    | 'comment'
    | 'zero_width'
    | 'tag_characters'
    | 'bidi_override'
    | 'terminal_escape'
    | 'lookalike_domain'
  /** At most `hiddenExcerptCharsMax` characters, white space collapsed, tag characters replaced by the ASCII they stand for. */
  readonly excerpt: string
}

/** Whether nothing of a text can be seen: it has only blanks, controls and zero-width characters. */
export const isBlank = (text: string): boolean => !/[^\s\p{C}]/u.test(text)

/**
 * Removes from a text what changes invisibly how it is read: terminal controls, direction overrides, and zero-width
 * characters. Overridden letters are put in the order in which they are shown, or, if `turns` is false, stay as written. Linear.
 */
export function stripInvisible(
  text: string,
  { turns = true }: { readonly turns?: boolean } = {},
): { readonly text: string; readonly hidden: readonly Hidden[] } {
  const { text: printed, sample } = withoutEscapes(text)
  const { text: shown, overridden } = inShownOrder(printed)
  const { text: visible, hidden } = withoutWidthless(turns ? shown : printed)
  if (sample === null && overridden.length === 0) return { text: visible, hidden }
  const reports = overridden.map((each): Hidden => {
    return { kind: 'bidi_override', excerpt: hiddenExcerpt(withoutWidthless(each).text) }
  })
  if (sample !== null) reports.push({ kind: 'terminal_escape', excerpt: hiddenExcerpt(sample) })
  return {
    text: visible,
    hidden: [...reports.filter(({ excerpt }) => excerpt !== ''), ...hidden].slice(0, limits.hiddenMax),
  }
}

/**
 * Removes zero-width characters from a text: zero-width spaces and joiners, soft hyphens, invisible operators,
 * tag characters and runs of variation selectors, which can carry text past a reader. What scripts and emoji need
 * stays: joiners between letters or emoji, flags made of tags. Linear.
 */
function withoutWidthless(text: string): { readonly text: string; readonly hidden: readonly Hidden[] } {
  if (!suspicious.test(text)) return { text, hidden: [] }
  const hidden: Hidden[] = []
  let cut: number | null = null // offset, in the stripped text, of the first place where a word is cut up
  let removed = 0
  const visible = text.replace(invisible, (run: string, flag: string | undefined, offset: number) => {
    if (flag || joins(text, offset, run)) return run
    const spelled = spelledBy(run)
    if (spelled !== '') hidden.push({ kind: 'tag_characters', excerpt: hiddenExcerpt(spelled) })
    else if (cut === null && splitsWord(text, offset, run)) cut = offset - removed
    removed += run.length
    return ''
  })
  // Newsletters pad their preview line with these; only a word that is cut up by them is worth a report.
  if (cut !== null)
    hidden.push({ kind: 'zero_width', excerpt: hiddenExcerpt(visible.slice(Math.max(0, cut - 40), cut + 40)) })
  return { text: visible, hidden: hidden.slice(0, limits.hiddenMax) }
}

/** An identifier, such as an address, with U+FFFD in place of invisible characters: it must not look like another one. */
export function showInvisible(text: string): string {
  const visible = text.replace(directions, '\ufffd').replace(/[\u061c\u200e\u200f]/g, '\ufffd')
  if (!suspicious.test(visible)) return visible
  return visible.replace(invisible, (run: string, flag: string | undefined, offset: number) =>
    flag || joins(visible, offset, run) ? run : '\ufffd',
  )
}

/** Collapses white space and cuts to the length of an excerpt, never within a character. */
export function hiddenExcerpt(text: string): string {
  return [
    ...text
      .slice(0, limits.hiddenExcerptCharsMax * 4)
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, limits.hiddenExcerptCharsMax)
    .join('')
}

// Unicode's default ignorable characters, except the direction marks that right-to-left text needs.
const suspicious = /[\p{DI}--[\ufe0f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]]/v

// First a flag (a black flag, then tags, then the cancel tag: UTS 51 2.7), then any run of ignorable characters.
const invisible =
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,8}\u{e007f})|[\p{DI}--[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]]+/gv

/** The text that tag characters (as ASCII) or variation selectors (as bytes) spell; '' when they do not. */
function spelledBy(run: string): string {
  let ascii = ''
  const bytes: number[] = []
  for (const char of run) {
    const code = char.codePointAt(0) as number
    if (code >= 0xe0020 && code <= 0xe007e) ascii += String.fromCharCode(code - 0xe0000)
    else if (code >= 0xfe00 && code <= 0xfe0f) bytes.push(code - 0xfe00)
    else if (code >= 0xe0100 && code <= 0xe01ef) bytes.push(code - 0xe0100 + 16)
  }
  return ascii.length > 1 ? ascii : bytes.length > 1 ? Buffer.from(bytes).toString('utf8') : ''
}

/** Whether script or emoji need a run where it is: a joiner between letters, one selector after a character. */
function joins(text: string, offset: number, run: string): boolean {
  if (run.length > 2) return false
  const before = text.slice(Math.max(0, offset - 2), offset)
  const after = text.slice(offset + run.length, offset + run.length + 2)
  if (/^\ufe0f?\u200d$/.test(run) && /^(?:\p{Extended_Pictographic}|[\u2640\u2642])/u.test(after)) {
    return /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})$/u.test(before)
  }
  if (/^[\u200c\u200d]$/.test(run)) return needsJoiners.test(before) && (needsJoiners.test(after) || run === '\u200d')
  if (/^[\ufe00-\ufe0f]$/.test(run)) return before !== '' && !/\s$/.test(before)
  return (
    /^[\u180b-\u180d\u180f\u{e0100}-\u{e01ef}]$/u.test(run) && /[\p{Script=Han}\p{Script=Mongolian}]$/u.test(before)
  )
}

const needsJoiners =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}]/u

/** Whether a run cuts up a word, which hides the word from a search. Soft hyphens are common in words and do not count. */
function splitsWord(text: string, offset: number, run: string): boolean {
  if (/^\u00ad+$/.test(run)) return false
  return (
    /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, offset - 2), offset)) &&
    /^[\p{L}\p{N}]/u.test(text.slice(offset + run.length, offset + run.length + 2))
  )
}
