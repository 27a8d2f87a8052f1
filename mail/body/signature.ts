/**
 * Finds a signature that no mark opens below what the sender wrote: a closing formula with a name, a block of the sender's own
 * contact details, the sender's name alone, a notice of confidentiality. In doubt it finds nothing: a list, a poem or an address that
 * the mail is about stays.
 */

import {
  detailsIn,
  isFarewell,
  isFormula,
  isListed,
  isStatement,
  looksLikeName,
  mails,
  type SignatureLine,
  signatureLine,
  unspaced,
} from './signature-lines.ts'
import { footerAspects, noticeAspects, noticeStart } from './signature-notice.ts'
import { namesSender, type Sender, wordsOf } from './signature-sender.ts'
import * as words from './signature-words.ts'

/** Lines `start` to `end` (exclusive). */
export type LineRange = { readonly start: number; readonly end: number }

/** Most lines of a signature, notices not counted. */
const linesMax = 16

export type Passage = {
  /** The sender of the mail, whose name and address are surer signs than any other. */
  readonly sender: Sender | null
  /** Whether the sender wrote nothing before this passage: then more than a greeting must be above the signature. */
  readonly isFirst: boolean
  /** Whether a signature mark follows: a formula above the mark belongs to the signature. */
  readonly isMarked: boolean
}

/**
 * The signature at the end of a passage, or null; a postscript may follow it. Lines come without direction marks and
 * with ordinary blanks. Linear. Never throws.
 */
export function signatureIn(lines: readonly string[], { sender, isFirst, isMarked }: Passage): LineRange | null {
  const end = postscriptStart(lines)
  if (hasLetterIn(lines, end)) return null
  // Below a signature, even a paragraph that only resembles a notice belongs to it.
  const footer = noticeStart(lines, end, footerAspects)
  const noticed = footer < end ? noticeStart(lines, end, noticeAspects) : end
  const start =
    (footer < noticed ? signatureAbove(lines, footer, { sender, isMarked }) : null) ??
    signatureAbove(lines, noticed, { sender, isMarked: isMarked || noticed < end }) ??
    (noticed < end ? noticed : null) ??
    aboveAdvice(lines, end, sender)
  return start !== null && (!isFirst || saysSomething(lines, start)) ? { start, end } : null
}

type Above = { readonly sender: Sender | null; readonly isMarked: boolean }

/** Where a signature begins that ends above `end`. */
function signatureAbove(lines: readonly string[], end: number, { sender, isMarked }: Above): number | null {
  const block = blockAbove(lines, end)
  return (
    closingStart(block, sender) ??
    contactsStart(block, sender) ??
    ownBlockStart(block, sender) ??
    ownNameStart(block, sender) ??
    (isMarked ? lastOfMail(block) : null)
  )
}

/** How many paragraphs of advice a firm may add below the signature: "Beware of fraud: ..." */
const adviceParagraphsMax = 2

/** Where an unmistakable signature begins above paragraphs that a firm adds to each mail. */
function aboveAdvice(lines: readonly string[], end: number, sender: Sender | null): number | null {
  let to = end
  for (let n = 0; n < adviceParagraphsMax && sender !== null; n++) {
    while (to > 0 && (lines[to - 1] as string).trim() !== '') to--
    while (to > 0 && (lines[to - 1] as string).trim() === '') to--
    if (!lines.slice(Math.max(0, to - linesMax), to).some((line) => /\d{3}|@/.test(line))) continue
    const block = blockAbove(lines, to)
    const start = closingStart(block, sender) ?? contactsStart(block, sender)
    const signature = block.filter(({ index }) => start !== null && index >= start)
    const details = detailsIn(signature)
    const isNamed = signature.some(({ text }) => isOwnName(nameIn(text), sender))
    if (isNamed && details.size > 1 && (details.has('phone') || details.has('mail'))) return start
  }
  return null
}

/** A formula, or a name of several words, below which there is only a notice or a marked signature. */
function lastOfMail(block: readonly SignatureLine[]): number | null {
  const at = block.findLastIndex(({ isBlank }) => !isBlank)
  const last = block[at]
  if (last === undefined) return null
  const isName = /^\p{L}.*\s/u.test(last.text) && looksLikeName(last.text) && block[at - 1]?.isBlank === true
  return isName || isFormula(last.text) ? last.index : null
}

