/**
 * Puts files into Drive. A content is written part by part, and each complete part is noted, so that an interrupted upload resumes
 * after it; readers see the old content until the new one is complete. A file that exists already with the same size and time is left
 * alone. When two writers put in the same content at once, the later one continues with the parts of the earlier one, which fails at
 * its next part.
 */
import { Failure } from '../../schemas/failures.ts'
import { newId, newToken } from '../../schemas/ids.ts'
import type { DriveEntryDoc, DrivePart } from '../../store/documents/drive.ts'
import * as store from '../../store/drive.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** A file to put in: `read` yields its bytes from an offset on, and `source` identifies its current content. */
export type DriveSource = {
  readonly name: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly modifiedAt: Date
  readonly source: string
  read(from: number): AsyncIterable<Buffer>
}

export type PutOutcome = { readonly entry: DriveEntryDoc; readonly was: 'new' | 'replaced' | 'same' }

/** Size of a part: at most this much is written again after a crash. */
export const partBytes = 16 * 1024 * 1024
/** An unfinished upload that nobody continues for this long is dropped. */
const staleMs = 7 * dayMs
const nameCharsMax = 255
const stalePage = 100

/** The id of the folder at a path, made with its parents where missing; null for the top level. Fails with `conflict` (a file). */
export async function folderAt(ctx: Context, accountId: string, path: readonly string[]): Promise<string | null> {
  let parentId: string | null = null
  for (const name of path) parentId = await folderNamed(ctx, { accountId, parentId, name: nameOf(name) })
  return parentId
}

/** Puts a file into a folder. `onBytes` gets the bytes stored so far. Fails with `conflict` (a folder, or changed meanwhile). */
export async function putFile(
  ctx: Context,
  { accountId, parentId }: { readonly accountId: string; readonly parentId: string | null },
  file: DriveSource,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<PutOutcome> {
  const name = nameOf(file.name)
  const entry = await entryFor(ctx, { accountId, parentId, name })
  if (entry.kind === 'folder')
    throw new Failure('conflict', `"${name}" is a folder in Drive.`, {
      fix: 'Give the file another name, or put it elsewhere.',
    })
  const isAsLongAndOld = entry.sizeBytes === file.sizeBytes && entry.modifiedAt.getTime() === file.modifiedAt.getTime()
  if (entry.isNew === undefined && (isAsLongAndOld || entry.source === file.source)) {
    // Drops any other unfinished upload of this file: the newest upload wins.
    await store.dropUpload(ctx.store, entry)
    return { entry, was: 'same' }
  }
  const writer = newToken()
  const parts = await putParts(
    ctx,
    { entry, writer, begun: await begun(ctx, entry, file.source, writer) },
    file,
    onBytes,
  )
  const { sizeBytes, contentType, modifiedAt, source } = file
  const content = { sizeBytes, contentType, modifiedAt, source, parts }
  const replaced = await store.finishUpload(ctx.store, entry, { ...content, writer })
  if (replaced === null) throw changedMeanwhile(name)
  await store.removeParts(ctx.store, replaced)
  return { entry: { ...entry, ...content }, was: entry.isNew === true ? 'new' : 'replaced' }
}

/** Drops unfinished uploads that nobody has continued for a week. Returns how many. */
export async function sweepUploads(ctx: Context): Promise<number> {
  const stale = await store.findStaleUploads(ctx.store, after(ctx.clock.now(), -staleMs), stalePage)
  for (const entry of stale) await store.dropUpload(ctx.store, entry)
  return stale.length
}

/** Makes `writer` the writer of the upload of a source. Returns the parts that are complete already, whoever wrote them. */
async function begun(
  ctx: Context,
  entry: DriveEntryDoc,
  source: string,
  writer: string,
): Promise<readonly DrivePart[]> {
  const at = ctx.clock.now()
  const taken = await store.takeUpload(ctx.store, entry, { source, writer, at })
  const { parts, unused } = taken ?? {
    parts: [],
    unused: await store.beginUpload(ctx.store, entry, { source, writer, parts: [], at }),
  }
  await store.removeParts(ctx.store, unused)
  return parts
}

async function putParts(
  ctx: Context,
  {
    entry,
    writer,
    begun,
  }: { readonly entry: DriveEntryDoc; readonly writer: string; readonly begun: readonly DrivePart[] },
  file: DriveSource,
  onBytes: (bytes: number) => void,
): Promise<readonly DrivePart[]> {
  const parts = [...begun]
  let at = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  while (at < file.sizeBytes) {
    const wanted = Math.min(partBytes, file.sizeBytes - at)
    const id = store.partId(entry._id, writer, parts.length)
    const written = await store.writePart(ctx.store, id, firstBytes(file.read(at), wanted))
    if (written < wanted)
      throw new Failure('conflict', `"${file.name}" became shorter while it was read.`, {
        fix: 'Put the file in again.',
      })
    parts.push({ id, sizeBytes: written })
    at += written
    if (!(await store.noteUpload(ctx.store, entry, { source: file.source, writer, parts, at: ctx.clock.now() }))) {
      await store.removeParts(ctx.store, [{ id }])
      throw changedMeanwhile(file.name)
    }
    onBytes(at)
  }
  return parts
}

async function* firstBytes(content: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count
  for await (const chunk of content) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return
  }
}

