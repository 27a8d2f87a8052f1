/**
 * The rows of a list of mail: conversations, represented by their newest message in the list, loaded page by page on scrolling.
 * Messages that arrive, leave or change are merged into the rows without reloading the list.
 *
 * The rows are one plain array that is changed in place; `#changes` notifies its readers. Adding a page, adding a new message and
 * finding a row cost the same in a list of any length. Only a removal renumbers the rows below it.
 */
import type { MessageSummary, MessagesSearchResult } from '../../../sdk/generated/types.ts'
import { mailroom } from '../../app/client.ts'
import { nameOf } from './people.ts'
import { everywhere, type MailPlace } from './places.ts'

/** The fields of a message that a row shows, and no others, because lists are long. */
export type Listed = Pick<
  MessageSummary,
  | 'message_id'
  | 'mailbox'
  | 'thread_id'
  | 'subject'
  | 'snippet'
  | 'received_at'
  | 'seen'
  | 'flagged'
  | 'answered'
  | 'labels'
> & {
  /** The sender; in Sent and Drafts the recipients. */
  readonly who: string
  readonly hasFiles: boolean
  /** The excerpt of the body with the search hits. */
  readonly found: MessagesSearchResult['messages'][number]['highlights'][number] | null
}
export type Row = {
  /** The thread id; in search results the message id. */
  readonly key: string
  readonly newest: Listed
  /** The messages of the conversation that are in the list, newest first, and those of them that are unread. */
  readonly ids: readonly string[]
  readonly unread: readonly string[]
}
type Source = Pick<MailPlace, 'address' | 'folder' | 'q' | 'label'>
type Answered = MessageSummary & { readonly highlights?: MessagesSearchResult['messages'][number]['highlights'] }

const firstPage = 50
const nextPages = 200
/** Shared by all rows without labels or unread messages, to save memory. */
const none: readonly never[] = []

export class MailList {
  error = $state.raw<unknown>(null)
  isLoading = $state(true)
  isWhole = $state(false)
  readonly source: Source
  /** Whether the rows show recipients instead of senders. */
  readonly isSentByUs: boolean
  /** Resolves when the first page is loaded, or could not be. */
  readonly begun: Promise<void>
  readonly #ending = new AbortController()
  readonly #rows: Row[] = []
  /** The place of each row, by its key and by the ids of its messages, counted from the row that was first when the list loaded. */
  readonly #places = new Map<string, number>()
  #placeOfFirst = 0
  #changes = $state(0)
  #next: string | null = null
  /**
   * The messages that were added on arrival since the last comparison. In the list of all mailboxes, which an index answers with a
   * delay, all of them since the list exists.
   */
  readonly #came = new Set<string>()
  #asking: Promise<void> | null = null

  constructor(source: Source) {
    this.source = source
    this.isSentByUs = source.q === '' && ['sent', 'drafts'].includes(source.folder)
    this.begun = this.more()
  }

  get length(): number {
    void this.#changes
    return this.#rows.length
  }

  slice(from: number, to: number): readonly Row[] {
    void this.#changes
    return this.#rows.slice(from, to)
  }

  at(index: number): Row | undefined {
    void this.#changes
    return this.#rows[index]
  }

  /** Returns the index of the row that contains a message, or -1 if it is not loaded. */
  indexOf(messageId: string): number {
    void this.#changes
    return this.#indexOf(messageId) ?? -1
  }

