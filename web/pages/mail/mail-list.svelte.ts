/**
 * The rows of a list of mail: conversations by their newest message here, loaded page by page as far as one scrolls. What comes,
 * goes or changes meanwhile is put in without loading the list again.
 *
 * The rows are one plain array that is changed where it is; `#changes` tells those who read it. A page, a mail that comes and a
 * row that is looked for cost the same in a list of any length; only what goes renumbers the rows below it.
 */
import type { MessageSummary, MessagesSearchResult } from '../../../sdk/generated/types.ts'
import { mailroom } from '../../app/client.ts'
import { nameOf } from './people.ts'
import { everywhere, type MailPlace } from './places.ts'

/** What a row shows of a message, and no more: lists have many. */
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
  /** Whom it is from; of what we sent, whom it goes to. */
  readonly who: string
  readonly hasFiles: boolean
  /** Where the first word of a search stands in the text. */
  readonly found: MessagesSearchResult['messages'][number]['highlights'][number] | null
}
export type Row = {
  /** The thread; in results of a search the message. */
  readonly key: string
  readonly newest: Listed
  /** All of the conversation that the list has, newest first, and those of them that are unread. */
  readonly ids: readonly string[]
  readonly unread: readonly string[]
}
type Source = Pick<MailPlace, 'address' | 'folder' | 'q' | 'label'>
type Answered = MessageSummary & { readonly highlights?: MessagesSearchResult['messages'][number]['highlights'] }

const firstPage = 50
const nextPages = 200
/** One for all rows that have none. */
const none: readonly never[] = []

export class MailList {
  error = $state.raw<unknown>(null)
  isLoading = $state(true)
  isWhole = $state(false)
  readonly source: Source
  /** Whether rows say whom their mail goes to. */
  readonly isSentByUs: boolean
  readonly #ending = new AbortController()
  readonly #rows: Row[] = []
  /** By the keys of rows and the ids of their messages: the place, counted from the row that was the first one at the beginning. */
  readonly #places = new Map<string, number>()
  #placeOfFirst = 0
  #changes = $state(0)
  #next: string | null = null
  /** What was put in as it came: since the list was compared last, or, of all mailboxes, which are asked of an index, since it is there. */
  readonly #came = new Set<string>()
  #asking: Promise<void> | null = null

  constructor(source: Source) {
    this.source = source
    this.isSentByUs = source.q === '' && ['sent', 'drafts'].includes(source.folder)
    void this.more()
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

  /** The row that a message is in; -1 when the list has it not, or not yet. */
  indexOf(messageId: string): number {
    void this.#changes
    return this.#indexOf(messageId) ?? -1
  }

  /** Loads the next page. What was loaded stays when that fails; `more` tries it again. */
  more(): Promise<void> {
    if (this.isWhole) return Promise.resolve()
    this.#asking ??= this.#load().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  /**
   * Compares the newest page with the rows that are there: what lies elsewhere now goes, marks are those of now, what is newer comes.
   * Resolves to whether that is all: where something came back among older mail the list has to be read anew.
   */
  async compare(): Promise<boolean> {
    if (this.isLoading || this.source.q !== '') return true
    if (this.source.address !== everywhere) this.#came.clear()
    const { messages, next } = await this.#page(null)
    if (this.#ending.signal.aborted) return true
    const found = new Set(messages.map(({ message_id }) => message_id))
    const newest = this.#rows[0]?.newest.received_at ?? ''
    const oldest = next === null ? '' : (messages.at(-1)?.received_at ?? '')
    // What comes meanwhile is not in the answer, and what has just come not in the index of all mailboxes.
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

  /** What is on its way is not wanted any more. */
  end(): void {
    this.#ending.abort()
  }

  /** Puts in a message that has just come, where it belongs. */
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

  /** Takes messages out, because they lie elsewhere. */
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

  /** Shows what was changed of one message. */
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

  /** Puts in a message that is older than those of its conversation that are there. */
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

  /** Notes where rows are now. */
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
      // One string for all rows.
      mailbox: message.mailbox === this.source.address ? this.source.address : message.mailbox,
      who: this.isSentByUs ? message.to.map(nameOf).join(', ') : nameOf(message.from),
      labels: message.labels.length === 0 ? none : message.labels,
      hasFiles: message.attachments.some(({ inline }) => !inline),
      found: message.highlights?.find(({ field }) => field === 'body') ?? null,
    }
  }

  /** What was found is shown message by message, each with the place where it was found. */
  #keyOf({ thread_id, message_id }: Listed): string {
    return this.source.q === '' ? thread_id : message_id
  }
}

/** The row with a newer message. */
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

/** The row without messages that went. Of a conversation whose newest one went the next is not known by more than its id. */
function without(row: Row, gone: ReadonlySet<string>): Row | null {
  if (gone.has(row.newest.message_id)) return null
  const stays = (id: string) => !gone.has(id)
  return { ...row, ids: row.ids.filter(stays), unread: row.unread.filter(stays) }
}
