/**
 * Sends one session unsolicited news of its mailbox (RFC 5465). A change note only says that something may be new. What is new is
 * found by comparing the folders with what the client was last told, so a note may come twice or late. Invariants: no news is
 * written while a command writes, and no command begins while news is written; a client that stops reading gets the latest state
 * once it reads again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { allFolders, subscribedPaths } from '../../core/imap/folder-list.ts'
import { type FolderDocument, stateOf } from '../../core/imap/folder-state.ts'
import { fetchMessages } from '../fetch/fetch.ts'
import type { Item } from '../fetch/items.ts'
import { tellNews } from '../news.ts'
import type { Notifier, Session } from '../session.ts'
import { type StatusItem, statusLine } from '../status-items.ts'
import { told } from '../wire/answers.ts'
import { entryName, folderName } from '../wire/text.ts'
import { eventsOf, isMessageEvent, type NotifyEvent, type NotifyRequest } from './request.ts'

/** Changes that arrive within this time after news was written are written together. */
const gatherMs = 50
/** While messages are being written to a folder, its numbers are not final: it is read again after this time. */
const openMs = 40

type ToldFolder = {
  readonly path: string
  readonly isSubscribed: boolean
  readonly events: ReadonlySet<NotifyEvent>
  /** The last STATUS response of the folder. */
  readonly status: string
  readonly uidNext: number
  readonly total: number
}

/** Starts to send a session the news that it asked for. With `tellsStatus` it first writes the STATUS of the folders. */
export async function startNotifier(
  session: Session,
  request: NotifyRequest,
  { tellsStatus }: { readonly tellsStatus: boolean },
): Promise<Notifier> {
  const notifier = new MailboxNotifier(session, request)
  try {
    await notifier.begin(tellsStatus)
  } catch (error) {
    notifier.close()
    throw error
  }
  return notifier
}

class MailboxNotifier implements Notifier {
  readonly #session: Session
  readonly #request: NotifyRequest
  readonly #mailboxId: string
  readonly #stopListening: () => void
  /** What the client was last told of each folder, by folder id. */
  #told: ReadonlyMap<string, ToldFolder> = new Map()
  /** The metadata entries that changed, by folder id; null stands for the mailbox. */
  #metadata = new Map<string | null, Set<string>>()
  #isStale = false
  #isClosed = false
  #telling: Promise<void> | null = null
  #pause: Promise<void> | null = null
  #retry: NodeJS.Timeout | undefined

