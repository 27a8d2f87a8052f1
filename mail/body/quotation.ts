/**
 * Recognises quoted history and signatures, line by line. Lines come without direction marks and with ordinary blanks.
 * The signs are structure (a date, an address, a colon) and the words of `quotation-words.ts`.
 */

import {
  forwards,
  labels,
  leadIn,
  mobile,
  mobileAtEnd,
  originals,
  quoting,
  type Role,
  verb,
  verbAtEnd,
  verbEndings,
} from './quotation-words.ts'

/**
 * The lines, with `>` in place of other quote marks: full-width ones; a bar (`| text`) or initials (`JD> text`) before two
 * lines or more below a blank line, or before any lines below an attribution. Other lines with bars are a table, a tree or a command.
 */
export function withQuoteMarks(plain: readonly string[]): readonly string[] {
  if (!plain.some((line) => mayHaveForeignMark.test(line))) return plain
  const marked = [...plain]
  for (let i = 0; i < plain.length; i++) {
    const mark = foreignMark(plain[i] as string)
    if (mark === null) continue
    let end = i + 1
    while (end < plain.length && foreignMark(plain[end] as string) === mark) end++
    if (mark === fullWidth || quotesLines(plain, i, end)) {
      for (let at = i; at < end; at++) marked[at] = `> ${(plain[at] as string).trimStart().slice(mark.length)}`
    }
    i = end - 1
  }
  return marked
}

const fullWidth = '\uff1e'

/** Whether lines from `start` to `end` that begin with the same mark are where a quotation may be. */
function quotesLines(plain: readonly string[], start: number, end: number): boolean {
  const right = (plain[start - 1] ?? '').trim()
  const above = right === '' ? (plain[start - 2] ?? '').trim() : right
  if (/[:：]$/.test(above) && verb.test(above)) return true
  return right === '' && end - start > 1
}

const mayHaveForeignMark = /^ {0,3}(?:[|\uff1e]|\p{Lu}{2,3}>)/u

function foreignMark(line: string): string | null {
  if (/^ {0,3}\uff1e/.test(line)) return fullWidth
  if (/^ {0,3}(?:\| ?)*\|(?: [^|]*)?$/.test(line)) return '|'
  const initials = /^ {0,2}(\p{Lu}{2,3})>(?: |$)/u.exec(line)?.[1]
  return initials === undefined || prompts.test(initials) ? null : `${initials}>`
}

/** Command prompts of the same form. */
const prompts = /^(?:SQL|PS|CMD|DB|IRB|PHP|GDB|PDB)$/

/** A quoted line: it begins with `>` and is not decorated on both sides. */
export function isQuoted(line: string): boolean {
  return /^ {0,3}>/.test(line) && !/<\s*$/.test(line) && !framed.test(line)
}

/** `>>> Jane Doe 4.3.2025 10:12 >>>`, as GroupWise writes above the message that it quotes. */
const framed = /^>>> ?(\S.{2,200}?)>>>\s*$/

/** A line that only separates. */
export function isRuler(line: string): boolean {
  return /^\s*([_=*\u2010-\u2015\u2500-])\1{4,}\s*$/.test(line)
}

/** Whether `line`, right below a quoted line and above `below`, is the end of that line, torn off when a mail program wrapped it. */
export function isWrappedQuote(quoted: string, line: string, below: string): boolean {
  if (!isQuoted(quoted)) return quoted.length > 0 && quoted.length < 200 && /^\s*[(<]?https?:\S+[)>]?/.test(line)
  if (/^\s*[(<]https?:\S+[)>]/.test(line)) return true
  const opened = quoted.lastIndexOf('http')
  if (opened > 0 && /[(<]/.test(quoted[opened - 1] as string) && !/[)>]/.test(quoted.slice(opened))) return true
  if (quoted.length < 60) return false
  return !/[.!?:]\s*$/.test(quoted) ? quoted.length >= 66 : isQuoted(below) && /^\p{Ll}/u.test(line)
}

