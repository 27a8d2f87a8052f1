/** Drive by paths, as administrators and exports name its entries. */
import { Failure } from '../../schemas/failures.ts'
import type { DriveEntryDoc } from '../../store/documents/drive.ts'
import { driveEntryNamed, listDriveEntries, removeDriveEntry } from '../../store/drive.ts'
import type { Context } from '../process/context.ts'

const pageSize = 200

/** The entry at a path; null for the top level. Fails with `not_found`. */
export async function entryAt(ctx: Context, accountId: string, path: readonly string[]): Promise<DriveEntryDoc | null> {
  let entry: DriveEntryDoc | null = null
  for (const [n, name] of path.entries()) {
    const parentId: string | null = entry?._id ?? null
    entry = await driveEntryNamed(ctx.store, { accountId, parentId, name: name.normalize('NFC') })
    if (entry === null || entry.isNew === true || (n < path.length - 1 && entry.kind === 'file'))
      throw new Failure('not_found', `There is nothing at "${path.join('/')}" in Drive.`, {
        fix: 'Use a path from `mailroom drive list`.',
      })
  }
  return entry
}

/** Yields the entry itself if it is a file, or else everything in the folder, with paths from there. */
export async function* walkEntries(
  ctx: Context,
  accountId: string,
  from: DriveEntryDoc | null,
  above: readonly string[] = [],
): AsyncGenerator<{ readonly entry: DriveEntryDoc; readonly path: readonly string[] }> {
  if (from?.kind === 'file') {
    yield { entry: from, path: [...above, from.name] }
    return
  }
  const parentId = from?._id ?? null
  for (let before: string | null = null; ; ) {
    const page: DriveEntryDoc[] = await listDriveEntries(ctx.store, { accountId, parentId, before, limit: pageSize })
    for (const entry of page) {
      const path = [...above, entry.name]
      yield { entry, path }
      if (entry.kind === 'folder') yield* walkEntries(ctx, accountId, entry, path)
    }
    if (page.length < pageSize) return
    before = page.at(-1)!._id
  }
}

/** Removes an entry; a folder with everything in it, deepest first. Returns how many entries were removed. */
export async function removeEntry(ctx: Context, entry: DriveEntryDoc): Promise<number> {
  let removed = 0
  if (entry.kind === 'folder') {
    const { accountId, _id: parentId } = entry
    for (;;) {
      const page = await listDriveEntries(ctx.store, { accountId, parentId, before: null, limit: pageSize })
      for (const inner of page) removed += await removeEntry(ctx, inner)
      if (page.length < pageSize) break
    }
  }
  await removeDriveEntry(ctx.store, entry)
  return removed + 1
}
