/**
 * The next UIDs of folders, as far as this process knows them. With a known UID, an arrival or a move is reserved and written in one
 * command. Invariants: A UID is handed out once. If another writer has taken it, the database refuses the write; the folder is then
 * forgotten here and not learned again for a moment.
 */
export type KnownUids = {
  has(folderId: string): boolean
  /** The first of the next `count` UIDs of a folder, which are now taken; undefined when they are not known. */
  take(folderId: string, count: number): number | undefined
  /** Records the next UID of a folder after a reservation. */
  learn(folderId: string, next: number, at: Date): void
  /** Forgets a folder whose handed-out UIDs were taken by another writer, or whose write had an unknown outcome. */
  forget(folderId: string, at: Date): void
}

const foldersMax = 10_000
/** How long a folder that other processes write to is not learned: each write reserves its numbers there first. */
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
