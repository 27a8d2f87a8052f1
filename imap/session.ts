/** The state of one session (RFC 9051 3): its login, the enabled extensions, the selected folder. */
import type { Login } from '../core/account/login.ts'
import { canonicalPath } from '../core/mailbox/folders.ts'
import { foldersIn, type KnownFolder } from '../core/mailbox/known-folders.ts'
import type { Context } from '../core/process/context.ts'
import type { Transfer } from '../core/process/in-flight.ts'
import type { Structures } from './fetch/structures.ts'
import type { Texts } from './search/document.ts'
import type { FolderView } from './selected/folder-view.ts'
import { Tracker } from './selected/tracker.ts'
import type { Views } from './selected/views.ts'
import { Bad, No } from './wire/answers.ts'
import type { Uid } from './wire/numbers.ts'
import type { NameForm } from './wire/text.ts'
import type { Writer } from './wire/writer.ts'

export const states = ['greeted', 'authenticated', 'selected'] as const
export type State = (typeof states)[number]

/** The extensions that a client may enable (RFC 5161). Using CONDSTORE enables it too. */
export type Extension = 'IMAP4REV2' | 'CONDSTORE' | 'QRESYNC' | 'UTF8=ACCEPT'

/** What a session needs from its connection. */
export type Peer = {
  readonly address: string
  /** Whether a password may be sent over the connection: it is encrypted, or comes from this machine. */
  isPrivate(): boolean
  /** Whether STARTTLS is possible. */
  canEncrypt(): boolean
  /** Flushes what was written, then begins TLS. */
  encrypt(): Promise<void>
  isCompressed(): boolean
  /** Begins to compress both directions. */
  compress(): Promise<void>
  /** Whether no running command may write, so that unsolicited responses can be sent. */
  isQuiet(): boolean
  /** Returns the next line that is not a command: the end of IDLE, or a response to AUTHENTICATE. Null if there is none. */
  line(): Promise<string | null>
  /** Runs `work` after the current command is answered. */
  afterAnswer(work: () => Promise<void>): void
  /** Counts a failed login. At the limit, or with `isRefused`, the connection ends after the answer. */
  wrongLogin(isRefused: boolean): void
  /** Ends the connection after the current command is answered. */
  leave(): void
  /** Ends the connection with BYE and this text. */
  end(why: string): void
  /** Cuts the connection, even in the middle of an answer. */
  abandon(): void
  /** Counts bytes that are held in memory until the client has read them. Fails with `unavailable` when too many are in flight. */
  hold(bytes: number): Transfer
}

/** Sends unsolicited news to a session that asked for it by NOTIFY (RFC 5465). */
export type Notifier = {
  /** Call when there may be news of the selected folder, or when a command that held news back has ended. */
  wake(): void
  /** Resolves when no news is being written. */
  settled(): Promise<void>
  close(): void
}

export type SessionOptions = {
  readonly ctx: Context
  readonly views: Views
  readonly structures: Structures
  readonly texts: Texts
  readonly writer: Writer
  readonly peer: Peer
}

export class Session {
  readonly ctx: Context
  readonly views: Views
  readonly structures: Structures
  readonly texts: Texts
  readonly writer: Writer
  readonly peer: Peer
  readonly enabled = new Set<Extension>()
  login: Login | null = null
  selected: Selected | null = null
  /** The tag of the running command. */
  currentTag = ''
  /** Set while the client idles: called when there is news of the selected folder. */
  onNews: (() => void) | null = null
  notifier: Notifier | null = null

  constructor({ ctx, views, structures, texts, writer, peer }: SessionOptions) {
    this.ctx = ctx
    this.views = views
    this.structures = structures
    this.texts = texts
    this.writer = writer
    this.peer = peer
  }

  get state(): State {
    if (this.login === null) return 'greeted'
    return this.selected === null ? 'authenticated' : 'selected'
  }

  get nameForm(): NameForm {
    return this.enabled.has('IMAP4REV2') || this.enabled.has('UTF8=ACCEPT') ? 'utf8' : 'utf7'
  }

