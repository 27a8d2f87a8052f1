/** What a mail program sees of a folder: its numbers, and its messages by UID. */
import type { FolderDoc } from '../../store/documents/mail.ts'
import * as store from '../../store/folder-entries.ts'
import { reservationSeconds } from '../../store/folders.ts'
import { after } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

export type { Entry } from '../../store/folder-entries.ts'

export type FolderDocument = FolderDoc

export type FolderRef = { readonly mailboxId: string; readonly folderId: string }

/** UIDs that a writer has taken and whose messages may not be written yet. */
export type OpenUids = { readonly first: number; readonly end: number }

export type FolderState = {
  readonly uidValidity: number
  readonly uidNext: number
  readonly total: number
  readonly unread: number
  readonly bytes: number
  /** Messages from this UID on are recent: no session was told of them. */
  readonly recentFrom: number
  /** Every change with this modseq or a lower one is written. */
  readonly settledModseq: number
  /** In order. While one of these may still come, no higher UID may be shown. */
  readonly open: readonly OpenUids[]
  /** Whether counts contain what is not written yet. */
  readonly isOpen: boolean
}

/** The numbers of a folder; null when it is gone. */
export async function folderState(ctx: Context, folder: FolderRef): Promise<FolderState | null> {
  const doc = await store.findFolder(ctx.store, folder)
  return doc === null ? null : stateOf(ctx, doc)
}

/** The numbers in a folder's document. A reservation that was open for too long is void. */
export function stateOf({ machineClock }: Pick<Context, 'machineClock'>, folder: FolderDoc): FolderState {
  const { uidValidity, uidNext, highestModseq, total, unread, bytes, recentFrom = 1 } = folder
  const voidBefore = after(machineClock.now(), -reservationSeconds * 1_000)
  const open = folder.open.filter(({ at }) => at >= voidBefore)
  return {
    uidValidity,
    uidNext,
    total,
    unread,
    bytes,
    recentFrom,
    settledModseq: Math.min(highestModseq, ...open.map(({ modseq }) => modseq - 1)),
    open: open
      .filter(({ uids }) => uids > 0)
      .map(({ uid, uids }) => ({ first: uid, end: uid + uids }))
      .sort((a, b) => a.first - b.first),
    isOpen: open.length > 0,
  }
}

/** The messages of a folder that have changed or come since a modseq; 0: all. In no order. */
export function entriesSince(ctx: Context, folder: FolderRef, modseq: number): Promise<readonly store.Entry[]> {
  return store.findEntriesSince(ctx.store, { ...folder, modseq })
}

/** Those of the UIDs under which the folder has a message; without `uids` all. In order. */
export function uidsIn(ctx: Context, folder: FolderRef, uids?: readonly number[]): Promise<readonly number[]> {
  return store.findUids(ctx.store, { ...folder, ...(uids !== undefined && { uids }) })
}