/** The entry with a name, made if there is none. A new entry is hidden until its content is complete. */
async function entryFor(
  ctx: Context,
  where: Pick<DriveEntryDoc, 'accountId' | 'parentId' | 'name'>,
): Promise<DriveEntryDoc> {
  const known = await store.driveEntryNamed(ctx.store, where)
  if (known !== null) return known
  const at = ctx.clock.now()
  // An upload without a writer yet, so that `sweepUploads` drops the entry when nobody continues.
  const incoming = { source: '', writer: '', parts: [], at }
  const entry: DriveEntryDoc = { ...emptyEntry({ ...where, at }), kind: 'file', incoming, isNew: true }
  return (await store.insertDriveEntry(ctx.store, entry)) ? entry : entryFor(ctx, where)
}

async function folderNamed(
  ctx: Context,
  where: Pick<DriveEntryDoc, 'accountId' | 'parentId' | 'name'>,
): Promise<string> {
  const known = await store.driveEntryNamed(ctx.store, where)
  if (known?.kind === 'folder') return known._id
  if (known !== null)
    throw new Failure('conflict', `"${where.name}" is a file in Drive, not a folder.`, { fix: 'Name another folder.' })
  const folder: DriveEntryDoc = { ...emptyEntry({ ...where, at: ctx.clock.now() }), kind: 'folder' }
  return (await store.insertDriveEntry(ctx.store, folder)) ? folder._id : folderNamed(ctx, where)
}

function emptyEntry({
  at,
  ...where
}: Pick<DriveEntryDoc, 'accountId' | 'parentId' | 'name'> & { readonly at: Date }): Omit<DriveEntryDoc, 'kind'> {
  return { _id: newId('file', at), ...where, sizeBytes: 0, contentType: null, createdAt: at, modifiedAt: at, parts: [] }
}

/** A name in the form in which it is stored: NFC. Fails with `validation_error`. */
function nameOf(text: string): string {
  const name = text.normalize('NFC')
  if (name === '' || name === '.' || name === '..' || name.length > nameCharsMax || /[/\p{Cc}]/u.test(name))
    throw new Failure('validation_error', `"${name}" is not a valid name of a file or folder.`, {
      fix: `Use 1 to ${nameCharsMax} characters, without "/" and control characters.`,
    })
  return name
}

const changedMeanwhile = (name: string) =>
  new Failure('conflict', `Another request has put in "${name}" meanwhile.`, {
    fix: 'Check the file in Drive, and put yours in again if it is to replace it.',
  })
