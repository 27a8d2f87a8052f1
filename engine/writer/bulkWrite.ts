/**
 * Inserts, updates and deletes on several collections, by one command.
 *
 * Invariants
 * - The whole request is read before its first operation runs: a malformed request is refused and changes nothing.
 * - Operations run in order, and each fails alone. An ordered request ends with the first that fails and keeps the earlier ones.
 * - Once the results fill `limits.bulkResultBytes`, the next operation fails with `ExceededMemoryLimit`, and no further one runs.
 * - Up to `limits.writeChunk` operations or documents and `limits.writeChunkBytes` of inserts are one step, and so in one
 *   commit. A longer request rests there, as an insert does.
 *
 * Source: the `bulkWrite` command of MongoDB 8.0, and `source/crud/bulk-write.md` of the driver specifications.
 */
import { Long } from 'bson'
import { checkCollation, checkNamespace, documentField, flagField, hintField, isNumber } from '../arguments.ts'
import { decodeRequest } from '../bson/decode.ts'
import { type Document, isDocument } from '../bson/document.ts'
import { encodeAnswer } from '../bson/encode.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Message } from '../wire/message.ts'
import { type Operation, readOperations } from './bulkOperations.ts'
import type { Statement, WriteContext } from './context.ts'
import { insertOne } from './insert.ts'
import { bulkResultsNamespace } from './protocol.ts'
import { writeError } from './results.ts'
import { deleteOne, type OneDelete, type Run, readUpdate, runOf, updateOne } from './update.ts'

export function* bulkWrite(ctx: WriteContext, message: Message): Statement {
  const operations = readOperations(message)
  const ordered = flagField(message.body, 'ordered', true)
  const results = new Results(message.body)
  const run = runOf(message)
  let work = 0
  let bytes = 0
  for (const [index, operation] of operations.entries()) {
    if (results.isFull) {
      results.addError(index, operation.kind, tooManyResults())
      break
    }
    try {
      const outcome = yield* perform(ctx, message, operation, run)
      results.add(index, operation.kind, outcome)
      work += Math.max(1, outcome.n)
      bytes += outcome.bytes ?? 0
    } catch (error) {
      results.addError(index, operation.kind, error)
      if (ordered) break
      work++
    }
    if ((work >= limits.writeChunk || bytes > limits.writeChunkBytes) && index + 1 < operations.length) {
      work = 0
      bytes = 0
      yield
    }
  }
  return results.reply()
}

/** The effect of one operation; `bytes` is the size of an inserted document. */
type Outcome = {
  readonly n: number
  readonly nModified?: number
  readonly upserted?: Document
  readonly bytes?: number
}

function* perform(
  ctx: WriteContext,
  message: Message,
  { kind, database, name, from, to }: Operation,
  run: Run,
): Generator<void, Outcome, void> {
  if (kind === 'insert') return { n: 1, bytes: insertOne(ctx, database, name, message.bytes, from, to) }
  checkNamespace(database, name, limits.namespaceBytes)
  const spec = decodeRequest(message.bytes.subarray(from, to))
  if (kind === 'delete') {
    const counts = { n: 0 }
    yield* deleteOne(ctx, database, name, readDelete(spec), counts, run)
    return counts
  }
  const counts = { n: 0, nModified: 0 }
  const id = yield* updateOne(ctx, database, name, readUpdate(spec, 'filter', 'updateMods'), counts, run)
  return id === undefined ? counts : { ...counts, upserted: { _id: id } }
}

function readDelete(spec: Document): OneDelete {
  checkCollation(spec)
  return { filter: documentField(spec, 'filter'), multi: flagField(spec, 'multi'), hint: hintField(spec) }
}

/** The results of a request: all of them, the errors alone or none, as its client asks. */
class Results {
  readonly #rows: Document[] = []
  readonly #counts = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 }
  readonly #keeps: 'all' | 'errors' | 'nothing'
  #bytes = 0

  constructor(body: Document) {
    const unacknowledged =
      isDocument(body.writeConcern) && isNumber(body.writeConcern.w) && Number(body.writeConcern.w) === 0
    if (unacknowledged) this.#keeps = 'nothing'
    else this.#keeps = flagField(body, 'errorsOnly') ? 'errors' : 'all'
  }

  get isFull(): boolean {
    return this.#bytes >= limits.bulkResultBytes
  }

  add(idx: number, kind: Operation['kind'], { n, nModified, upserted }: Outcome): void {
    const counts = this.#counts
    if (kind === 'insert') counts.nInserted += n
    else if (kind === 'delete') counts.nDeleted += n
    else if (upserted !== undefined) counts.nUpserted += n
    else counts.nMatched += n
    counts.nModified += nModified ?? 0
    if (this.#keeps === 'all')
      this.#keep({ ok: 1, idx, n, ...(nModified !== undefined && { nModified }), ...(upserted && { upserted }) })
  }

  addError(idx: number, kind: Operation['kind'], error: unknown): void {
    const { index: _, ...failure } = writeError(idx, error)
    this.#counts.nErrors++
    if (this.#keeps !== 'nothing')
      this.#keep({ ok: 0, idx, ...failure, n: 0, ...(kind === 'update' && { nModified: 0 }) })
  }

  reply(): Document {
    const cursor = { id: Long.ZERO, firstBatch: this.#rows, ns: bulkResultsNamespace }
    return { cursor, ...this.#counts, ok: 1 }
  }

  #keep(row: Document): void {
    this.#bytes += encodeAnswer(row).length
    this.#rows.push(row)
  }
}

function tooManyResults(): EngineError {
  return new EngineError(
    'ExceededMemoryLimit',
    `BulkWrite response size exceeded limit (${limits.bulkResultBytes} bytes)`,
  )
}