  constructor(session: Session, request: NotifyRequest) {
    this.#session = session
    this.#request = request
    this.#mailboxId = session.user.mailbox._id
    this.#stopListening = session.ctx.changes.listen((note) => {
      if (note.kind === 'messages' || note.kind === 'stored') {
        if (!note.mailboxIds.includes(this.#mailboxId)) return
      } else if ((note.kind !== 'folders' && note.kind !== 'metadata') || note.mailboxId !== this.#mailboxId) return
      if (note.kind === 'metadata') {
        const entries = this.#metadata.get(note.folderId) ?? new Set()
        this.#metadata.set(note.folderId, entries)
        for (const entry of note.entries) entries.add(entry)
      }
      this.#isStale = true
      this.wake()
    })
  }

  async begin(tellsStatus: boolean): Promise<void> {
    const { folders, told } = await this.#read()
    this.#told = told
    if (!tellsStatus) return
    for (const folder of folders) {
      const { events, status } = told.get(folder._id)!
      if (this.#isSelected(folder._id) || ![...events].some(isMessageEvent)) continue
      this.#session.writer.line(status)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#stopListening()
    clearTimeout(this.#retry)
  }

  wake(): void {
    if (this.#isClosed || this.#telling !== null || this.#pause !== null || !this.#session.peer.isQuiet()) return
    if (!this.#isStale && !this.#hasSelectedNews()) return
    this.#telling = this.#tell()
      .catch((error: unknown) => this.#giveUp(error))
      .finally(() => {
        this.#telling = null
        this.#pause = sleep(gatherMs, undefined, { ref: false }).then(() => {
          this.#pause = null
          this.wake()
        })
      })
  }

  async settled(): Promise<void> {
    await this.#telling
  }

  async #tell(): Promise<void> {
    const { writer } = this.#session
    if (this.#isStale) {
      this.#isStale = false
      await this.#tellFolders()
    }
    if (this.#hasSelectedNews()) await this.#tellSelected()
    writer.flush()
    await writer.room()
  }

  /** RFC 5465 5.8: when news cannot be read, the client gets NOTIFICATIONOVERFLOW and no more news. */
  #giveUp(error: unknown): void {
    const { ctx, writer } = this.#session
    ctx.log.warn({ err: error }, 'an IMAP client could not be notified of changes')
    this.close()
    this.#session.notifier = null
    writer.line(`* OK ${told('NOTIFICATIONOVERFLOW', 'The changes could not be read; send NOTIFY again')}`)
    writer.flush()
  }

  #isSelected(folderId: string): boolean {
    return this.#session.selected?.folder._id === folderId
  }

  #hasSelectedNews(): boolean {
    const { selected, onNews } = this.#session
    const isAsked = onNews !== null || (this.#request.selected?.events.size ?? 0) > 0
    return isAsked && selected?.tracker.hasNews() === true && this.#tellsNow()
  }

  /** Whether there is news that may be sent now. The removal of messages may have to wait. */
  #tellsNow(): boolean {
    return this.#tellsExpunged() || this.#session.selected?.tracker.hasMoreThanExpunged() === true
  }

  /** Whether removed messages may be reported now: with SELECTED, or while the client idles (RFC 5465 4). */
  #tellsExpunged(): boolean {
    return this.#session.onNews !== null || this.#request.selected?.isDelayed === false
  }

  async #tellSelected(): Promise<void> {
    const { selected, peer } = this.#session
    if (selected === null) return
    if (selected.view.isGone) {
      peer.end('The folder has been deleted')
      return
    }
    const { tracker, view } = selected
    const toldBefore = tracker.lastTold
    tellNews(this.#session, { withExpunged: this.#tellsExpunged() })
    const items = this.#request.selected?.items ?? []
    if (items.length === 0) return
    const { table } = view
    const fresh = Array.from({ length: table.size - table.indexAbove(toldBefore + 1) }, (_, n) =>
      table.uidAt(table.indexAbove(toldBefore + 1) + n),
    )
    const withUid: readonly Item[] = items.includes('UID') ? items : ['UID', ...items]
    await fetchMessages(this.#session, fresh, withUid)
  }

  /** Reads the folders and what would be told of each. */
  async #read(): Promise<{
    readonly folders: readonly FolderDocument[]
    readonly told: ReadonlyMap<string, ToldFolder>
  }> {
    const { ctx } = this.#session
    const { groups } = this.#request
    if (groups.length === 0) return { folders: [], told: new Map() }
    const [folders, paths] = await Promise.all([
      allFolders(ctx, this.#mailboxId),
      subscribedPaths(ctx, this.#mailboxId),
    ])
    const subscribed = new Set(paths)
    const told = new Map<string, ToldFolder>()
    for (const folder of folders) {
      const { path, role } = folder
      const isSubscribed = subscribed.has(path)
      const isInbox = role === 'inbox' || role === 'spam'
      const events = eventsOf(groups, { path, isInbox, isSubscribed })
      const { uidNext, total, open } = stateOf(ctx, folder)
      const status = statusLine(this.#session, folder, this.#itemsOf(events))
      const before = this.#told.get(folder._id)
      const isOpen = open.length > 0
      if (isOpen) this.#readAgain()
      const numbers = isOpen && before !== undefined ? before : { status, uidNext, total }
      told.set(folder._id, { ...numbers, path, isSubscribed, events })
    }
    return { folders, told }
  }

  #readAgain(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      this.#isStale = true
      this.wake()
    }, openMs).unref()
  }

  #itemsOf(events: ReadonlySet<NotifyEvent>): readonly StatusItem[] {
    const tellsModseq = events.has('FlagChange') || this.#session.enabled.has('CONDSTORE')
    return ['MESSAGES', 'UIDNEXT', 'UIDVALIDITY', 'UNSEEN', ...(tellsModseq ? (['HIGHESTMODSEQ'] as const) : [])]
  }

  async #tellFolders(): Promise<void> {
    const { folders, told } = await this.#read()
    const before = this.#told
    this.#told = told
    for (const [id, was] of before) {
      if (!told.has(id) && was.events.has('MailboxName'))
        this.#line(`* LIST (\\NonExistent) "/" ${this.#name(was.path)}`)
    }
    for (const { _id: id } of folders) this.#tellFolder(id, told.get(id)!, before.get(id))
    const metadata = this.#metadata
    this.#metadata = new Map()
    for (const [folderId, entries] of metadata) this.#tellMetadata(folderId, entries)
  }

  #tellFolder(id: string, now: ToldFolder, was: ToldFolder | undefined): void {
    const { path, isSubscribed, events, status } = now
    const attributes = isSubscribed ? '\\Subscribed' : ''
    const line = `* LIST (${attributes}) "/" ${this.#name(path)}`
    const isRenamed = was !== undefined && was.path !== path
    if (events.has('MailboxName') && was === undefined) this.#line(line)
    else if (isRenamed && (events.has('MailboxName') || was.events.has('MailboxName')))
      this.#line(`${line} ("OLDNAME" (${this.#name(was.path)}))`)
    else if (events.has('SubscriptionChange') && was !== undefined && was.isSubscribed !== isSubscribed)
      this.#line(line)
    if (this.#isSelected(id) || was === undefined || was.status === status || isRenamed) return
    const isOfMessages = was.uidNext !== now.uidNext || was.total !== now.total
    if (events.has(isOfMessages ? 'MessageNew' : 'FlagChange')) this.#line(status)
  }

  /** RFC 5464 4.4.2: only the names of the entries, without values. */
  #tellMetadata(folderId: string | null, entries: ReadonlySet<string>): void {
    const folder = folderId === null ? undefined : this.#told.get(folderId)
    const isAsked =
      folderId === null
        ? this.#request.groups.some(({ events }) => events.has('ServerMetadataChange'))
        : folder?.events.has('MailboxMetadataChange') === true
    if (isAsked) this.#line(`* METADATA ${this.#name(folder?.path ?? '')} ${[...entries].map(entryName).join(' ')}`)
  }

  #name(path: string): string {
    return folderName(path, this.#session.nameForm)
  }

  #line(text: string): void {
    this.#session.writer.line(text)
  }
}
