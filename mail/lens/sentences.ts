/** Splits a passage into sentences, which continue over line breaks within a paragraph because programs wrap lines. */
import { fold } from './lexicon.ts'
import type { Line, Passage } from './lines.ts'

export type Sentence = {
  readonly passage: Passage
  readonly text: string
  /** The folded text (`fold`), of the same length. */
  readonly folded: string
  /** Its offset in the passage. */
  readonly start: number
}

/** Bounds sentences that do not end. */
const sentenceCharsMax = 600
/** A line of at least this length was wrapped by a program, unless it has cells. */
export const wrappedCharsMin = 55

/** Abbreviations, whose full stop does not end a sentence. */
const abbreviations =
  /(?:^|[\s(])(?:no|nr|n|num|inv|mr|mrs|ms|dr|prof|dott|avv|arch|ing|geom|rag|sig|sra?|mme|m|tel|ca|approx|art|ref|rif|pos|inkl|incl|zzgl|bzw|z\.b|d\.h|st|str|vs|fr|hr|i\.a|u\.a|usw|etc|excl|max|min|jan|feb|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez|\p{L}|\d{1,2})$/u

/** Returns the sentences of a passage in order. Linear. */
export function sentencesOf(passage: Passage): readonly Sentence[] {
  const sentences: Sentence[] = []
  const { lines } = passage
  for (let at = 0; at < lines.length; ) {
    let end = at + 1
    while (end < lines.length && goesOn(lines[end - 1] as Line, lines[end] as Line)) end++
    const from = (lines[at] as Line).start
    const last = lines[end - 1] as Line
    if (lines[at]?.role === null) addSentences(sentences, passage, from, last.start + last.text.length)
    at = end
  }
  return sentences
}

/** Returns the folded text of a passage with the same offsets: wrapped lines are joined, and text outside of lines is line ends. */
export function flowOf({ text, lines }: Passage): string {
  const parts: string[] = []
  let end = 0
  for (const [n, line] of lines.entries()) {
    const before = lines[n - 1]
    const gap = line.start - end
    parts.push(before !== undefined && goesOn(before, line) ? ' '.repeat(gap) : '\n'.repeat(gap), line.folded)
    end = line.start + line.text.length
  }
  return parts.join('') + '\n'.repeat(Math.max(0, text.length - end))
}

function goesOn(line: Line, next: Line): boolean {
  if (next.isFirst || next.role !== null || line.role !== null) return false
  return line.text.length >= wrappedCharsMin && !/[.!?:;]$|\t/.test(line.text) && !/^[-*•·]\s/.test(next.text)
}

function addSentences(sentences: Sentence[], passage: Passage, from: number, to: number): void {
  const text = passage.text.slice(from, to)
  let start = 0
  const add = (end: number) => {
    for (let at = start; at < end; at += sentenceCharsMax) {
      const part = text.slice(at, Math.min(end, at + sentenceCharsMax))
      if (part.trim() !== '')
        sentences.push({ passage, text: part, folded: fold(part).replaceAll('\n', ' '), start: from + at })
    }
    start = end
  }
  for (const { 0: mark, index } of text.matchAll(/[.!?;]+["”»)]?\s+(?=[\p{Lu}\d¿¡"„«“(])/gu)) {
    const before = fold(text.slice(Math.max(start, index - 12), index))
    if (mark.startsWith('.') && abbreviations.test(before)) continue
    add(index + mark.length)
  }
  add(text.length)
}
