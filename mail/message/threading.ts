import { limits } from '../limits.ts'

/** What a message says about its place in a thread; ids with or without angle brackets. */
export type ThreadHint = {
  readonly messageId?: string | null
  readonly inReplyTo?: string | null
  readonly references?: readonly string[]
}

/**
 * Lists the Message-IDs that may place a message in a thread, nearest ancestor first.
 * The last reference is the parent (RFC 5322 3.6.4); In-Reply-To counts where no reference is known.
 * At most `ancestorsMax` ids, brackets removed, compared byte for byte. Never throws: malformed ids are skipped.
 */
export function ancestors(hint: ThreadHint): string[] {
  const { listed, parent } = namedIn(hint)
  const ids = [...listed.toReversed(), ...(parent === null ? [] : [parent])]
  return [...new Set(ids)].slice(0, limits.ancestorsMax)
}

/** The references and the parent that a message names, other than itself. */
function namedIn({ messageId, inReplyTo, references }: ThreadHint): { listed: string[]; parent: string | null } {
  const own = bareId(messageId ?? '')
  const parent = bareId(inReplyTo ?? '')
  return {
    listed: (references ?? []).map(bareId).filter((id) => id !== null && id !== own) as string[],
    parent: parent === own ? null : parent,
  }
}

/**
 * The Message-ID of the first message of a conversation, as far as this message tells: its first reference, else the message it
 * answers, else itself. Null when it names none of these.
 */
export function rootId(hint: ThreadHint): string | null {
  const { listed, parent } = namedIn(hint)
  return listed[0] ?? parent ?? bareId(hint.messageId ?? '')
}

/** Keeps at most `max` references: the first (the thread's root) and the last ones (the nearest ancestors) (RFC 5322 3.6.4). */
export function rootAndLatest(ids: readonly string[], max: number): readonly string[] {
  const [root] = ids
  return root === undefined || ids.length <= max ? ids : [root, ...ids.slice(1 - max)]
}

/**
 * The base subject of RFC 5256 2.1: reply and forward marks, blobs in brackets and `(fwd)` removed, white space
 * collapsed; also the marks other languages use (AW, SV, WG, TR, RV, ...). The case is kept; compare case-insensitively.
 */
export function baseSubject(subject: string): string {
  let base = subject.slice(0, 2000).replace(/\s+/g, ' ').trim()
  while (true) {
    const before = base
    base = base.replace(/(?:\s*\(fwd\)\s*)+$/i, '').trim()
    base = base.replace(mark, '').trim()
    const withoutBlob = base.replace(blob, '').trim()
    if (withoutBlob !== '') base = withoutBlob
    const wrapped = /^\[fwd:(.*)\]$/is.exec(base)
    if (wrapped) base = (wrapped[1] as string).trim()
    if (base === before) return base
  }
}

/** A subject without its reply and forward marks, ready for a new mark; a list's `[blob]` stays. */
export function withoutMarks(subject: string): string {
  let text = subject.slice(0, 2000).replace(/\s+/g, ' ').trim()
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(mark, '$1').trim()
  }
  return text
}

/** Whether the first mark of a subject says that the message is forwarded. */
export function isForwardSubject(subject: string): boolean {
  const text = subject.slice(0, 2000).replace(/\s+/g, ' ').trim()
  return forwardMark.test(text) || /^\[fwd:.*\]$/is.test(text)
}

/** Whether a subject carries a reply or forward mark, by which RFC 5256 tells replies from first messages. */
export function isReplySubject(subject: string): boolean {
  const text = subject.slice(0, 2000).replace(/\s+/g, ' ').trim()
  return mark.test(text) || /\(fwd\)$|^\[fwd:.*\]$/is.test(text)
}

// subj-refwd = ("re" / ("fw" ["d"])) *WSP [subj-blob] ":", with the words of other languages and counters (`Re[2]:`).
const forwards = 'fwd?|fw|wg|vb|vl|tr|rv|enc|i|pd|ilt|bls|trs|továbbítás|πρθ|הועבר|전달|转发|轉寄|転送|пересл'
const replies =
  're|aw|antw|antwort|sv|vs|res|rif|r|odp|ynt|réf|vá|vastaus|atb|απ|σχετ|رد|השב|답장|回复|回覆|答复|返信|ответ'
const markOf = (words: string) =>
  new RegExp(`^((?:\\[[^\\[\\]]*\\]\\s*)*)(?:${words})\\.?\\s*(?:\\[[^\\[\\]]*\\]|\\(\\d+\\))?\\s*[:\uff1a]\\s*`, 'i')
const mark = markOf(`${forwards}|${replies}`)
const forwardMark = markOf(forwards)
const blob = /^\[[^[\]]*\]\s*/

function bareId(text: string): string | null {
  const id = text.trim().replace(/^<|>$/g, '')
  return id === '' || id.length > limits.messageIdCharsMax || /[\s<>]/.test(id) ? null : id
}
