/** Scores charset decoding: a JSON file of bytes, each with its charset label, if any, and the text that it encodes. */
import { readFileSync } from 'node:fs'
import { readBody } from '../../mail/body/body.ts'
import { parseMessage } from '../../mail/message/parse.ts'
import { isSameText, type Outcome, shortly } from './outcomes.ts'

type LabelledBytes = {
  readonly set: string
  readonly id: string
  /** The charset that the part declares; null if it declares none. */
  readonly charset: string | null
  /** Where the bytes are: a plain text body (the default) or an 8-bit subject. */
  readonly in?: 'text' | 'subject'
  readonly base64: string
  readonly expected: string
}

export function charset(file: string): readonly Outcome[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as readonly LabelledBytes[]).map((labelled) => {
    const { set, id, expected } = labelled
    const got = read(labelled)
    const isRight = isSameText(got, expected)
    return { set, id, isRight, difference: isRight ? '' : `${shortly(got)} instead of ${shortly(expected)}` }
  })
}

function read({ charset: label, in: place = 'text', base64 }: LabelledBytes): string {
  const bytes = Buffer.from(base64, 'base64')
  if (place === 'subject')
    return parseMessage(Buffer.concat([Buffer.from('Subject: '), bytes, Buffer.from('\r\n\r\n')])).subject ?? ''
  const type = `Content-Type: text/plain${label === null ? '' : `; charset="${label}"`}\r\n`
  const raw = Buffer.from(`${type}Content-Transfer-Encoding: base64\r\n\r\n${base64}\r\n`)
  return readBody(raw, parseMessage(raw)).text
}
