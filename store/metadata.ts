/** The metadata that mail programs set on folders and mailboxes (RFC 5464). */
import type { MetadataDoc } from './documents/mail.ts'
import { isDuplicate, type Store } from './open.ts'
import { readOne } from './reads.ts'

/** The entries of a folder or mailbox, by its id; null when none were ever set. */
export function findMetadata(store: Store, id: string): Promise<MetadataDoc | null> {
  return readOne(store, 'metadata', { _id: id })
}

/** Writes the entries in place of those of the previous revision, if that is still stored. Returns whether they were written. */
export async function replaceMetadata(store: Store, doc: MetadataDoc): Promise<boolean> {
  if (doc.rev > 1) {
    const { matchedCount } = await store.metadata.replaceOne({ _id: doc._id, rev: doc.rev - 1 }, doc)
    return matchedCount === 1
  }
  try {
    await store.metadata.insertOne(doc)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** Deletes the entries of a deleted folder. */
export async function removeMetadata(store: Store, id: string): Promise<void> {
  await store.metadata.deleteOne({ _id: id })
}
