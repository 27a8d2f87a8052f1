/** Scores the reading of HTML bodies and their plain alternatives: a JSON file of documents with their visible and hidden words. */
import { readFileSync } from 'node:fs'
import { readBody } from '../../mail/body/body.ts'
import { parseMessage } from '../../mail/message/parse.ts'
import { type Outcome, shortly } from './outcomes.ts'

/** An HTML body, possibly with a plain alternative, and words of it that a person sees and does not see. */
export type LabelledHtml = {
  readonly set: string
  readonly id: string
  readonly html: string
  readonly plain?: string
  /** The From field; without it the message has no sender. */
  readonly from?: string
  /** Words that `text` must contain. */
  readonly visible: readonly string[]
  /**
   * Words that `text` must not contain and that must be reported. If this is empty, nothing may be reported; with a plain part, no
   * `alternative` may be.
   */
  readonly hidden: readonly string[]
}

export function hidden(file: string): readonly Outcome[] {
  return labelledHtml(file).map(hiddenOutcome)
}

/** The cases of a file. */
export function labelledHtml(file: string): readonly LabelledHtml[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly LabelledHtml[]
}

export function hiddenOutcome(labelled: LabelledHtml): Outcome {
  const raw = mailOf(labelled)
  const { text, hidden: reports } = readBody(raw, parseMessage(raw))
  const [seen, reported] = [words(text), words(reports.map(({ excerpt }) => excerpt).join(' '))]
  const missing = labelled.visible.filter((each) => !seen.includes(words(each)))
  const shown = labelled.hidden.filter((each) => seen.includes(words(each)) && !isPartOf(each, labelled.visible))
  const silent = labelled.hidden.filter((each) => !reported.includes(words(each)))
  // With a plain part, only the reports of a different alternative are scored.
  const asked = reports.filter(({ kind }) => labelled.plain === undefined || kind === 'alternative')
  const wrongly = labelled.hidden.length > 0 ? [] : asked.map(({ kind, excerpt }) => `${kind} ${shortly(excerpt)}`)
  const difference = [
    ...missing.map((each) => `left out ${each}`),
    ...shown.map((each) => `shown ${each}`),
    ...silent.map((each) => `not reported ${each}`),
    ...wrongly.map((each) => `wrongly reported ${each}`),
  ].join(', ')
  const found = { right: labelled.hidden.length - silent.length, wrong: wrongly.length, missed: silent.length }
  const { set, id } = labelled
  return { set, id, isRight: difference === '', difference, found: { reports: found } }
}

/** Whether `text` is part of one of `texts`: hidden words may also occur in the visible text. */
const isPartOf = (text: string, texts: readonly string[]) => texts.some((each) => words(each).includes(words(text)))

const words = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase()

/** The message of a case. */
export function mailOf({ html, plain, from }: LabelledHtml): Buffer {
  const head = from === undefined ? '' : `From: ${from}\n`
  const rich = `Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${html}`
  if (plain === undefined) return wire(head + rich)
  const part = `Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${plain}`
  return wire(
    `${head}Content-Type: multipart/alternative; boundary="=_alternatives"\n\n--=_alternatives\n${part}\n--=_alternatives\n${rich}\n--=_alternatives--\n`,
  )
}

const wire = (text: string) => Buffer.from(text.replace(/\r?\n/g, '\r\n'))
