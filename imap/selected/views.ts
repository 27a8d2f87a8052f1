/**
 * The views of this process. Invariants: a folder has one view, shared by all sessions that select it; an unused view is kept for
 * the next session while there is room, and is refreshed when it is opened.
 */

import type { FolderRef } from '../../core/imap/folder-state.ts'
import type { Context } from '../../core/process/context.ts'
import { FolderView } from './folder-view.ts'

/** Messages in unused views. */
const keptMessagesMax = 200_000

export class Views {
  readonly #ctx: Context
  /** By folder id, in the order of their last use. */
  readonly #views = new Map<string, FolderView>()
  readonly #byMailbox = new Map<string, Set<FolderView>>()
  readonly #stopListening: () => void

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#stopListening = ctx.changes.listen((note) => {
      // The views of this process already show its own changes.
      if ((note.kind === 'stored' || note.kind === 'folders') && note.shownBy === ctx.changes.id) return
      if (note.kind === 'messages' || note.kind === 'stored') for (const id of new Set(note.mailboxIds)) this.#wake(id)
      if (note.kind !== 'folders') return
      const { mailboxId, was } = note
      if (was !== undefined) this.#views.get(was.folderId)?.mayHaveLeft(was.uids)
      this.#wake(mailboxId)
    })
  }

  /** Returns the view of a folder, refreshed. */
  async open(folder: FolderRef): Promise<FolderView> {
    const { folderId, mailboxId } = folder
    let view = this.#views.get(folderId)
    if (view === undefined) {
      view = new FolderView(this.#ctx, folder)
      const own = this.#byMailbox.get(mailboxId) ?? new Set()
      this.#byMailbox.set(mailboxId, own.add(view))
    } else this.#views.delete(folderId)
    this.#views.set(folderId, view)
    await view.refresh()
    this.#forgetUnused(view)
    return view
  }

  close(): void {
    this.#stopListening()
    for (const view of this.#views.values()) view.writeRecentFrom()
  }

  /** Refreshes the views of a mailbox that are in use. Unused ones are refreshed when they are opened. */
  #wake(mailboxId: string): void {
    for (const view of this.#byMailbox.get(mailboxId) ?? []) if (view.isInUse) view.follow()
  }

  #forgetUnused(except: FolderView): void {
    let messages = 0
    for (const [folderId, view] of [...this.#views].reverse()) {
      if (view.isInUse || view === except) continue
      messages += view.table.size + 50
      if (messages <= keptMessagesMax && !view.isGone) continue
      view.writeRecentFrom()
      this.#views.delete(folderId)
      const own = this.#byMailbox.get(view.folder.mailboxId)
      own?.delete(view)
      if (own?.size === 0) this.#byMailbox.delete(view.folder.mailboxId)
    }
  }
}
