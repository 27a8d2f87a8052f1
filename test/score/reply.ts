/** Scores reply extraction: a JSON file of bodies, or a folder of HTML files and whole messages. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { readBody } from '../../mail/body/body.ts'
import { visibleText } from '../../mail/body/html-text.ts'
import { type ReplyOptions, replyText, withoutQuotes, withoutSignature } from '../../mail/body/reply.ts'
import { parseAddressList } from '../../mail/message/address.ts'
import { parseMessage } from '../../mail/message/parse.ts'
import { isSameText, type Outcome, shortly } from './outcomes.ts'

/** A body, and the part of it that a person would keep. */
export type LabelledText = {
  readonly set: string
  readonly id: string
  /** The From and Subject fields, if known. */
  readonly from?: string
  readonly subject?: string
  /** Plain text, or HTML if it begins with a tag. */
  readonly input: string
  /** The HTML alternative of a plain text. */
  readonly html?: string
  /** The body without quoted history, if labelled. */
  readonly own?: string
  /** The body without quoted history and signature. */
  readonly expected: string
}

/** A labelled body as the readers receive it. */
export type ReplyCase = Omit<LabelledText, 'input' | 'html'> & {
  /** The visible text. */
  readonly text: string
  readonly html: string | null
  /** Whether the text was written as plain text; `html`, if present, is then its alternative. */
  readonly isPlain: boolean
}

/** What a reader extracts from a body. */
export type ReadReply = {
  /** The body without quoted history. */
  readonly own: string
  /** The body without quoted history and signature. */
  readonly reply: string
}

/** A program that extracts replies, from all cases of a file in one call. */
export type Reader = { readonly name: string; readonly read: (cases: readonly ReplyCase[]) => readonly ReadReply[] }

const ours: Reader = {
  name: 'Mailroom',
  read: (cases) =>
    cases.map((labelled) => ({
      own: withoutQuotes(labelled.text, optionsOf(labelled)),
      reply: replyText(labelled.text, optionsOf(labelled)),
    })),
}

export function reply(file: string): readonly Outcome[] {
  return repliesBeside(file, [])
}

/** The outcomes of a file, with those of other readers beside our own. */
export function repliesBeside(file: string, others: readonly Reader[]): readonly Outcome[] {
  const cases = replyCases(file)
  const all = [ours, ...others].map(({ name, read }) => ({ name, replies: read(cases) }))
  return cases.map((labelled, i) => {
    const read = all.map(({ name, replies }) => [name, replies[i] as ReadReply] as const)
    return { ...replyOutcome(labelled), beside: besideOf(labelled, read) }
  })
}

/** The cases of a JSON file. */
export function labelledTexts(file: string): readonly LabelledText[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly LabelledText[]
}

export function replyCase({ input, html, ...labels }: LabelledText): ReplyCase {
  const isHtml = /^\s*<[a-z!?]/i.test(input)
  return {
    ...labels,
    text: isHtml ? visibleText(input).text : input,
    html: isHtml ? input : (html ?? null),
    isPlain: !isHtml,
  }
}

/** Scores a case: right if both the reply and the body without quoted history match their labels. */
export function replyOutcome(labelled: ReplyCase): Outcome {
  const { set, id } = labelled
  const [{ own, reply: found }] = ours.read([labelled]) as [ReadReply]
  const isRight = isReply(labelled, found)
  const differences = [
    ...(isRight ? [] : [`${shortly(found)} instead of ${shortly(labelled.expected)}`]),
    ...(isOwn(labelled, own)
      ? []
      : [`without quotes ${shortly(own)} instead of ${shortly(labelled.own ?? labelled.expected)}`]),
  ]
  return { set, id, isRight, difference: differences.join('; ') }
}

function besideOf(
  labelled: ReplyCase,
  read: readonly (readonly [name: string, read: ReadReply])[],
): NonNullable<Outcome['beside']> {
  const { own } = labelled
  const signature = own === undefined ? null : isReply(labelled, withoutSignature(own, senderOf(labelled)))
  return {
    ...Object.fromEntries(read.map(([name, { own }]) => [`quotes alone, ${name}`, isOwn(labelled, own)])),
    ...(signature !== null && { 'signature alone, Mailroom': signature }),
    ...Object.fromEntries(read.map(([name, { reply }]) => [`quotes and signature, ${name}`, isReply(labelled, reply)])),
  }
}

function isReply(labelled: ReplyCase, found: string): boolean {
  return isSame(labelled, found, labelled.expected)
}

/** If a case has no label for the body with its signature (`own`), any signature that we detect may remain. */
function isOwn(labelled: ReplyCase, found: string): boolean {
  if (labelled.own !== undefined) return isSame(labelled, found, labelled.own)
  return isReply(labelled, found) || isReply(labelled, withoutSignature(found, senderOf(labelled)))
}

/** Programs convert HTML to text in many ways, so for HTML only the words are compared. */
function isSame({ isPlain }: ReplyCase, found: string, expected: string): boolean {
  return isPlain ? isSameText(found, expected) : wordsOf(found) === wordsOf(expected)
}

function wordsOf(text: string): string {
  return text
    .replace(/<https?:[^>]*>|\(https?:[^)]*\)/g, '')
    .replace(/^[> ]+|^[_=*-]{3,}$/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function optionsOf(labelled: ReplyCase): ReplyOptions {
  return { html: labelled.html, subject: labelled.subject ?? null, ...senderOf(labelled) }
}

function senderOf({ from }: ReplyCase): Pick<ReplyOptions, 'from'> {
  return { from: parseAddressList(from ?? '')[0] ?? null }
}

/** The cases of a file or folder. */
export function replyCases(file: string): readonly ReplyCase[] {
  return statSync(file).isDirectory() ? folderCases(file) : labelledTexts(file).map(replyCase)
}

/** In a folder without labels, the reply is the first visible line and everything else is signature or quoted history. */
function folderCases(folder: string): readonly ReplyCase[] {
  const labelFile = path.join(folder, 'labels.json')
  const labels = existsSync(labelFile) ? (JSON.parse(readFileSync(labelFile, 'utf8')) as Labels) : {}
  const files = readdirSync(folder).filter((file) => /\.(?:html|eml)$/.test(file))
  return files.map((file) => {
    const raw = readFileSync(path.join(folder, file))
    const read = file.endsWith('.eml') ? messageOf(raw) : replyCase({ ...nobody, input: raw.toString() })
    const label = labels[file] ?? { expected: read.text.trim().split('\n')[0] ?? '' }
    return { ...read, set: path.extname(file).slice(1), id: file, ...label }
  })
}

type Labels = Readonly<Record<string, Pick<LabelledText, 'own' | 'expected'>>>
const nobody = { set: '', id: '', expected: '' }

function messageOf(raw: Buffer): Omit<ReplyCase, 'set' | 'id' | 'own' | 'expected'> {
  const parsed = parseMessage(raw)
  const { text, html } = readBody(raw, parsed)
  const { from } = parsed
  return {
    text,
    html,
    isPlain: parsed.hasText,
    ...(from && { from: `"${from.name}" <${from.address}>` }),
    ...(parsed.subject !== null && { subject: parsed.subject }),
  }
}
