/**
 * The UIDs that folders assign next, as far as this process knows: with them an arrival, or a move, reserves and is
 * written by one command. Invariants: UIDs are handed out once; those that another writer has taken are refused by the database and
 * forgotten here, and for a moment the folder is not tried again.
 */
export type KnownUids = {
  has(folderId: string): boolean
  /** The first of the next `count` UIDs of a folder, which are now taken; undefined when they are not known. */
  take(folderId: string, count: number): number | undefined
  /** Notes what a folder assigns after a reservation. */
  learn(folderId: string, next: number, at: Date): void
  /** The UIDs that were handed out are another's, or it is unknown whether they were taken. */
  forget(folderId: string, at: Date): void
}

const foldersMax = 10_000
/** A folder to which others write is asked each time, for so long. */
const contestedMs = 1_000

type Known = { readonly next: number | null; readonly contestedUntil: number }

export function createKnownUids(): KnownUids {
  const folders = new Map<string, Known>()
  const note = (folderId: string, known: Known) => {
    folders.delete(folderId)
    folders.set(folderId, known)
    if (folders.size > foldersMax) folders.delete(folders.keys().next().value!)
  }
  return {
    has: (folderId) => (folders.get(folderId)?.next ?? null) !== null,
    take(folderId, count) {
      const known = folders.get(folderId)
      if (known === undefined || known.next === null) return undefined
      note(folderId, { ...known, next: known.next + count })
      return known.next
    },
    learn(folderId, next, at) {
      const { next: known = null, contestedUntil = 0 } = folders.get(folderId) ?? {}
      const isNewer = known === null || known < next
      if (isNewer && at.getTime() >= contestedUntil) note(folderId, { next, contestedUntil: 0 })
    },
    forget(folderId, at) {
      note(folderId, { next: null, contestedUntil: at.getTime() + contestedMs })
    },
  }
}
