/** Scores the fields that the rules of Lens read: a JSON file of messages with the values that each states. */
import { readFileSync } from 'node:fs'
import { visibleText } from '../../mail/body/html-text.ts'
import { readFields } from '../../mail/lens/read-fields.ts'
import type { LensEvidence, LensField, LensFinding, LensSource, LensValue } from '../../mail/lens/source.ts'
import { lensTemplates } from '../../mail/lens/templates.ts'
import type { Found, Outcome } from './outcomes.ts'

type Expected = LensValue | null

/** A message and the values that it states for some fields. */
export type LabelledFields = {
  readonly set: string
  readonly id: string
  /** The name of a template; without one, `fields` are used. */
  readonly template?: string
  readonly fields?: readonly LensField[]
  /** The day of the Date field, `YYYY-MM-DD`. */
  readonly date: string
  /** The language, if known; otherwise it is detected from the text. */
  readonly language?: string
  readonly subject: string
  /** The body: plain text, or HTML whose visible text is read. */
  readonly text?: string
  readonly html?: string
  /** Quoted history below the body. */
  readonly history?: string
  /** Texts of attachments. */
  readonly attachments?: readonly string[]
  /** The value of each key; null if the message does not state it, `anyOf` if several answers are right. */
  readonly expected: { readonly [key: string]: Expected | { readonly anyOf: readonly Expected[] } }
}

export function lens(file: string): readonly Outcome[] {
  return labelledFields(file).map(lensOutcome)
}

/** The cases of a file. */
export function labelledFields(file: string): readonly LabelledFields[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly LabelledFields[]
}

/** Scores a message: counts over all values, by type and by template, and how many values are where their evidence says. */
export function lensOutcome(labelled: LabelledFields): Outcome {
  const fields = labelled.fields ?? lensTemplates.find(({ name }) => name === labelled.template)?.fields
  if (fields === undefined) throw new Error(`${labelled.id}: there is no template ${labelled.template}.`)
  const source = sourceOf(labelled)
  const answer = readFields(fields, source)
  const found: { [kind: string]: Found } = {}
  const add = (kind: string, { right, wrong, missed }: Found) => {
    const before = found[kind] ?? nothing
    found[kind] = { right: before.right + right, wrong: before.wrong + wrong, missed: before.missed + missed }
  }
  const told: string[] = []
  for (const { key, type } of fields) {
    const finding = answer.get(key) ?? null
    const count = compared(labelled.expected[key] ?? null, finding)
    for (const kind of ['all', type, ...(labelled.template === undefined ? [] : [labelled.template])]) add(kind, count)
    if (finding !== null)
      add('evidence', hasEvidence(finding, source) ? { ...nothing, right: 1 } : { ...nothing, wrong: 1 })
    if (count.wrong + count.missed > 0)
      told.push(`${key} ${JSON.stringify(finding?.value ?? null)} instead of ${JSON.stringify(labelled.expected[key])}`)
  }
  const { set, id } = labelled
  return { set, id, isRight: told.length === 0, difference: told.join(', '), found }
}

const nothing: Found = { right: 0, wrong: 0, missed: 0 }

/** The input to Lens for a labelled message. */
export function sourceOf({
  subject,
  text,
  html,
  history,
  attachments = [],
  date,
  language,
}: LabelledFields): LensSource {
  const body = text ?? visibleText(html ?? '').text
  const start = body.length + 2
  const whole = history === undefined ? body : `${body}\n\n${history}`
  return {
    subject,
    text: whole,
    quoted: history === undefined ? [] : [[start, whole.length]],
    attachments: attachments.map((each) => ({ text: each })),
    date: new Date(`${date}T09:00:00Z`),
    ...(language !== undefined && { language }),
  }
}

function compared(expected: LabelledFields['expected'][string], finding: LensFinding | null): Found {
  const allowed = isChoice(expected) ? expected.anyOf : [expected]
  if (finding === null) return { ...nothing, missed: allowed.includes(null) ? 0 : 1 }
  const isRight = allowed.some((value) => value !== null && comparable(value) === comparable(finding.value))
  return isRight ? { ...nothing, right: 1 } : { right: 0, wrong: 1, missed: allowed.includes(null) ? 0 : 1 }
}

const isChoice = (expected: LabelledFields['expected'][string]): expected is { readonly anyOf: readonly Expected[] } =>
  typeof expected === 'object' && expected !== null && 'anyOf' in expected

/** The form in which values are compared: it ignores case, white space, the order of items and a quantity before an item (`2 x`). */
function comparable(value: LensValue): string {
  if (typeof value === 'string') return value.replace(/\s+/g, ' ').trim().toLowerCase()
  if (typeof value !== 'object') return JSON.stringify(value)
  return JSON.stringify(value.map((item) => comparable(item).replace(/^\d+ ?[x×] /, '')).sort())
}

/** Whether the evidence of a finding lies inside the message and, for a text value, contains it. */
function hasEvidence({ value, evidence }: LensFinding, source: LensSource): boolean {
  const points = [...textOf(evidence, source)]
  const at = ({ start, end }: { readonly start: number; readonly end: number }) =>
    points.slice(start, end).join('').replace(/\s+/g, ' ')
  if (evidence.start >= evidence.end || evidence.end > points.length) return false
  if (typeof value === 'string')
    return /^\d{4}-\d\d-\d\d$/.test(value) || at(evidence).includes(value) || isParted(value, at(evidence))
  if (typeof value !== 'object') return true
  const items = evidence.items ?? []
  return items.length === value.length && items.every((item, n) => at(item).includes(value[n] as string))
}

/** Whether the value is a personal name whose parts occur in two fields of a form. No other value may be assembled from parts. */
const isParted = (value: string, text: string): boolean =>
  /^\p{Lu}[\p{L}'’.-]*(?: [\p{L}'’.-]+){1,4}$/u.test(value) && value.split(' ').every((word) => text.includes(word))

function textOf({ source: place }: LensEvidence, { subject, text, attachments }: LensSource): string {
  if (place === 'subject') return subject
  return place === 'text' ? text : (attachments[Number(/\d+/.exec(place)?.[0])]?.text ?? '')
}
