/**
 * Exports of whole accounts, made in the background as one zip file, which a signed link opens for a day. Invariants: an account has one
 * export under way at a time; the process that makes it holds its lease; if that process dies, it is made again from the beginning,
 * a bounded number of times. A try that ends because the object store is away does not count.
 */
import { Failure } from '../../schemas/failures.ts'
import { newId, newToken } from '../../schemas/ids.ts'
import type { ExportDoc } from '../../store/documents/accounts.ts'
import * as store from '../../store/exports.ts'
import { ObjectStoreError } from '../../store/object-store.ts'
import type { Principal } from '../access/principal.ts'
import { readToken, signToken } from '../access/signed-tokens.ts'
import { takeUsage } from '../access/usage.ts'
import { after, dayMs, minuteMs, periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { archiveOf } from './archive.ts'
import { exportOf } from './export.ts'

const leaseMs = 5 * minuteMs
/** How long the finished file is kept and its link works. */
const keptMs = dayMs
/** An export that fails, or whose process dies, this often is not tried again. */
const triesMax = 3
/** Exports of an account in a day, so that they do not fill the disk: each is as large as the account. */
const perDay = 5
const chunkBytes = 1024 * 1024
const purpose = 'export'

export type ExportState = Pick<ExportDoc, 'state' | 'written' | 'total' | 'createdAt'> & {
  readonly id: string
  /** The finished file; null until then. */
  readonly file: { readonly sizeBytes: number; readonly url: string; readonly expiresAt: Date } | null
}

/**
 * Requests an export of the whole account; returns the one under way, if there is one. Fails with `forbidden` for an agent key or a member
 * who is no owner, and with `rate_limited` past 5 in a day.
 */
export async function requestExport(ctx: Context, principal: Principal): Promise<ExportState> {
  requireWholeAccount(principal)
  const { accountId } = principal
  const newest = await store.newestExport(ctx.store, accountId)
  if (newest?.dueAt !== undefined) return stateOf(ctx, newest)
  const at = ctx.clock.now()
  const doc: ExportDoc = {
    _id: newId('exp', at),
    accountId,
    state: 'waiting',
    createdAt: at,
    // No process starts it before it is counted.
    dueAt: after(at, leaseMs),
    tries: 0,
    written: 0,
    total: 0,
    chunks: 0,
    sizeBytes: 0,
    expiresAt: after(at, 2 * keptMs),
  }
  if (!(await store.insertExport(ctx.store, doc))) return getExport(ctx, principal)
  if (!(await takeUsage(ctx, { owner: accountId, period: 'day', counter: 'exports', by: 1, limit: perDay, at }))) {
    await store.removeExport(ctx.store, doc)
    throw new Failure('rate_limited', `At most ${perDay} exports can be made in a day.`, {
      retryAfter: secondsUntil(at, periodsOf(at).dayEnd),
    })
  }
  await store.startExport(ctx.store, doc, at)
  makeExports(ctx).catch((error: unknown) =>
    ctx.log.error({ err: error, exportId: doc._id }, 'an export could not be started; it is tried again later'),
  )
  return stateOf(ctx, doc)
}

/** The newest export of the account. Fails with `not_found`, and with `forbidden` as `requestExport` does. */
export async function getExport(ctx: Context, principal: Principal): Promise<ExportState> {
  requireWholeAccount(principal)
  const newest = await store.newestExport(ctx.store, principal.accountId)
  if (newest === null)
    throw new Failure('not_found', 'No export was asked for, or the last one has expired.', {
      fix: 'Ask for one: POST /api/v1/account/export.',
    })
  return stateOf(ctx, newest)
}

/** Fails with `forbidden` for a caller that may not read the whole account. */
function requireWholeAccount({ kind, role }: Pick<Principal, 'kind' | 'role'>): void {
  if (kind !== 'account' || (role !== null && role !== 'owner'))
    throw new Failure('forbidden', 'Only an owner or an account key may export the account.', {
      fix: 'Ask an owner of the account, or use an account key.',
    })
}

/** The bytes of an export's file, which are read as they are needed. */
export type ExportContent = { readonly sizeBytes: number; read(): AsyncIterable<Buffer> }

/** The file that a link's token leads to. Fails with `not_found`. */
export async function openExport(
  ctx: Context,
  token: string,
): Promise<{ readonly name: string; readonly content: ExportContent }> {
  const [exportId = ''] = readToken(ctx, purpose, token)?.ids ?? []
  const doc = exportId === '' ? null : await store.findExport(ctx.store, exportId)
  if (doc === null || doc.state !== 'done' || doc.expiresAt <= ctx.clock.now())
    throw new Failure('not_found', 'The link is invalid or has expired.', { fix: 'Ask for a new export.' })
  const { sizeBytes, createdAt } = doc
  const name = `mailroom-export-${createdAt.toISOString().slice(0, 10)}.zip`
  return { name, content: { sizeBytes, read: () => piecesOf(ctx, doc) } }
}

async function* piecesOf(ctx: Context, doc: ExportDoc): AsyncGenerator<Buffer> {
  for (let n = 0; n < doc.chunks; n++) {
    const piece = await store.readExportChunk(ctx.store, doc, n)
    if (piece === null) throw new Error(`The export ${doc._id} ended while it was read.`)
    yield piece
  }
}

/** Makes the exports that are due, one after another. Returns how many. */
export async function makeExports(ctx: Context): Promise<number> {
  for (let made = 0; ; made++) {
    const now = ctx.clock.now()
    const doc = await store.claimExport(ctx.store, { now, until: after(now, leaseMs), token: newToken() })
    if (doc === null) return made
    const { tries, awayTries = 0 } = doc
    if (tries - awayTries > triesMax) {
      ctx.log.error(
        { exportId: doc._id, tries },
        'an export failed: each process that made it ended before it was done',
      )
      await fail(ctx, doc)
      continue
    }
    try {
      if (!(await write(ctx, doc))) continue
      await store.endExport(ctx.store, doc, { state: 'done', expiresAt: after(ctx.clock.now(), keptMs) })
    } catch (error) {
      if (await noteAway(ctx, doc, error)) continue
      ctx.log.error({ err: error, exportId: doc._id }, 'an export failed')
      if (tries - awayTries === triesMax) await fail(ctx, doc)
    }
  }
}

/** Notes that a try ended because the object store is away; it is made again when its lease ends. Returns false for any other error. */
async function noteAway(ctx: Context, doc: ExportDoc, error: unknown): Promise<boolean> {
  if (!(error instanceof ObjectStoreError)) return false
  ctx.log.warn({ err: error, exportId: doc._id }, 'an export waits: the object store is away')
  await store.noteExport(ctx.store, doc, { awayTries: (doc.awayTries ?? 0) + 1 })
  return true
}

function fail(ctx: Context, doc: ExportDoc): Promise<boolean> {
  return store.endExport(ctx.store, doc, { state: 'failed', expiresAt: doc.expiresAt })
}

/** Writes the file, piece by piece. Returns false when the lease was lost or the export was erased meanwhile. */
async function write(ctx: Context, doc: ExportDoc): Promise<boolean> {
  let written = 0
  const { files, total } = await exportOf(ctx, doc.accountId, () => {
    written += 1
  })
  const kept = { ...doc, expiresAt: after(ctx.clock.now(), 2 * keptMs) }
  let chunks = 0
  let sizeBytes = 0
  for await (const piece of archiveOf(files, { mtime: doc.createdAt, pieceBytes: chunkBytes })) {
    await store.insertExportChunk(ctx.store, kept, chunks, piece)
    chunks += 1
    sizeBytes += piece.length
    const dueAt = after(ctx.clock.now(), leaseMs)
    if (!(await store.noteExport(ctx.store, doc, { dueAt, written, total, chunks, sizeBytes }))) return false
  }
  return true
}

function stateOf(ctx: Context, doc: ExportDoc): ExportState {
  const { _id, state, written, total, createdAt, sizeBytes, expiresAt } = doc
  const url = () => `${ctx.baseUrl}/exports/${signToken(ctx, purpose, { kind: 'zip', ids: [_id] }, expiresAt)}`
  return {
    id: _id,
    state,
    written,
    total,
    createdAt,
    file: state === 'done' ? { sizeBytes, url: url(), expiresAt } : null,
  }
}
