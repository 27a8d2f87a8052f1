import { codePointsOf } from './code-points.ts'
import type { LensAnswer, LensField, LensFinding, LensSource } from './source.ts'

/** Reads fields of a mail. Linear in the texts; never throws. */
export function readFields(fields: readonly LensField[], source: LensSource): LensAnswer {
  return new Map(fields.map((field) => [field.key, field.type === 'text' ? labelled(field, source) : null]))
}

/** The rest of a line that begins with the words of the key and a colon. */
function labelled({ key }: LensField, { text, quoted }: LensSource): LensFinding | null {
  const words = key.replaceAll(/[_-]/g, ' ').toLowerCase()
  for (const { 0: line, index } of text.matchAll(/^[^\n:]{1,80}:[^\n]+$/gm)) {
    const colon = line.indexOf(':')
    const value = line.slice(colon + 1).trim()
    const isQuoted = quoted.some(([start, end]) => index >= start && index < end)
    if (isQuoted || value === '' || line.slice(0, colon).trim().toLowerCase() !== words) continue
    const start = index + line.indexOf(value, colon)
    const points = codePointsOf(text)
    return { value, evidence: { source: 'text', start: points(start), end: points(start + value.length) } }
  }
  return null
}
