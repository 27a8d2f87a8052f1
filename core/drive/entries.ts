/** Drive as readers see it: entries of folders, and links to files (decisions.md 2, Drive). */
import { Failure } from '../../schemas/failures.ts'
import type { DriveEntryDoc } from '../../store/documents/drive.ts'
import { findDriveEntry, listDriveEntries, readParts } from '../../store/drive.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import type { Context } from '../process/context.ts'

export type DriveEntry = Omit<DriveEntryDoc, 'accountId' | 'parts' | 'source' | 'incoming' | 'isNew'>

/** A file whose bytes are read as they are needed. */
export type DriveFile = {
  readonly name: string
  readonly contentType: string
  readonly version: string
  readonly content: {
    readonly sizeBytes: number
    read(range: { readonly first: number; readonly last: number }): AsyncIterable<Buffer>
  }
}

/** The entries of a folder, or of the top level, newest first. Fails with `not_found`, `conflict` (a file), `validation_error` (cursor). */
export async function listEntries(
  ctx: Context,
  accountId: string,
  { parentId, limit, before }: { readonly parentId?: string; readonly limit: number; readonly before?: string },
): Promise<Page<DriveEntry>> {
  const position = readIdCursor(before, 'file')
  if (parentId !== undefined) {
    const { kind, name } = await reachEntry(ctx, accountId, parentId)
    if (kind === 'file')
      throw new Failure('conflict', `${name} is a file, so it has no entries to list.`, {
        fix: 'Give the id of a folder as "parentId", or leave it out for the top level.',
      })
  }
  const query = { accountId, parentId: parentId ?? null, before: position, limit: limit + 1 }
  return pageOf(await listDriveEntries(ctx.store, query), limit)
}

/** A file of the account. Fails with `not_found`, `conflict` (a folder). */
export async function reachFile(ctx: Context, accountId: string, entryId: string): Promise<DriveEntryDoc> {
  const entry = await reachEntry(ctx, accountId, entryId)
  if (entry.kind === 'folder')
    throw new Failure('conflict', `${entry.name} is a folder.`, {
      fix: 'List it with its id as "parentId", and download the files in it.',
    })
  return entry
}

/** The file that a link leads to, as it was when the link was made; null when it was deleted or replaced. */
export async function linkedFile(
  ctx: Context,
  [accountId = '', entryId = '', version = '']: readonly string[],
): Promise<DriveFile | null> {
  const entry = await findDriveEntry(ctx.store, { accountId, entryId })
  return entry === null || entry.kind === 'folder' || versionOf(entry) !== version ? null : fileOf(ctx, entry)
}

/** The ids in a link to a file: its account, its entry and its version. */
export function linkIds(entry: DriveEntryDoc): readonly string[] {
  return [entry.accountId, entry._id, versionOf(entry)]
}

/** Identifies the content of a file: contents of the same size and time are taken to be the same (core/drive/put.ts). */
const versionOf = ({ modifiedAt, sizeBytes }: Pick<DriveEntryDoc, 'modifiedAt' | 'sizeBytes'>) =>
  `${modifiedAt.getTime().toString(36)}.${sizeBytes.toString(36)}`

export function fileOf({ store }: Pick<Context, 'store'>, entry: DriveEntryDoc): DriveFile {
  const { _id, name, contentType, sizeBytes, parts } = entry
  return {
    name,
    contentType: contentType ?? 'application/octet-stream',
    version: `${_id} ${versionOf(entry)}`,
    content: { sizeBytes, read: (range) => readParts(store, parts, range) },
  }
}

async function reachEntry(ctx: Context, accountId: string, entryId: string): Promise<DriveEntryDoc> {
  const entry = await findDriveEntry(ctx.store, { accountId, entryId })
  if (entry === null)
    throw new Failure('not_found', `There is no file or folder ${entryId}.`, {
      fix: 'Use an id from GET /api/v1/drive.',
    })
  return entry
}