/** The lines above `end` that may belong to a signature, from top to bottom, beginning with the nearest statement. */
function blockAbove(lines: readonly string[], end: number): readonly SignatureLine[] {
  const block: SignatureLine[] = []
  let count = 0
  let blanks = 0
  for (let index = end - 1; index >= 0 && count < linesMax && blanks < 4; index--) {
    const line = signatureLine(lines[index] as string, index)
    blanks = line.isBlank ? blanks + 1 : 0
    if (!line.isBlank) count++
    block.unshift(line)
    if (!line.isBlank && !line.isRuler && isStatement(line)) break
  }
  return block
}

/** The formula or the thanks with which the signature begins; below it are a name and no statements. */
function closingStart(block: readonly SignatureLine[], sender: Sender | null): number | null {
  for (let at = block.length - 1; at >= 0; at--) {
    const line = block[at] as SignatureLine
    if (line.isBlank || line.isRuler) continue
    const above = textAbove(block, at)
    if (above !== null && words.openClause.test(above.text)) continue
    if (closes(block, at, sender)) {
      return above !== null && words.firstHalf.test(above.text) ? above.index : line.index
    }
  }
  return null
}

function closes(block: readonly SignatureLine[], at: number, sender: Sender | null): boolean {
  const { text } = block[at] as SignatureLine
  const below = block.slice(at + 1).filter(({ isBlank, isRuler }) => !isBlank && !isRuler)
  const first = below[0]
  const begins = isFormula(text)
  if (first !== undefined && (begins || isFarewell(text))) {
    if (placeholder.test(first.text)) return false
    if (namesSender(first.text, sender, false)) return true
    if (begins) return followsFormula(text, first)
    const isApart = block[at + 1]?.isBlank === true
    return followsFarewell(text, below, { isApart, isParagraph: at === 0 || block[at - 1]?.isBlank === true })
  }
  const afterShort = words.shortFormulaWithName.exec(text)?.[1]
  if (afterShort !== undefined && looksLikeName(afterShort)) return true
  const name = words.formulaWithName.exec(text)?.[1] ?? words.farewellWithName.exec(text)?.[1]
  if (name === undefined) return false
  if (namesSender(name, sender, true)) return true
  if (!looksLikeName(name)) return false
  return detailsIn(below).size > 0 || (words.formulaWithName.test(text) && /\s/.test(name))
}

/** Whether a line below a formula is a name, even in lower case: "regards,", "bob". */
function followsFormula(formula: string, { text, details }: SignatureLine): boolean {
  if (looksLikeName(text) || details.size > 0) return true
  return endsInComma.test(formula) && (/^\p{Ll}+$/u.test(text) || unspaced.test(text))
}

/** The same below thanks, where the line may also be a short answer: "Thanks!", "Perfect". */
function followsFarewell(
  farewell: string,
  below: readonly SignatureLine[],
  { isApart, isParagraph }: { readonly isApart: boolean; readonly isParagraph: boolean },
): boolean {
  const [first] = below
  if (first === undefined || isFarewell(first.text)) return false
  if (detailsIn(below).size > 0) return looksLikeName(first.text) || first.details.size > 0
  if (!looksLikeName(first.text)) return endsInComma.test(farewell) && /^\p{Ll}+$/u.test(first.text)
  const isCased = /^\p{Lu}/u.test(first.text)
  const isSure = endsInComma.test(farewell) || unspaced.test(first.text) || (isCased && /\s/.test(first.text))
  return isSure || (isParagraph && below.length === 1 && (isApart || !/[.!。！]\s*$/u.test(farewell)))
}

const endsInComma = /[,،，、:]\s*$/u

const placeholder = /[[\]{}<>]|_{3,}/

/** The line above that is not blank. */
function textAbove(block: readonly SignatureLine[], at: number): SignatureLine | null {
  return block.slice(0, at).findLast(({ isBlank }) => !isBlank) ?? null
}

