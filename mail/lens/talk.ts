/** Copies of chats in a mail: which lines are turns of those who talk. */
import type { Passage } from './lines.ts'

const turn =
  /^(?:[-*•·]\s)?(?:[[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?\s)?(?<speaker>\p{L}[\p{L} .'-]{1,28}?)(?: \([^()]*\))?:\s+\S/u
const mark = /^[-*•·]\s+/
/** Each of two at least speaks as often. */
const turnsMin = 2
const speakersMin = 2

/**
 * Where the turns of a chat begin in a passage (UTF-16 offsets), without the mark of a point; none where it holds no chat: labels of
 * forms repeat too, but nobody asks there.
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