/** `-----Original Message-----` in the languages of the larger mail programs, or any such line above a header block. */
export function isOriginalMark(plain: readonly string[], index: number): boolean {
  const words = /^\s*[*_=\u2010-]{2,}\s*(.{3,60}?)\s*[*_=\u2010-]{2,}\s*$/.exec(plain[index] as string)?.[1]
  if (words === undefined) return false
  return originals.test(words) || headerBlockAt(plain, index + 1)
}

/** Whether the line opens a forwarded message. */
export function hasForwardMark(plain: readonly string[], index: number): boolean {
  const line = (plain[index] as string).trim()
  if (line.length < 5 || line.length > 100) return false
  const words = /^-{2,}\s*(.{3,80}?)\s*-{2,}$/.exec(line)?.[1] ?? (/[:：]$/.test(line) ? line.slice(0, -1) : '')
  return forwards.test(words)
}

export type Attribution = {
  /** Index after its last line. */
  readonly end: number
  /** Text of the reply in front of the attribution, on the same line. */
  readonly before: string
}

/** What every sign of quoted history has, except verbs and words: a digit, an address, a colon, a quote mark, or a ruler in front. */
const telling = /[\d@:：>]|^\s*[-*_=\u2010]/

/** Whether a line can neither quote nor announce a quotation. A quick test for most lines, which spares them a test for each sign. */
export function isProse(line: string): boolean {
  if (telling.test(line)) return false
  const words = line.trim()
  return !endsInVerb(words) && !quoting.test(words)
}

/** `On <date>, <somebody> wrote:` and the like, on up to six lines from `index`; null when there is none. */
export function attributionAt(plain: readonly string[], index: number): Attribution | null {
  const first = (plain[index] as string).trim()
  if (first === '' || isQuoted(first)) return null
  const inFrame = framed.exec(first)?.[1]
  if (inFrame !== undefined && dateIn(inFrame)) return { end: index + 1, before: '' }
  const shared = sharedLine(plain, index)
  if (shared) return shared
  const opening = first.replace(/^[-_=]*\s*(?:\*\s)?/, '')
  const isDated = dateIn(opening.slice(0, 90)) || endsInVerb(first)
  if (!isDated && !hasAddress(opening.slice(0, 120)) && !quoting.test(opening)) return null
  const linesMax = isDated ? 6 : 3
  let joined = ''
  for (let end = index; end < Math.min(plain.length, index + linesMax); end++) {
    // A quoted line is part of it only when an address was wrapped before its closing bracket: `> wrote:`.
    const line = (plain[end] as string).trim()
    if (end > index && isQuoted(line) && !isTornBracket(line)) break
    // Text above an attribution, such as the address in a signature, is not part of it; nor is a line with a time or an amount.
    const isApart = isDated ? plain[end - 1]?.trim() === '' && leadIn.test(line) && !/^at\b/i.test(line) : dateIn(line)
    if (end > index && isApart && isAttribution(line, plain, end + 1)) return null
    joined = end === index ? opening : `${joined} ${line}`
    if (joined.length > 400) break
    if (isAttribution(joined.trim(), plain, end + 1)) return { end: end + 1, before: '' }
    // A blank line ends it, except right below the first line.
    if (line === '' && end > index + 1) break
  }
  return null
}