/** Where a block of the sender's contact details begins without a closing above it. */
function contactsStart(block: readonly SignatureLine[], sender: Sender | null): number | null {
  for (const [at, line] of block.entries()) {
    if (line.isBlank || isStatement(line)) continue
    const before = block[at - 1]
    const beginsBlock = before === undefined || before.isBlank || before.isRuler || line.isRuler
    const above = textAbove(block, at)
    const lines = block.slice(at).filter(({ isBlank, isRuler }) => !isBlank && !isRuler)
    if (above !== null && isAnnounced(above, lines, sender)) continue
    if (sender !== null && isAboveOwnName(block, at, sender)) continue
    // When the sender is unknown, only a block right below a statement or a farewell counts.
    if (sender === null && (above === null || !(isStatement(above) || isFarewell(above.text)))) continue
    if (isOfSender(lines, sender, { beginsBlock, isRuled: line.isRuler || before?.isRuler === true })) return line.index
  }
  return null
}

/** Whether the paragraph at `at` is a short answer, and a paragraph below it begins with the sender's name. */
function isAboveOwnName(block: readonly SignatureLine[], at: number, sender: Sender): boolean {
  const end = block.findIndex(({ isBlank }, i) => i > at && isBlank)
  if (end < 0) return false
  const paragraph = block.slice(at, end)
  if (paragraph.some(({ isRuler, text, details }) => isRuler || details.size > 0 || namesSender(text, sender, false)))
    return false
  return block.some(({ text }, i) => i > end && block[i - 1]?.isBlank && isOwnName(nameIn(text), sender))
}

const isOwnName = (name: string, sender: Sender) => namesSender(name, sender, false) && looksLikeName(name)

/** Whether the line above the block says that the mail is about it: an address, the number of a colleague. */
function isAnnounced(above: SignatureLine, lines: readonly SignatureLine[], sender: Sender | null): boolean {
  if (above.isRuler) return false
  if (words.openClause.test(above.text) || words.pointer.test(above.text)) return true
  const details = detailsIn(lines)
  const isMoreThanPlace = details.size > 1 || !details.has('place')
  const isOwn = isMoreThanPlace && namesSender(nameIn(lines[0]?.text ?? ''), sender, false)
  return words.announcement.test(above.text) && !(isOwn && /[.!。]$/u.test(above.text))
}

type Setting = { readonly beginsBlock: boolean; readonly isRuled: boolean }

function isOfSender(
  lines: readonly SignatureLine[],
  sender: Sender | null,
  { beginsBlock, isRuled }: Setting,
): boolean {
  const [first] = lines
  if (first === undefined) return false
  const details = detailsIn(lines)
  const isReachable = details.has('phone') || details.has('mail') || details.has('page')
  const name = nameIn(first.text)
  if (sender === null) {
    if (!beginsBlock) return false
    const isPerson = looksLikeName(name) && !words.organisation.test(name)
    if (isRuled) return isReachable && (isPerson || details.size > 2)
    return isPerson && ((details.has('role') && details.has('firm')) || (isReachable && isFull(lines, name)))
  }
  if (isOwnName(name, sender)) return details.size > 0
  if (!beginsBlock) return false
  const text = lines.map((line) => line.text).join(' ')
  const addresses: readonly string[] = text.toLowerCase().match(mails) ?? []
  if (addresses.length > 0 && !addresses.includes(sender.address)) return false
  if (addresses.length > 0 && looksLikeName(name)) return true
  const isOwn =
    addresses.length > 0 || namesSender(text, sender, false) || wordsOf(text).some((word) => sender.words.has(word))
  return isOwn && (details.size > 1 || (isRuled && details.size > 0))
}

/** Whether lines are more than a name and a number: details of two kinds, columns, or an address made of the name. */
function isFull(lines: readonly SignatureLine[], name: string): boolean {
  if (detailsIn(lines).size > 1) return true
  if (lines.length > 2 && lines.some(({ text }) => /[|·•]/.test(text))) return true
  const addresses = lines.flatMap(({ text }) => text.toLowerCase().match(mails) ?? [])
  return wordsOf(name).some((word) => word.length > 2 && addresses.some((address) => address.startsWith(word)))
}

