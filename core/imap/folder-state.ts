/** The state of a folder as mail programs see it: its numbers, and its messages by UID. */
import type { FolderDoc } from '../../store/documents/mail.ts'
import * as store from '../../store/folder-entries.ts'
import { reservationSeconds, tellable } from '../../store/folders.ts'
import { after } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

export type { Entry } from '../../store/folder-entries.ts'

export type FolderDocument = FolderDoc

export type FolderRef = { readonly mailboxId: string; readonly folderId: string }

/** A writer's reservation: the UIDs that it has taken, if any, and the modseq. Its messages may not be written yet. */
export type OpenReservation = { readonly first: number; readonly end: number; readonly modseq: number }

export type FolderState = {
  readonly uidValidity: number
  readonly uidNext: number
  readonly total: number
  readonly unread: number
  readonly bytes: number
  /** Messages from this UID on are recent: no session was told of them. */
  readonly recentFrom: number
  readonly highestModseq: number
  /** In the order of their UIDs. While one of these may still come, no higher UID may be shown. */
  readonly open: readonly OpenReservation[]
}

/**
 * The highest modseq for which every change with it or a lower one is written. An open reservation counts as written when
 * the folder has all of its UIDs (`isThere`).
 */
export function settledModseq(
  { highestModseq, open }: FolderState,
  isThere: (uid: number) => boolean = () => false,
): number {
  const isWritten = ({ first, end }: OpenReservation) => {
    for (let uid = first; uid < end; uid++) if (!isThere(uid)) return false
    return end > first
  }
  return Math.min(highestModseq, ...open.flatMap((each) => (isWritten(each) ? [] : [each.modseq - 1])))
}

/** The numbers of a folder; null when it is gone. */
export async function folderState(ctx: Context, folder: FolderRef): Promise<FolderState | null> {
  const doc = await store.findFolder(ctx.store, folder)
  return doc === null ? null : stateOf(ctx, doc)
}

/** The numbers in a folder's document. Reservations that have been open for too long are void and left out. */
export function stateOf({ machineClock }: Pick<Context, 'machineClock'>, folder: FolderDoc): FolderState {
  const { uidValidity, uidNext, highestModseq, total, unread, bytes, recentFrom = 1 } = tellable(folder)
  const voidBefore = after(machineClock.now(), -reservationSeconds * 1_000)
  const open = folder.open.filter(({ at }) => at >= voidBefore)
  return {
    uidValidity,
    uidNext,
    total,
    unread,
    bytes,
    recentFrom,
    highestModseq,
    open: open
      .map(({ uid, uids, modseq }) => ({ first: uid, end: uid + uids, modseq }))
      .sort((a, b) => a.first - b.first),
  }
}

/** The messages of a folder that changed or arrived after a modseq, in no order; all for 0. */
export function entriesSince(ctx: Context, folder: FolderRef, modseq: number): Promise<readonly store.Entry[]> {
  return store.findEntriesSince(ctx.store, { ...folder, modseq })
}

/** The UIDs of the messages of a folder, in order; with `uids` only those among them. */
export function uidsIn(ctx: Context, folder: FolderRef, uids?: readonly number[]): Promise<readonly number[]> {
  return store.findUids(ctx.store, { ...folder, ...(uids !== undefined && { uids }) })
}
