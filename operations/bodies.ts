/** Reads long bodies in pieces. All bodies of a message are cut at the same number of characters (code points). */
import { notACursor } from '../schemas/refusals.ts'

type Bodies = {
  readonly text?: string
  readonly markdown?: string
  readonly html?: string | null
  readonly reply?: string
}
/** `next` is the cursor to continue with; null if no body was cut. */
export type Cut = Bodies & { readonly next: string | null }

/** The character at which a cursor continues; 0 without a cursor. Fails with `validation_error`. */
export function positionIn(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const match = /^c(\d{1,10})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null || cursorAt(Number(match[1])) !== cursor) throw notACursor('cursor', 'a body')
  return Number(match[1])
}

/** At most `maxChars` characters of each body, from character `from` on; all the rest without `maxChars`. */
export function cutBodies(
  { text, markdown, html, reply }: Bodies,
  { from, maxChars }: { from: number; maxChars?: number },
): Cut {
  let more = false
  const cut = (body: string) => {
    const start = offsetOf(body, 0, from)
    const end = maxChars === undefined ? body.length : offsetOf(body, start, maxChars)
    more ||= end < body.length
    return body.slice(start, end)
  }
  const bodies = {
    ...(text !== undefined && { text: cut(text) }),
    ...(markdown !== undefined && { markdown: cut(markdown) }),
    ...(html !== undefined && { html: html === null ? null : cut(html) }),
    ...(reply !== undefined && { reply: cut(reply) }),
  }
  return { ...bodies, next: more ? cursorAt(from + (maxChars ?? 0)) : null }
}

function cursorAt(character: number): string {
  return Buffer.from(`c${character}`).toString('base64url')
}

/** The string index that lies `characters` code points after `start`. */
function offsetOf(text: string, start: number, characters: number): number {
  if (text.length - start <= characters) return text.length
  let offset = start
  for (let left = characters; left > 0 && offset < text.length; left--) {
    const point = text.codePointAt(offset) ?? 0
    offset += point > 0xffff ? 2 : 1
  }
  return offset
}
