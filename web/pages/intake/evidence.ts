/** Where in a mail the values of Lens were found. Offsets are in code points, as in the API. */
import type { IntakeMessagesGetResult } from '../../../sdk/generated/types.ts'

export type IntakeRecord = IntakeMessagesGetResult
type Evidence = NonNullable<NonNullable<IntakeRecord['lens_evidence']>[string]>

/** A piece of a text, and the keys of the fields whose values it is part of. */
export type Piece = { readonly text: string; readonly keys: readonly string[] }

type Range = { readonly key: string; readonly start: number; readonly end: number }

/** Returns the ranges of all fields in a source (`subject`, `text`, `attachments[n]`); for a list one for each item. */
function rangesIn(source: string, evidence: IntakeRecord['lens_evidence']): readonly Range[] {
  return Object.entries(evidence ?? {}).flatMap(([key, found]) => {
    if (found === null || found.source !== source) return []
    const { start, end, items } = found as Evidence
    return (items ?? [{ start, end }]).map((range) => ({ key, ...range }))
  })
}

/** Cuts a text where values begin and end. */
export function piecesOf(text: string, source: string, evidence: IntakeRecord['lens_evidence']): readonly Piece[] {
  const points = [...text]
  const ranges = rangesIn(source, evidence).filter(
    ({ start, end }) => start >= 0 && end <= points.length && start < end,
  )
  const cuts = [...new Set([0, points.length, ...ranges.flatMap(({ start, end }) => [start, end])])].toSorted(
    (a, b) => a - b,
  )
  return cuts.slice(0, -1).map((from, n) => {
    const to = cuts[n + 1] ?? points.length
    const keys = ranges.filter(({ start, end }) => start <= from && end >= to).map(({ key }) => key)
    return { text: points.slice(from, to).join(''), keys: [...new Set(keys)] }
  })
}
