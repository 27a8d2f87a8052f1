/** Reads one command with its literals (RFC 9051 2.2.1, 4.3; RFC 7888). */
import { limits } from '../limits.ts'
import { Bad, No } from './answers.ts'
import type { Source } from './source.ts'

export type Literal = { readonly bytes: Buffer; readonly isBinary: boolean }

/** A command as it came: the text around its literals (one piece more than there are literals), as Latin-1. */
export type CommandText = { readonly texts: readonly string[]; readonly literals: readonly Literal[] }

/** The command could not be taken whole; its tag, when there is one, can be answered. */
export class Refused extends Error {
  readonly tag: string | null
  readonly answer: No | Bad
  /** Whether what follows cannot be told from the rest of the command, so that the connection has to end. */
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
  /** Lets a literal in that stands after this text. Fails with No or Bad when it may not come. */
  readonly admit: (before: string, size: number, bytesSoFar: number) => void
  /** Asks the client to send a literal. */
  readonly goOn: () => void
  /** Called with the first byte, when a command has begun, and with each literal that is let in and has so many bytes. */
  readonly begun: (literalBytes: number) => void
}

/** The next command; null at the end of the connection. Fails with Refused. */
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
      // RFC 7888 4: it comes all the same, and the rest of the command after it.
      if (size > limits.skippedBytes) throw new Refused(tag, refusal, true)
      if (!(await skipRest(source, size, reading))) return null
      throw new Refused(tag, refusal, false)
    }
    reading.begun(size)
    if (isWaiting) reading.goOn()
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

/** Throws away a literal that was refused, with what follows of its command. False at the end of the connection. */
async function skipRest(source: Source, size: number, { lineBytesMax }: Reading): Promise<boolean> {
  for (let skip = size, total = size; ; ) {
    if (!(await source.skip(skip))) return false
    const line = await source.line(lineBytesMax)
    if (line === null || line === 'tooLong') return false
    const announced = announcement.exec(line.toString('latin1'))
    if (announced === null) return true
    // A client that asks whether it may go on is not answered: the command is refused.
    if (announced[3] === '') return true
    skip = Number(announced[2])
    total += skip
    if (total > limits.skippedBytes) return false
  }
}