/** The text before the first separator of a line. */
function nameIn(text: string): string {
  return (text.split(/\s*[|·•<(/]\s*|\s{2,}|,\s| [–—-] /)[0] ?? '').trim()
}

/** The sender's full name on a line and, below it, lines without statements, in a paragraph of their own at the end. */
function ownBlockStart(block: readonly SignatureLine[], sender: Sender | null): number | null {
  const end = block.findLastIndex(({ isBlank, isRuler }) => !isBlank && !isRuler)
  const start = block.findLastIndex(({ isBlank }, at) => isBlank && at < end) + 1
  const [first, ...below] = block.slice(start, end + 1)
  const above = textAbove(block, start)
  if (first === undefined || above === null || below.length === 0 || below.length > ownBlockLinesMax) return null
  if (!/\s/.test(first.text) || !namesSender(first.text, sender, true)) return null
  if (/[?？:：,，]$/.test(above.text) || isAnnounced(above, [first, ...below], sender)) return null
  return below.some((line) => line.text.length > 60 || isStatement(line) || isListed(line.text)) ? null : first.index
}

const ownBlockLinesMax = 5

/** The sender's name alone on the last line, with or without a dash. */
function ownNameStart(block: readonly SignatureLine[], sender: Sender | null): number | null {
  const at = block.findLastIndex(({ isBlank, isRuler }) => !isBlank && !isRuler)
  const last = block[at]
  if (last === undefined) return null
  const name = last.text.replace(/^[-–—~*/\s]+/, '').replace(/(?:\s+x[xo]*)?[.,!\s]*$/i, '')
  const above = textAbove(block, at)
  if (above === null || name.split(/\s+/).length > 4 || words.openClause.test(above.text) || /[?？]$/.test(above.text))
    return null
  const isInList = above.index === last.index - 1 && (isListed(above.text) || looksLikeName(above.text))
  const isInitials = /^\p{Lu}{2,3}$/u.test(name) && sender?.initials.has(name.toLowerCase()) === true
  const isOwn = isInitials || namesSender(name, sender, true) || words.humbleName.test(last.text)
  if (isInList || !isOwn) return null
  return isUnknownFormula(block, above.index) ? above.index : last.index
}

/** Whether a line is a few words with a comma, right above the sender's name, in its own paragraph: a formula in an unknown language. */
function isUnknownFormula(block: readonly SignatureLine[], index: number): boolean {
  const at = block.findIndex((line) => line.index === index)
  const { text = '' } = block[at] ?? {}
  return (
    block[at - 1]?.isBlank === true && /^[\p{L}\p{M}\s.'’-]{2,40}[,،，、]$/u.test(text) && text.split(/\s+/).length < 5
  )
}

/** Whether a letter to somebody else is pasted below words of the sender: a greeting that is not the first line. */
function hasLetterIn(lines: readonly string[], end: number): boolean {
  let isFirst = true
  for (const line of lines.slice(0, end)) {
    const text = line.trim()
    if (text === '') continue
    const greets = text.length < 60 && /[,:،，]$/.test(text) && words.greeting.test(text) && !isFormula(text)
    if (greets && !isFirst) return true
    isFirst &&= greets || words.greeting.test(text)
  }
  return false
}

/** Where a postscript at the end begins, or the end of the text. */
function postscriptStart(lines: readonly string[]): number {
  let end = lines.length
  while (end > 0 && (lines[end - 1] as string).trim() === '') end--
  const start = lines.findLastIndex((line) => /^(?:p\.?\s?s\.?|n\.?b\.?|пс|p\.s)[\s:.,-]/iu.test(line.trim()))
  if (start <= 0 || end - start > linesMax) return end
  return (lines[start - 1] as string).trim() === '' ? start : end
}

/** Whether the lines above say more than a greeting. */
function saysSomething(lines: readonly string[], end: number): boolean {
  const said = lines
    .slice(0, end)
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(line))
  const [first = ''] = said
  const greets = words.greeting.test(first) || (first.length < 40 && /[,،:]$/.test(first))
  return said.length > (greets ? 1 : 0)
}
