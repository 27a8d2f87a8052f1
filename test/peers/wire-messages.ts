/** Messages between a MongoDB driver and a server (OP_MSG, and OP_QUERY for the greeting), as a proxy between them sees them. */
import { type DeserializeOptions, type Document, deserialize } from 'bson'

export const opcodes = { reply: 1, query: 2004, message: 2013 } as const

export type Section = { readonly name: string | null; readonly from: number; readonly end: number }

/** Returns a function that takes bytes and passes on whole messages. */
export function framed(take: (frame: Buffer) => void): (bytes: Buffer) => void {
  let held: Buffer = Buffer.alloc(0)
  return (bytes) => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes])
    while (held.length >= 4 && held.length >= held.readInt32LE(0)) {
      const size = held.readInt32LE(0)
      take(held.subarray(0, size))
      held = held.subarray(size)
    }
  }
}

/** Returns the sections of a message: the body, whose name is null, and sequences of documents with their names. */
export function sectionsOf(frame: Buffer): readonly Section[] {
  const sections: Section[] = []
  for (let at = 20; at < frame.length; ) {
    const isBody = frame[at] === 0
    const end = at + 1 + frame.readInt32LE(at + 1)
    const nul = frame.indexOf(0, at + 5)
    sections.push(
      isBody ? { name: null, from: at + 1, end } : { name: frame.toString('latin1', at + 5, nul), from: nul + 1, end },
    )
    at = end
  }
  return sections
}

const plain: DeserializeOptions = { promoteBuffers: false, promoteLongs: true }
/** Keeps each value as it was sent, so that numbers keep their types when it is sent again. */
export const asSent: DeserializeOptions = { promoteValues: false, promoteLongs: false, bsonRegExp: true }

export type { Document } from 'bson'

/** Returns the command or the answer of a message: its body with the documents of its sequences. */
export function commandOf(frame: Buffer, values = plain): Document {
  if (frame.readInt32LE(12) === opcodes.query) return deserialize(frame.subarray(frame.indexOf(0, 20) + 9), values)
  const sections = sectionsOf(frame)
  const body = sections.find(({ name }) => name === null)
  if (body === undefined) throw new Error('A message without a body.')
  const command = deserialize(frame.subarray(body.from, body.end), values)
  for (const { name, from, end } of sections)
    if (name !== null) command[name] = documentsIn(frame, { from, end, values })
  return command
}

type Sequence = Pick<Section, 'from' | 'end'> & { readonly values: DeserializeOptions }

function documentsIn(frame: Buffer, { from, end, values }: Sequence): Document[] {
  const documents: Document[] = []
  for (let at = from; at < end; at += frame.readInt32LE(at))
    documents.push(deserialize(frame.subarray(at, at + frame.readInt32LE(at)), values))
  return documents
}
