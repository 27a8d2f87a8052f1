/** Scores verification codes and links: a JSON file, or a text file of records (test/fixtures/verification/README.md). */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { findVerification } from '../../mail/codes/verification.ts'
import { parseMessage } from '../../mail/message/parse.ts'
import type { Found, Outcome } from './outcomes.ts'

/** A message with the codes that its reader has to copy and the links to open. */
export type LabelledMail = {
  readonly set: string
  readonly id: string
  readonly subject: string
  /** The body; HTML if it begins with a tag. */
  readonly input: string
  readonly codes: readonly string[]
  readonly links: readonly string[]
}

export function codes(file: string): readonly Outcome[] {
  return labelledMails(file).map(codesOutcome)
}

/** The cases of a file. */
export function labelledMails(file: string): readonly LabelledMail[] {
  const text = readFileSync(file, 'utf8')
  if (!file.endsWith('.json')) return recordsOf(text, path.basename(file))
  const mails = JSON.parse(text) as readonly (Omit<LabelledMail, 'codes' | 'links'> & Partial<LabelledMail>)[]
  return mails.map((mail) => ({ ...mail, codes: mail.codes ?? [], links: mail.links ?? [] }))
}

export function codesOutcome({ set, id, subject, input, codes, links }: LabelledMail): Outcome {
  const raw = mailOf(subject, input)
  const got = findVerification(raw, parseMessage(raw)) ?? { codes: [], links: [] }
  const of = {
    codes: compared(
      codes,
      got.codes.map(({ value }) => value),
    ),
    links: compared(
      links,
      got.links.map(({ url }) => url),
    ),
  }
  const difference = [...of.codes.told, ...of.links.told].join(', ')
  const found = { codes: of.codes.found, links: of.links.found }
  return { set, id: `${id} (${subject})`, isRight: difference === '', difference, found }
}

/** A message with this subject and body, in UTF-8. */
export function mailOf(subject: string, body: string): Buffer {
  const type = /^<(?!http)/.test(body) ? 'text/html' : 'text/plain'
  const word = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`
  const head = `Subject: ${word}\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n`
  return Buffer.from((head + body).replaceAll('\n', '\r\n'))
}

function compared(expected: readonly string[], got: readonly string[]): { found: Found; told: readonly string[] } {
  const missed = expected.filter((each) => !got.includes(each))
  const wrong = got.filter((each) => !expected.includes(each))
  return {
    found: { right: expected.length - missed.length, wrong: wrong.length, missed: missed.length },
    told: [...missed.map((each) => `missed ${each}`), ...wrong.map((each) => `wrongly ${each}`)],
  }
}

/** Parses records of the form `## + codes | subject`, expected links on lines that begin with `> `, then the body. */
function recordsOf(text: string, file: string): readonly LabelledMail[] {
  const records = text.split(/^## /m).slice(1)
  return records.map((record, n) => {
    const [head = '', ...lines] = record.split('\n')
    const [, held, , expected = '', subject = ''] = /^(h?)([+-]) ?([^|]*)\| ?(.*)$/.exec(head) ?? []
    const links = lines.filter((_, n) => lines.slice(0, n + 1).every((each) => each.startsWith('> http')))
    return {
      set: held === 'h' ? heldOut : 'ordinary',
      id: `${file} ${n + 1}`,
      subject,
      input: lines.slice(links.length).join('\n'),
      codes: expected.split(',').flatMap((code) => (code.trim() === '' ? [] : [code.trim()])),
      links: links.map((line) => line.slice(2)),
    }
  })
}

/** The set of records that rules must not be tuned for. */
export const heldOut = 'held out'