  /** Loads the next page. If that fails, the loaded rows stay and `more` can be called again. */
  more(): Promise<void> {
    if (this.isWhole) return Promise.resolve()
    this.#asking ??= this.#load().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  /**
   * Compares the newest page of the API with the rows: removes messages that have left, updates marks, and adds newer messages.
   * Resolves to false if a message came back among older mail; the caller then has to reload the list.
   */
  async compare(): Promise<boolean> {
    if (this.isLoading || this.source.q !== '') return true
    if (this.source.address !== everywhere) this.#came.clear()
    const { messages, next } = await this.#page(null)
    if (this.#ending.signal.aborted) return true
    const found = new Set(messages.map(({ message_id }) => message_id))
    const newest = this.#rows[0]?.newest.received_at ?? ''
    const oldest = next === null ? '' : (messages.at(-1)?.received_at ?? '')
    // The answer lacks messages that arrived after the request, and in the list of all mailboxes those not yet indexed.
    const isKnown = ({ message_id }: Listed) => found.has(message_id) || this.#came.has(message_id)
    this.remove(this.#rows.flatMap((row) => (row.newest.received_at > oldest && !isKnown(row.newest) ? row.ids : [])))
    let isAll = true
    for (const message of messages.toReversed()) {
      const { message_id, seen, flagged, answered, labels } = message
      if (this.#places.has(message_id)) this.change(message_id, { seen, flagged, answered, labels })
      else if (message.received_at > newest) this.add(this.#listed(message))
      else isAll = false
    }
    return isAll
  }

  /** Aborts the requests that are under way. */
  end(): void {
    this.#ending.abort()
  }

  /** Adds a message that has just arrived. */
  add(message: Listed): void {
    if (this.#places.has(message.message_id)) return
    this.#came.add(message.message_id)
    const key = this.#keyOf(message)
    const at = this.#indexOf(key)
    const [known] = at === undefined ? [] : this.#rows.splice(at, 1)
    if (at === undefined) this.#placeOfFirst -= 1
    this.#rows.unshift(joined(known ?? null, key, message))
    this.#number(0, at ?? 0)
    this.#changes += 1
  }

  /** Removes messages that have left the list's folder or label. */
  remove(ids: readonly string[]): void {
    const gone = new Set(ids.filter((id) => this.#places.has(id)))
    const touched = new Set([...gone].flatMap((id) => this.#indexOf(id) ?? []))
    if (touched.size === 0) return
    const first = Math.min(...touched)
    let to = first
    for (let from = first; from < this.#rows.length; from++) {
      const row = this.#rows[from] as Row
      const left = touched.has(from) ? without(row, gone) : row
      if (left === null) for (const known of [row.key, ...row.ids]) this.#places.delete(known)
      else this.#rows[to++] = left
    }
    this.#rows.length = to
    for (const id of gone) this.#places.delete(id)
    this.#number(first, to - 1)
    this.#changes += 1
  }

  /** Shows the changed marks of one message. */
  change(id: string, change: Partial<Pick<Listed, 'seen' | 'flagged' | 'answered' | 'labels'>>): void {
    const at = this.#indexOf(id)
    const row = at === undefined ? undefined : this.#rows[at]
    if (at === undefined || row === undefined) return
    const newest = row.newest.message_id === id ? { ...row.newest, ...change } : row.newest
    const others = row.unread.filter((each) => each !== id)
    const unread = change.seen === undefined ? row.unread : change.seen ? others : [...others, id]
    this.#rows[at] = { ...row, newest, unread }
    this.#changes += 1
  }

  async #load(): Promise<void> {
    this.isLoading = true
    this.error = null
    try {
      const { messages, next } = await this.#page(this.#next)
      if (this.#ending.signal.aborted) return
      for (const message of messages) this.#append(this.#listed(message))
      this.#changes += 1
      this.#next = next
      this.isWhole = next === null
    } catch (error) {
      if (!this.#ending.signal.aborted) this.error = error
    } finally {
      this.isLoading = false
    }
  }

  async #page(
    before: string | null,
  ): Promise<{ readonly messages: readonly Answered[]; readonly next: string | null }> {
    const { address, folder, q, label } = this.source
    const options = { signal: this.#ending.signal }
    const page = {
      limit: before === null ? firstPage : nextPages,
      ...(before !== null && { before }),
    }
    if (address === everywhere) return mailroom.search.all({ q: q === '' ? 'in:inbox' : q, ...page }, options)
    if (q !== '') return mailroom.mailboxes.messages.search(address, { q, ...page }, options)
    const wanted = label === '' ? { folder } : { label }
    return mailroom.mailboxes.messages.list(address, { ...wanted, ...page }, options)
  }

  /** Adds a message that is older than the loaded ones of its conversation. */
  #append(message: Listed): void {
    const { message_id, seen } = message
    const key = this.#keyOf(message)
    const at = this.#indexOf(key)
    const known = at === undefined ? undefined : this.#rows[at]
    if (at === undefined || known === undefined) {
      this.#rows.push(joined(null, key, message))
      this.#number(this.#rows.length - 1, this.#rows.length - 1)
      return
    }
    if (known.ids.includes(message_id)) return
    const unread = seen ? known.unread : [...known.unread, message_id]
    this.#rows[at] = { ...known, ids: [...known.ids, message_id], unread }
    this.#number(at, at)
  }

  #indexOf(known: string): number | undefined {
    const place = this.#places.get(known)
    return place === undefined ? undefined : place - this.#placeOfFirst
  }

  /** Records the places of rows. */
  #number(first: number, last: number): void {
    for (let at = first; at <= last; at++) {
      const { key, ids } = this.#rows[at] as Row
      this.#places.set(key, at + this.#placeOfFirst)
      for (const id of ids) this.#places.set(id, at + this.#placeOfFirst)
    }
  }

  #listed(message: Answered): Listed {
    const { message_id, thread_id, subject, snippet, received_at, seen, flagged, answered } = message
    return {
      message_id,
      thread_id,
      subject,
      snippet,
      received_at,
      seen,
      flagged,
      answered,
      // Shares one string between all rows.
      mailbox: message.mailbox === this.source.address ? this.source.address : message.mailbox,
      who: this.isSentByUs ? message.to.map(nameOf).join(', ') : nameOf(message.from),
      labels: message.labels.length === 0 ? none : message.labels,
      hasFiles: message.attachments.some(({ inline }) => !inline),
      found: message.highlights?.find(({ field }) => field === 'body') ?? null,
    }
  }

  /** Search results are shown message by message, each with its hit; other lists by thread. */
  #keyOf({ thread_id, message_id }: Listed): string {
    return this.source.q === '' ? thread_id : message_id
  }
}

/** Returns the row with a newer message added. */
function joined(known: Row | null, key: string, newest: Listed): Row {
  const { message_id, seen } = newest
  const unread = known?.unread ?? none
  return {
    key,
    newest,
    ids: [message_id, ...(known?.ids ?? none)],
    unread: seen ? unread : [message_id, ...unread],
  }
}

/** Returns the row without `gone` messages, or null if its newest one is gone: of the others only the ids are known. */
function without(row: Row, gone: ReadonlySet<string>): Row | null {
  if (gone.has(row.newest.message_id)) return null
  const stays = (id: string) => !gone.has(id)
  return { ...row, ids: row.ids.filter(stays), unread: row.unread.filter(stays) }
}
