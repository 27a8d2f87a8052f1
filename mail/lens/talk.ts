/** Recognises copies of chats in a mail, and which lines are turns of a speaker. */
import type { Passage } from './lines.ts'

const turn =
  /^(?:[-*•·]\s)?(?:[[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?\s)?(?<speaker>\p{L}[\p{L} .'-]{1,28}?)(?: \([^()]*\))?:\s+\S/u
const mark = /^[-*•·]\s+/
/** A chat has at least this many turns of each of at least this many speakers. */
const turnsMin = 2
const speakersMin = 2

/**
 * Returns the offsets (UTF-16) at which the turns of a chat begin in a passage, after a bullet. None if the passage has no chat: the
 * labels of forms repeat too, but no turn there asks a question.
 */
export function turnsOf({ lines }: Passage): ReadonlySet<number> {
  const turns = lines.flatMap(({ text, start }) => {
    const speaker = turn.exec(text)?.groups?.speaker
    return speaker === undefined ? [] : [{ text, speaker, start: start + (mark.exec(text)?.[0].length ?? 0) }]
  })
  const speaking = [...Map.groupBy(turns, ({ speaker }) => speaker).values()].filter(({ length }) => length >= turnsMin)
  const isChat = speaking.length >= speakersMin && speaking.some((own) => own.some(({ text }) => text.includes('?')))
  return new Set(isChat ? speaking.flatMap((own) => own.map(({ start }) => start)) : [])
}
