/** Metadata that mail programs store about folders and mailboxes: entries with values (RFC 5464). */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import { fromBinary, toBinary } from '../../store/bytes.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import * as store from '../../store/metadata.ts'
import type { KnownFolder } from '../mailbox/known-folders.ts'
import type { Context } from '../process/context.ts'

/** Most bytes of one value, most entries of a folder or mailbox, and most bytes of all their names and values. */
export const metadataMax = { valueBytes: 16 * 1024, entries: 100, bytes: 64 * 1024 } as const

type Mailbox = Pick<MailboxDoc, '_id' | 'accountId'>

/** Values by the names of their entries. */
export type Metadata = ReadonlyMap<string, Buffer>

/** Most attempts to write entries that others change between our read and our write; the pause grows with each. */
const triesMax = 25
const pauseMs = 5

/** The entries of a folder, or of the mailbox when `folder` is null. */
export async function metadataOf(ctx: Context, mailbox: Mailbox, folder: KnownFolder | null): Promise<Metadata> {
  const doc = await store.findMetadata(ctx.store, folder?._id ?? mailbox._id)
  return new Map((doc?.entries ?? []).map(({ name, value }) => [name, fromBinary(value)]))
}

/**
 * Changes entries of a folder, or of the mailbox when `folder` is null: all of them, or none. A null value removes an entry.
 * Returns whether they were changed: false when there would be too many. Fails with `conflict`.
 */
export async function changeMetadata(
  ctx: Context,
  { _id: mailboxId, accountId }: Mailbox,
  folder: KnownFolder | null,
  changes: ReadonlyMap<string, Buffer | null>,
): Promise<boolean> {
  const id = folder?._id ?? mailboxId
  for (let tries = 0; tries < triesMax; tries++) {
    const before = await store.findMetadata(ctx.store, id)
    const kept = (before?.entries ?? []).filter(({ name }) => !changes.has(name))
    const added = [...changes].flatMap(([name, value]) => (value === null ? [] : [{ name, value: toBinary(value) }]))
    const entries = [...kept, ...added]
    const bytes = entries.reduce((sum, { name, value }) => sum + name.length + value.length(), 0)
    if (added.length > 0 && (entries.length > metadataMax.entries || bytes > metadataMax.bytes)) return false
    const isReplaced = await store.replaceMetadata(ctx.store, {
      _id: id,
      accountId,
      mailboxId,
      rev: (before?.rev ?? 0) + 1,
      entries,
    })
    if (isReplaced) {
      ctx.changes.publish({ kind: 'metadata', mailboxId, folderId: folder?._id ?? null, entries: [...changes.keys()] })
      return true
    }
    await sleep(Math.random() * pauseMs * tries)
  }
  throw new Failure('conflict', 'The metadata is being changed by other programs.', { fix: 'Repeat the command.' })
}