  /** The login. Fails with Bad before one. */
  get user(): Login {
    if (this.login === null) throw new Bad('Log in first')
    return this.login
  }

  /** The selected folder as this session sees it. Fails with Bad if none is selected. */
  get folder(): Selected {
    if (this.selected === null) throw new Bad('Select a folder first')
    return this.selected
  }

  /** Fails with NOPERM when the key may only read. */
  requireWrite(): void {
    if (!this.user.principal.scopes.includes('mail:write'))
      throw new No('NOPERM', 'This key lacks the scope mail:write: it may only read')
  }

  /** Returns the selected folder. Fails with NOPERM or READ-ONLY unless it may be changed. */
  requireWritable(): Selected {
    this.requireWrite()
    if (this.folder.isReadOnly) throw new No('READ-ONLY', 'The folder was opened by EXAMINE')
    return this.folder
  }

  /** Returns the folder of this path. Fails with `responseCode` if there is none. */
  async folderAt(path: string, responseCode = 'NONEXISTENT'): Promise<KnownFolder> {
    const wanted = canonicalPath(path)
    const isIt = (each: KnownFolder) => each.path === wanted
    const found = (await foldersIn(this.ctx, this.user.mailbox._id, (known) => known.some(isIt))).find(isIt)
    if (found === undefined) throw new No(responseCode, 'There is no folder of that name')
    return found
  }

  /** Selects a folder and closes the one that was selected. */
  select(folder: KnownFolder, view: FolderView, { isReadOnly }: { readonly isReadOnly: boolean }): Selected {
    this.unselect()
    const tracker = new Tracker(view, () => this.#hearNews())
    tracker.tellsModseqs = this.enabled.has('CONDSTORE')
    this.selected = new Selected({ folder, view, tracker, isReadOnly })
    return this.selected
  }

  unselect(): void {
    this.selected?.tracker.close()
    this.selected = null
  }

  /** Closes the tracker and the notifier of this session. */
  close(): void {
    this.unselect()
    this.notifier?.close()
  }

  #hearNews(): void {
    if (this.onNews !== null) this.onNews()
    else this.notifier?.wake()
  }

  /** Enables CONDSTORE for a client that uses a part of it (RFC 7162 3.1). */
  useModseqs(): void {
    if (this.selected !== null) {
      this.selected.tracker.tellsModseqs = true
      const { modseq } = this.selected.view
      if (!this.enabled.has('CONDSTORE')) this.writer.line(`* OK [HIGHESTMODSEQ ${modseq}] The highest modseq`)
    }
    this.enabled.add('CONDSTORE')
  }
}

/** The folder that a session has selected. */
export class Selected {
  readonly folder: KnownFolder
  readonly view: FolderView
  readonly tracker: Tracker
  readonly isReadOnly: boolean
  /** Keywords that the client was told of. */
  readonly toldKeywords = new Set<string>()
  /** The last saved search result (RFC 5182). */
  saved: readonly Uid[] = []
  readonly #recent: { readonly from: number; to: number }[] = []

  constructor({ folder, view, tracker, isReadOnly }: Pick<Selected, 'folder' | 'view' | 'tracker' | 'isReadOnly'>) {
    this.folder = folder
    this.view = view
    this.tracker = tracker
    this.isReadOnly = isReadOnly
  }

  /** Marks as recent the messages that this session is the first to be told of. */
  noteRecent(): void {
    const { view } = this
    const to = view.table.last
    const from = view.recentFrom
    const last = this.#recent.at(-1)
    // Adjacent messages are kept as one range, however many are added one by one.
    if (last !== undefined && from <= to && last.to === from - 1) last.to = to
    else if (from <= to) this.#recent.push({ from, to })
    if (!this.isReadOnly) view.raiseRecentFrom(to + 1)
  }

  /** Whether this session was the first to be told of a message. */
  isRecent(uid: Uid): boolean {
    return this.#recent.some(({ from, to }) => from <= uid && uid <= to)
  }

  get recentCount(): number {
    const { table } = this.view
    return this.#recent.reduce((sum, { from, to }) => sum + table.indexAbove(to + 1) - table.indexAbove(from), 0)
  }
}
