/** Sends the documents of a pipeline that ends in `$out` or `$merge` to the writer, batch by batch. */
import { randomUUID } from 'node:crypto'
import type { Merge, Output } from '../aggregate/output.ts'
import { checkNamespace } from '../arguments.ts'
import { decode, decodeRequest } from '../bson/decode.ts'
import { type Document, documentOf } from '../bson/document.ts'
import { readInSlices } from '../cursors/slices.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { replyMessage } from '../wire/reply.ts'
import type { Call } from './command.ts'

/** Writes all of `rows`, which are read to their end in slices, as those of any cursor. */
export async function writeOutput(
  call: Call,
  output: Output,
  rows: Iterator<Uint8Array | undefined>,
  deadline: number | undefined,
): Promise<void> {
  const database = output.database ?? call.database
  checkNamespace(database, output.collection, limits.namespaceBytes)
  const run = (command: Document) => perform(call, { ...command, $db: database })
  const each = (write: (documents: readonly Uint8Array[]) => Promise<void>) => inBatches(call, rows, deadline, write)
  await (output.kind === 'merge' ? merge(output, run, each) : replace(output.collection, run, each))
}

type Run = (command: Document) => Promise<void>
type Each = (write: (documents: readonly Uint8Array[]) => Promise<void>) => Promise<void>

async function merge(
  { collection, on, whenMatched, whenNotMatched, variablesOf }: Merge,
  run: Run,
  each: Each,
): Promise<void> {
  const how = {
    on: [...on],
    whenMatched: typeof whenMatched === 'string' ? whenMatched : [...whenMatched],
    whenNotMatched,
  }
  await each((documents) =>
    run({ mergeDocuments: collection, ...how, variables: documents.map((bytes) => variablesOf(decode(bytes))) }),
  )
}

/** Replaces a collection at once: readers see all of the old one or all of the new one. */
async function replace(collection: string, run: Run, each: Each): Promise<void> {
  const temporary = `tmp.agg_out.${randomUUID()}`
  await run({ openOutput: temporary, like: collection })
  try {
    await each((documents) => run({ insert: temporary, documents: documents.map((bytes) => decode(bytes)) }))
    await run({ closeOutput: temporary, as: collection })
  } catch (error) {
    await run({ drop: temporary })
    throw error
  }
}

async function inBatches(
  { engine }: Call,
  rows: Iterator<Uint8Array | undefined>,
  deadline: number | undefined,
  write: (documents: readonly Uint8Array[]) => Promise<void>,
): Promise<void> {
  for (let ended = false; !ended; ) {
    const documents: Uint8Array[] = []
    let bytes = 0
    const take = (doc: Uint8Array) => {
      documents.push(doc)
      bytes += doc.length
      return documents.length < limits.writeChunk && bytes < limits.writeChunkBytes
    }
    ended = await readInSlices(engine.reader, rows, take, deadline)
    if (documents.length > 0) await write(documents)
  }
}

/** Sends a request of the engine itself to the writer, in the same form as those of clients. @throws EngineError its failure */
async function perform({ engine }: Call, command: Document): Promise<void> {
  const message = new Uint8Array(replyMessage(documentOf(command), 0, 0, false))
  const reply = decodeRequest(await engine.writer.write({ kind: 'command', message }))
  const failure = Number(reply.ok) === 1 ? (reply.writeErrors as Document[] | undefined)?.[0] : reply
  if (failure === undefined) return
  const { code, errmsg, keyPattern, keyValue } = failure
  const extra = { ...(keyPattern !== undefined && { keyPattern, keyValue }) }
  throw new EngineError(Number(code), String(errmsg), extra)
}
