/** The messages of a folder that may have a text in them, by the search index. */
import * as store from '../../store/folder-entries.ts'
import type { Context } from '../process/context.ts'
import { indexedAmong } from '../search/indexing.ts'
import { idsWithText } from '../search/substring.ts'
import { searchableUpTo } from '../search/sweep.ts'
import type { FolderRef } from './folder-state.ts'

/** More candidates than this are no gain over reading all. */
const candidatesMax = 20_000

/** UIDs of the messages that may; null when the index cannot tell. */
export async function uidsWithText(ctx: Context, folder: FolderRef, text: string): Promise<ReadonlySet<number> | null> {
  // What is not indexed yet is asked for first: what is indexed meanwhile is in both.
  const latest = await store.findLatest(ctx.store, { ...folder, from: await searchableUpTo(ctx) })
  const indexed = await indexedAmong(ctx, latest)
  const ids = await idsWithText(ctx, folder.mailboxId, text)
  if (ids === null || ids.length > candidatesMax) return null
  const unknown = latest.filter(({ _id, folderId }) => folderId === folder.folderId && !indexed.has(_id))
  const found = await store.findUidsOf(ctx.store, { ...folder, ids })
  return new Set([...found, ...unknown.map(({ uid }) => uid)])
}
