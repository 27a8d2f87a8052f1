/** Scores the reply of a mail: a JSON file of plain texts, or a folder of HTML files and whole messages. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { readBody } from '../../mail/body/body.ts'
import { visibleText } from '../../mail/body/html-text.ts'
import { replyText } from '../../mail/body/reply.ts'
import { parseAddressList } from '../../mail/message/address.ts'
import { parseMessage } from '../../mail/message/parse.ts'
import { isSameText, type Outcome, shortly } from './outcomes.ts'

/** A plain body and what a person would keep of it. */
export type LabelledText = {
  readonly set: string
  readonly id: string
  /** The From field, where it is known. */
  readonly from?: string
  readonly input: string
  readonly expected: string
}

export function reply(file: string): readonly Outcome[] {
  return statSync(file).isDirectory() ? replyFolder(file) : labelledTexts(file).map(replyOutcome)
}

/** The cases of a JSON file. */
export function labelledTexts(file: string): readonly LabelledText[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly LabelledText[]
}

export function replyOutcome({ set, id, from, input, expected }: LabelledText): Outcome {
  return outcomeOf(set, id, replyText(input, { from: parseAddressList(from ?? '')[0] ?? null }), expected)
}

/** In a folder the reply is the first line that a reader sees, all else is signature and quoted history. */
function replyFolder(folder: string): readonly Outcome[] {
  const files = readdirSync(folder).filter((file) => /\.(?:html|eml)$/.test(file))
  return files.map((file) => {
    const raw = readFileSync(path.join(folder, file))
    const parsed = parseMessage(raw)
    const { text, html } = file.endsWith('.eml')
      ? readBody(raw, parsed)
      : { text: visibleText(raw.toString()).text, html: raw.toString() }
    const found = replyText(text, { html: file.endsWith('.eml') && parsed.hasText ? null : html, from: parsed.from })
    return outcomeOf(path.extname(file).slice(1), file, found, text.trim().split('\n')[0] ?? '')
  })
}

function outcomeOf(set: string, id: string, found: string, expected: string): Outcome {
  const isRight = isSameText(found, expected)
  return { set, id, isRight, difference: isRight ? '' : `${shortly(found)} instead of ${shortly(expected)}` }
}
