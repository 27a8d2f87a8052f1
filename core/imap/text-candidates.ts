/** The messages of a folder that may have a text in them, by the search index. */
import * as store from '../../store/folder-entries.ts'
import type { Context } from '../process/context.ts'
import { mayContain } from '../search/substring.ts'
import type { FolderRef } from './folder-state.ts'

/** More candidates than this are no gain over reading all. */
const candidatesMax = 20_000

/** UIDs of the messages that may; null when the index cannot tell. */
export async function uidsWithText(ctx: Context, folder: FolderRef, text: string): Promise<ReadonlySet<number> | null> {
  const may = await mayContain(ctx, folder.mailboxId, text)
  if (may === null || may.ids.length > candidatesMax) return null
  return new Set(await store.findUidsOf(ctx.store, { ...folder, ids: may.ids, from: may.indexedUpTo }))
}
