/**
 * How a process and its extraction worker speak. The worker is sent files by its standard input, one at a time: two lengths, a
 * head in JSON, the content. It answers by pipe 3 with a line of JSON for each.
 */
import { readSync, writeSync } from 'node:fs'
import type { ExtractedText } from '../../mail/extraction/read-file.ts'

/** What the worker needs to know of a file beside its content. */
export type FileHead = { readonly name: string; readonly contentType: string }

/** What a file took: processor time, and the most memory that the worker ever had while it read. */
export type Cost = { readonly cpuMs: number; readonly peakBytes: number }

/**
 * What the worker says: that it is there; the text of a file, null for one without; or that it ends itself because of a limit, and which. `heldBytes`
 * is the memory that it has afterwards.
 */
export type Answer =
  | { readonly ready: true }
  | (Cost & { readonly extracted: ExtractedText | null; readonly heldBytes: number })
  | (Cost & { readonly over: 'memory' | 'time' })

/** The pieces of a frame, to be written one behind the other; the content is not copied. */
export function frameOf(head: FileHead, content: Buffer): readonly Buffer[] {
  const json = Buffer.from(JSON.stringify(head))
  const lengths = Buffer.alloc(lengthsBytes)
  lengths.writeUInt32LE(json.length, 0)
  lengths.writeUInt32LE(content.length, 4)
  return [lengths, json, content]
}

/** Waits for the next file. Null when the other process has closed the pipe, or is gone. */
export function nextFrame(): (FileHead & { readonly content: Buffer }) | null {
  const lengths = readFully(lengthsBytes)
  const json = lengths && readFully(lengths.readUInt32LE(0))
  const content = lengths && readFully(lengths.readUInt32LE(4))
  return json && content && { ...(JSON.parse(json.toString()) as FileHead), content }
}

/** An answer as it was written; null for part of one, whose worker was ended meanwhile. */
export function answerIn(line: string): Answer | null {
  try {
    return JSON.parse(line) as Answer
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

export function writeAnswer(answer: Answer): void {
  writeSync(answersPipe, `${JSON.stringify(answer)}\n`)
}

/** The worker's pipe for answers: what libraries print cannot come between. */
const answersPipe = 3
const lengthsBytes = 8

function readFully(length: number): Buffer | null {
  const whole = Buffer.allocUnsafeSlow(length)
  for (let at = 0; at < length; ) {
    const read = readSync(0, whole, at, length - at, null)
    if (read === 0) return null
    at += read
  }
  return whole
}
