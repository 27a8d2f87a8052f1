import { EngineError } from '../errors.ts'
import { asBuffer } from '../store/elements.ts'
import { type Message, parseMessage } from '../wire/message.ts'
import { isBlocked, requireUnblocked, setUserWriteBlockMode } from './block.ts'
import { createIndexes } from './builds.ts'
import { bulkWrite } from './bulkWrite.ts'
import { create, drop, dropDatabase, renameCollection } from './collections.ts'
import type { Statement, WriteContext } from './context.ts'
import { expire } from './expire.ts'
import { findAndModify } from './findAndModify.ts'
import { collMod, dropIndexes } from './indexes.ts'
import { insert } from './insert.ts'
import { embeddedJournal } from './journal.ts'
import { closeOutput, mergeDocuments, openOutput } from './output.ts'
import type { WriteRequest } from './protocol.ts'
import { remove, update } from './update.ts'

/** The commands that change data, by the names that clients use, and three of the engine's own that no client can call. */
const statements: Readonly<Record<string, (ctx: WriteContext, message: Message) => Statement>> = {
  insert,
  update,
  delete: remove,
  bulkWrite,
  findAndModify,
  findandmodify: findAndModify,
  createIndexes,
  dropIndexes,
  deleteIndexes: dropIndexes,
  create,
  drop,
  dropDatabase,
  renameCollection,
  collMod,
  mergeDocuments,
  openOutput,
  closeOutput,
  embeddedJournal,
  setUserWriteBlockMode,
}

/** The commands that run even while writes are blocked. */
const unblocked: ReadonlySet<string> = new Set(['embeddedJournal', 'setUserWriteBlockMode'])

/** The statement behind a request. @throws EngineError for malformed messages, UserWritesBlocked */
export function statementFor(
  ctx: WriteContext,
  request: Exclude<WriteRequest, { readonly kind: 'backup' }>,
): Statement {
  if (request.kind === 'expire') return isBlocked(ctx) ? nothing() : expire(ctx, new Date(request.now))
  const message = parseMessage(asBuffer(request.message))
  const run = statements[message.fields[0] ?? '']
  if (run === undefined) throw new EngineError('CommandNotFound', `no such command: '${message.fields[0]}'`)
  if (!unblocked.has(message.fields[0] ?? '')) requireUnblocked(ctx)
  return run(ctx, message)
}

// biome-ignore lint/correctness/useYield: a statement that never rests
function* nothing(): Statement {
  return { n: 0, ok: 1 }
}
