/** The state of one session (RFC 9051 3): who logged in, what was enabled, which folder is selected. */
import type { Login } from '../core/account/login.ts'
import { canonicalPath } from '../core/mailbox/folders.ts'
import { foldersIn, type KnownFolder } from '../core/mailbox/known-folders.ts'
import type { Context } from '../core/process/context.ts'
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

/** What a client may turn on (RFC 5161). CONDSTORE is turned on by using it too. */
export type Extension = 'IMAP4REV2' | 'CONDSTORE' | 'QRESYNC' | 'UTF8=ACCEPT'

/** What a session needs of the connection on which it runs. */
export type Peer = {
  readonly address: string
  /** Whether a password may cross it: it is encrypted, or within this machine. */
  isPrivate(): boolean
  /** Whether STARTTLS is possible. */
  canEncrypt(): boolean
  /** Begins TLS, when what was written is sent. */
  encrypt(): Promise<void>
  isCompressed(): boolean
  /** Begins to compress both ways, when what was written is sent. */
  compress(): Promise<void>
  /** Whether no command is under way that writes: what nobody asked for may be told. */
  isQuiet(): boolean
  /** The next line that the client sends, outside of a command: the end of IDLE, an answer of AUTHENTICATE. */
  line(): Promise<string | null>
  /** Does something when the current command is answered. */
  afterAnswer(work: () => Promise<void>): void
  /** Counts a login that went wrong; the connection ends with the last that may, or when no more are taken. */
  wrongLogin(isRefused: boolean): void
  /** Ends the connection when the current command is answered. */
  leave(): void
  /** Ends the connection with a word. */
  end(why: string): void
  /** Ends the connection in the middle of an answer. */
  abandon(): void
}

/** What tells a session news without being asked (RFC 5465). */
export type Notifier = {
  /** There may be news of the selected folder, or a command that held news back has ended. */
  wake(): void
  /** Resolves when nothing is being told. */
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
  /** The tag of the command that is carried out. */
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

  /** Who logged in. Only to be asked where the state says that somebody did. */
  get user(): Login {
    if (this.login === null) throw new Bad('Log in first')
    return this.login
  }

  /** The folder that is selected, as its sessions see it. */
  get folder(): Selected {
    if (this.selected === null) throw new Bad('Select a folder first')
    return this.selected
  }

  /** Fails with NOPERM when the key may only read. */
  requireWrite(): void {
    if (!this.user.principal.scopes.includes('mail:write'))
      throw new No('NOPERM', 'This key lacks the scope mail:write: it may only read')
  }

  /** Fails unless the selected folder may be changed. */
  requireWritable(): Selected {
    this.requireWrite()
    if (this.folder.isReadOnly) throw new No('READ-ONLY', 'The folder was opened by EXAMINE')
    return this.folder
  }

  /** The folder of this path. Fails with NONEXISTENT, or with the code that is given. */
  async folderAt(path: string, responseCode = 'NONEXISTENT'): Promise<KnownFolder> {
    const wanted = canonicalPath(path)
    const isIt = (each: KnownFolder) => each.path === wanted
    const found = (await foldersIn(this.ctx, this.user.mailbox._id, (known) => known.some(isIt))).find(isIt)
    if (found === undefined) throw new No(responseCode, 'There is no folder of that name')
    return found
  }

  /** Selects a folder; the one that was selected is closed. */
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

  /** Ends all that listens for this session. */
  close(): void {
    this.unselect()
    this.notifier?.close()
  }

  #hearNews(): void {
    if (this.onNews !== null) this.onNews()
    else this.notifier?.wake()
  }

  /** Turns CONDSTORE on, for those who use what belongs to it (RFC 7162 3.1). */
  useModseqs(): void {
    if (this.selected !== null) {
      this.selected.tracker.tellsModseqs = true
      const { modseq } = this.selected.view
      if (!this.enabled.has('CONDSTORE')) this.writer.line(`* OK [HIGHESTMODSEQ ${modseq}] The highest`)
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
  /** The last result that was saved (RFC 5182). */
  saved: readonly Uid[] = []
  readonly #recent: { readonly from: number; to: number }[] = []

  constructor({ folder, view, tracker, isReadOnly }: Pick<Selected, 'folder' | 'view' | 'tracker' | 'isReadOnly'>) {
    this.folder = folder
    this.view = view
    this.tracker = tracker
    this.isReadOnly = isReadOnly
  }

  /** Notes which of the messages that the client is told of now no session was told of before. */
  noteRecent(): void {
    const { view } = this
    const to = view.table.last
    const from = view.recentFrom
    const last = this.#recent.at(-1)
    // Who brings many messages is told of each: they are one range, however many.
    if (last !== undefined && from <= to && last.to === from - 1) last.to = to
    else if (from <= to) this.#recent.push({ from, to })
    if (!this.isReadOnly) view.tellRecent(to + 1)
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
