/**
 * The protocol between a process and its extraction worker. The worker receives files on its standard input, one at a time: two
 * lengths, a head in JSON, the content. It answers each with a line of JSON on pipe 3.
 */
import { readSync, writeSync } from 'node:fs'
import type { ExtractedText } from '../../mail/extraction/read-file.ts'

/** What the worker needs to know of a file in addition to its content. */
export type FileHead = { readonly name: string; readonly contentType: string }

/** The cost of a file: its processor time, and the peak memory of its worker so far. */
export type Cost = { readonly cpuMs: number; readonly peakBytes: number }

/**
 * An answer of the worker: that it is ready; the text of a file, null when it has none; or the limit because of which the worker ends
 * itself. `heldBytes` is the memory that the worker holds after the file.
 */
export type Answer =
  | { readonly ready: true }
  | (Cost & { readonly extracted: ExtractedText | null; readonly heldBytes: number })
  | (Cost & { readonly over: 'memory' | 'time' })

/** The pieces of a frame, to be written one after another; the content is not copied. */
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

/** Reads an answer; null for an incomplete one, whose worker was ended while it wrote. */
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

/** The worker's pipe for answers, apart from standard output, so that nothing that libraries print comes in between. */
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
