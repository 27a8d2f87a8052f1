/** Reads one command with its literals (RFC 9051 2.2.1, 4.3; RFC 7888). */
import { limits } from '../limits.ts'
import { Bad, No } from './answers.ts'
import type { Source } from './source.ts'

export type Literal = { readonly bytes: Buffer; readonly isBinary: boolean }

/** A command as received: the texts around its literals as Latin-1, one more than there are literals. */
export type CommandText = { readonly texts: readonly string[]; readonly literals: readonly Literal[] }

/** The command could not be read completely. Its tag, if there is one, can be answered. */
export class Refused extends Error {
  readonly tag: string | null
  readonly answer: No | Bad
  /** Whether the next command cannot be told from the rest of this one, so that the connection has to end. */
  readonly isLost: boolean

  constructor(tag: string | null, answer: No | Bad, isLost: boolean) {
    super(answer.message)
    this.tag = tag
    this.answer = answer
    this.isLost = isLost
  }
}

export type Reading = {
  readonly lineBytesMax: number
  /** Admits a literal that follows the text `before`. Fails with No or Bad when it is refused. */
  readonly admit: (before: string, size: number, bytesSoFar: number) => void
  /** Asks the client to send a literal. */
  readonly requestLiteral: () => void
  /** Called with 0 when the first byte of a command arrives, and with the size of each admitted literal. */
  readonly begun: (literalBytes: number) => void
}

/** Returns the next command, or null at the end of the connection. Fails with Refused. */
export async function readCommand(source: Source, reading: Reading): Promise<CommandText | null> {
  const texts: string[] = []
  const literals: Literal[] = []
  let bytesSoFar = 0
  if (!(await source.some())) return null
  reading.begun(0)
  for (;;) {
    const line = await source.line(reading.lineBytesMax)
    if (line === null) return null
    if (line === 'tooLong') throw new Refused(tagOf(texts[0] ?? ''), new Bad('The line is too long', 'TOOBIG'), true)
    const text = line.toString('latin1')
    const announced = announcement.exec(text)
    if (announced === null) return { texts: [...texts, text], literals }
    const before = text.slice(0, announced.index)
    const tag = tagOf(texts[0] ?? before)
    const size = Number(announced[2])
    const isWaiting = announced[3] === ''
    const refusal = refusalOf(reading, [...texts, before].join(' '), { size, bytesSoFar, count: literals.length })
    if (refusal !== null) {
      if (isWaiting) throw new Refused(tag, refusal, false)
      // RFC 7888 4: a non-synchronizing literal arrives although it is refused, and the rest of the command follows it.
      if (size > limits.skippedBytes) throw new Refused(tag, refusal, true)
      if (!(await skipRest(source, size, reading))) return null
      throw new Refused(tag, refusal, false)
    }
    reading.begun(size)
    if (isWaiting) reading.requestLiteral()
    const bytes = await source.bytes(size)
    if (bytes === null) return null
    bytesSoFar += size
    texts.push(before)
    literals.push({ bytes, isBinary: announced[1] === '~' })
  }
}

const announcement = /(~?)\{(\d{1,10})(\+?)\}$/

const tagOf = (text: string): string | null => /^[^\s(){%*"\\+]{1,100}(?= )/.exec(text)?.[0] ?? null

function refusalOf(
  { admit }: Reading,
  before: string,
  { size, bytesSoFar, count }: { size: number; bytesSoFar: number; count: number },
): No | Bad | null {
  try {
    if (count >= limits.literals) return new Bad('The command has too many literals', 'TOOBIG')
    admit(before, size, bytesSoFar)
    return null
  } catch (error) {
    if (error instanceof No || error instanceof Bad) return error
    throw error
  }
}

/** Skips a refused literal and the rest of its command. Returns false at the end of the connection, or if there is too much to skip. */
async function skipRest(source: Source, size: number, { lineBytesMax }: Reading): Promise<boolean> {
  for (let skip = size, total = size; ; ) {
    if (!(await source.skip(skip))) return false
    const line = await source.line(lineBytesMax)
    if (line === null || line === 'tooLong') return false
    const announced = announcement.exec(line.toString('latin1'))
    if (announced === null) return true
    // A synchronizing literal is not sent without a continuation request, so the command ends here.
    if (announced[3] === '') return true
    skip = Number(announced[2])
    total += skip
    if (total > limits.skippedBytes) return false
  }
}
