/** The fields of message documents that answer SEARCH. */
import * as store from '../../store/folder-entries.ts'
import type { Context } from '../process/context.ts'
import type { FolderRef } from './folder-state.ts'

export type SearchFields = store.SearchFields

/** The fields of messages of a folder by their UIDs, in order; those that are gone are left out. */
export function searchFields(
  ctx: Context,
  folder: FolderRef,
  uids: readonly number[],
): Promise<readonly SearchFields[]> {
  return store.findSearchFields(ctx.store, { ...folder, uids })
}