function isAttribution(text: string, plain: readonly string[], next: number): boolean {
  const line = text.replace(/[-_=\s]+$/, '')
  const below = firstText(plain, next)
  if (endsInVerb(line)) {
    if (dateIn(line.slice(0, 90)) && (leadIn.test(line) || /[:：]$/.test(line))) return !isTold(line)
    if (hasAddress(line) && /[:：]$/.test(line)) return true
    // `---- John Smith wrote ----`
    if (/^.{2,60}$/.test(line) && /-{2,}$/.test(text) && line !== text) return true
  }
  if (/[:：]$/.test(line) && !innerLabel.test(line)) {
    const isBelowQuoted = isQuoted(below) && !isTornBracket(below)
    const isShort = line.split(' ').length <= namedWordsMax
    const hasVerb = verb.test(line) || quoting.test(line)
    if (hasVerb && isBelowQuoted && isShort && !isTold(line)) return true
    if (quoting.test(line) && bracketed.test(line)) return true
    const hasTime = dateIn(line) && time.test(line)
    if (hasVerb && hasTime && !isTold(line) && (bracketed.test(line) || isShort)) return true
    if (hasTime && bracketed.test(line) && (isBelowQuoted || startsWithDate(line) || startsWithName.test(line)))
      return true
  }
  if (!dateIn(line.slice(0, 90)) || !hasAddress(line)) return false
  const start = line.search(date)
  if (start > line.search(address)) return false
  if (/[>")\]\s][:：]$|@[\w.-]+[:：]$/.test(line)) return startsWithDate(line)
  // Without a colon, only when quoted lines follow.
  return startsWithDate(line) && /[>)]$/.test(line) && isQuoted(below) && !isTornBracket(below)
}

/** Most words of an attribution without an address. */
const namedWordsMax = 14
/** A label in the middle of a line, as in a list of fields. */
const innerLabel = /(?<![(\p{L}\p{M}])[\p{L}\p{M}]{2,}[:：]\s/u
/** An address in brackets, as programs write it beside a name. */
const bracketed = /[<([]\s*(?:mailto:)?[^\s@<>()[\]"]+@[^\s@<>()[\]"]+\s*[>)\]]/
/** Names, then an address in brackets. */
const startsWithName = /^["']?(?:[\p{Lu}\p{Lo}][\p{L}\p{M}.'’-]*,?["']?\s+){1,5}[<([]/u
const time = /\d{1,2}[:.h時时]\d{2}|\d{1,2}\s?[時时시]/

/** Whether the line is part of a story: a sentence ends within it. */
function isTold(line: string): boolean {
  return /\p{Ll}{3,}[.!?]\s+\p{Lu}/u.test(line) && !time.test(line) && !hasAddress(line)
}

/** `>:` or `> wrote:`: the end of an address that was wrapped before its closing bracket. */
function isTornBracket(line: string): boolean {
  return /^>\s*(?:\S{1,20}(?: \S{1,20})?)?\s*[:：]$/.test(line.trim())
}

// `reply On Wed, Apr 4, 2012 at 3:59 PM, bob@example.com wrote:` with quoted lines below.
function sharedLine(plain: readonly string[], index: number): Attribution | null {
  const line = plain[index] as string
  if (leadIn.test(line.trimStart()) || !endsInVerb(line) || !isQuoted(firstText(plain, index + 1))) return null
  const found = /^(.*?\S)\s*-*\s*\b(?:on|am|le|el|em|il|op|den)\s+(?=\p{L}{2,12}[.,]? |\d)/iu.exec(line)
  if (!found || !dateIn(line.slice(found[0].length, found[0].length + 90))) return null
  return { end: index + 1, before: (found[1] as string).replace(/\s*-+$/, '') }
}

function firstText(plain: readonly string[], from: number): string {
  for (let i = from; i < Math.min(plain.length, from + 5); i++)
    if ((plain[i] as string).trim() !== '') return plain[i] as string
  return ''
}

/** Longest verb with its colon and rulers. */
const verbCharsMax = 80

function endsInVerb(line: string): boolean {
  const words = withoutTail(line.slice(-verbCharsMax))
  // Few lines end like a verb, and the pattern of all verbs is slow.
  return verbEndings.has(words.slice(-2).toLowerCase()) && verbAtEnd.test(words)
}

/** The line without what may follow a verb: a colon, rulers. */
function withoutTail(line: string): string {
  let end = line.length
  while (line[end - 1] === '-' || line[end - 1] === '_') end--
  const words = line.slice(0, end).trimEnd()
  return /[:：]$/.test(words) ? words.slice(0, -1).trimEnd() : words
}

function hasAddress(text: string): boolean {
  return text.includes('@') && address.test(text)
}

function dateIn(text: string): boolean {
  return date.test(text)
}

/** Whether the line begins with a date: digits, after at most four short words (a weekday, a preposition). */
function startsWithDate(line: string): boolean {
  return /^(?:[\p{L}.,]{1,14}\s+){0,4}["']?\d/u.test(line)
}

/** Whether a block of header fields begins here, as Outlook or Notes put above the quoted message. */
export function headerBlockAt(plain: readonly string[], index: number): boolean {
  if (notesHeaderAt(plain, index)) return true
  const first = roleOf(plain[index] ?? '')
  if (first === null || first === 'cc') return false
  const roles = new Set<Role>([first])
  for (let i = index + 1; i < Math.min(plain.length, index + 9); i++) {
    const line = (plain[i] as string).trim()
    if (line === '') break
    for (const role of rolesOf(line)) roles.add(role)
  }
  const startsWell = first === 'from' || first === 'date'
  const hasSender = roles.has('from') || roles.has('date')
  return hasSender && roles.size >= (startsWell ? 2 : 3) && (roles.has('from') || roles.has('to'))
}

/** Sender and time on lines of their own, and below them labels without a colon, each above its value: the layout of Notes. */
function notesHeaderAt(plain: readonly string[], index: number): boolean {
  if (!hasAddress((plain[index] ?? '').slice(0, 120))) return false
  const below = plain
    .slice(index + 1, index + 16)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (!timeAlone.test(below[0] ?? '')) return false
  const roles = below.slice(1, 9).map((line) => (line.length < 20 ? labels.get(line.toLowerCase()) : undefined))
  return roles.includes('to') && roles.indexOf('subject') > roles.indexOf('to')
}

const timeAlone = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\.? +\d{1,2}[:.]\d{2}.{0,14}$/

/**
 * Whether a block of header fields with unknown labels begins here, for places below a line: at least three fields, of which the
 * first has an address and any one a time.
 */
export function unknownHeaderBlockAt(plain: readonly string[], index: number): boolean {
  const fields: string[] = []
  for (let i = index; i < Math.min(plain.length, index + 9) && field.test(plain[i] as string); i++)
    fields.push(plain[i] as string)
  return fields.length > 2 && hasAddress(fields[0] as string) && fields.some((line) => dateIn(line) && time.test(line))
}

const field = /^\s*[*_]{0,2}\p{L}[^:：@]{0,30}[:：][*_]{0,2}\s*\S/u

function rolesOf(line: string): Role[] {
  const found = roleOf(line)
  // Some programs put two fields on one line: `À : a@b Objet : c`.
  const second = /\s(\p{L}[\p{L} ]{1,14}) ?[:：]/u.exec(line.slice(8))
  const other = second ? roleOf(`${second[1]}:`) : null
  return [found, other].filter((role) => role !== null)
}

function roleOf(line: string): Role | null {
  if (!line.includes(':') && !line.includes('：')) return null
  const label = /^\s*[*_]{0,2}\s*(\p{L}[\p{L}\p{M} '/-]{0,24}?)\s*[*_]{0,2}\s*[:：]/u.exec(line)?.[1]
  return label === undefined ? null : (labels.get(label.toLowerCase().normalize('NFC')) ?? null)
}

/** Whether the line is like `Sent from my iPhone`, whatever the program and language. */
export function isMobileSignature(line: string): boolean {
  const text = withoutLinks(line).replace(/[*_]/g, '').trim()
  if (text.length < 6 || text.length > 110 || /[?？]$/.test(text)) return false
  return mobile.test(text) || (beyondAscii.test(text) && mobileAtEnd.test(text))
}

const beyondAscii = /\P{ASCII}/u
const withoutLinks = (line: string) => (line.includes('http') ? line.replace(/[<(]https?:[^>)]*[>)]/g, '') : line)

/** How many lines a signature below this line may have; 0 when the line does not open one. */
export function isSignatureMark(line: string): number {
  if (line === '-- ') return 30 // RFC 3676 4.3
  if (line.trimEnd() === '--') return 12
  return /^(?:\u2014|\u2013|_{2,})\s*$/.test(line) ? 8 : 0
}

const date =
  /\b\d{1,2}[:.h]\d{2}\b|\b(?:19|20|25)\d{2}\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\d{1,4}[年년]|\b\d{1,2}[.-]?\s?\p{L}{3,10}[.-]?\s?\d{2,4}\b/u

const address = /[^\s@<>()[\]"]+@[^\s@<>()[\]"]+/
