/** Finds the messages of a folder that may contain a text, by the search index. */
import * as store from '../../store/folder-entries.ts'
import type { Context } from '../process/context.ts'
import { indexedAmong } from '../search/indexing.ts'
import { idsWithText } from '../search/substring.ts'
import { searchableUpTo } from '../search/sweep.ts'
import type { FolderRef } from './folder-state.ts'

/** With more candidates than this, the index saves nothing over reading all messages. */
const candidatesMax = 20_000

/** The UIDs of the messages that may contain a text; null when the index cannot tell. */
export async function uidsWithText(ctx: Context, folder: FolderRef, text: string): Promise<ReadonlySet<number> | null> {
  // Messages that are not indexed yet are read first: one that is indexed meanwhile is then found in both places, and not missed.
  const latest = await store.findLatest(ctx.store, { ...folder, from: await searchableUpTo(ctx) })
  const indexed = await indexedAmong(ctx, latest)
  const ids = await idsWithText(ctx, folder.mailboxId, text)
  if (ids === null || ids.length > candidatesMax) return null
  const unknown = latest.filter(({ _id, folderId }) => folderId === folder.folderId && !indexed.has(_id))
  const found = await store.findUidsOf(ctx.store, { ...folder, ids })
  return new Set([...found, ...unknown.map(({ uid }) => uid)])
}
