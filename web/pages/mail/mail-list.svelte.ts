/**
 * The rows of a list of mail: conversations by their newest message here, loaded page by page as far as one scrolls. What comes,
 * goes or changes meanwhile is put in without loading the list again.
 */
import type { MessageSummary, MessagesSearchResult } from '../../../sdk/generated/types.ts'
import { mailroom } from '../../app/client.ts'
import { everywhere, type MailPlace } from './places.ts'

export type Listed = MessageSummary & { readonly highlights?: MessagesSearchResult['messages'][number]['highlights'] }
export type Row = {
  /** The thread; in results of a search the message. */
  readonly key: string
  readonly newest: Listed
  /** All of the conversation that the list has, newest first. */
  readonly ids: readonly string[]
  readonly unread: ReadonlySet<string>
}
type Source = Pick<MailPlace, 'address' | 'folder' | 'q' | 'label'>

const firstPage = 50
const nextPages = 200

export class MailList {
  rows = $state.raw<readonly Row[]>([])
  error = $state.raw<unknown>(null)
  isLoading = $state(true)
  isWhole = $state(false)
  readonly source: Source
  readonly #ending = new AbortController()
  #next: string | null = null
  #byKey = new Map<string, number>()
  #asking: Promise<void> | null = null

  constructor(source: Source) {
    this.source = source
    void this.more()
  }

  /** Loads the next page. What was loaded stays when that fails; `more` tries it again. */
  more(): Promise<void> {
    if (this.isWhole) return Promise.resolve()
    this.#asking ??= this.#load().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  /** What is on its way is not wanted any more. */
  end(): void {
    this.#ending.abort()
  }

  /** Puts in a message that has just come, where it belongs. */
  add(message: Listed): void {
    if (this.rows.some(({ ids }) => ids.includes(message.message_id))) return
    const key = this.#keyOf(message)
    const known = this.rows[this.#byKey.get(key) ?? -1]
    const row = joined(known ?? null, key, message)
    this.#set([row, ...this.rows.filter((each) => each !== known)])
  }

  /** Takes messages out, because they lie elsewhere. */
  remove(ids: readonly string[]): void {
    const gone = new Set(ids)
    const left = this.rows.flatMap((row) => {
      const staying = row.ids.filter((id) => !gone.has(id))
      // Of a conversation whose newest message went the next one is not known by more than its id.
      return staying.length === 0 || gone.has(row.newest.message_id) ? [] : [{ ...row, ids: staying }]
    })
    this.#set(left)
  }

  /** Shows what was changed of one message. */
  change(id: string, change: Partial<Pick<Listed, 'seen' | 'flagged' | 'answered' | 'labels'>>): void {
    this.rows = this.rows.map((row) => {
      if (!row.ids.includes(id)) return row
      const newest = row.newest.message_id === id ? { ...row.newest, ...change } : row.newest
      const unread = new Set(row.unread)
      if (change.seen === true) unread.delete(id)
      if (change.seen === false) unread.add(id)
      return { ...row, newest, unread }
    })
  }

  async #load(): Promise<void> {
    this.isLoading = true
    this.error = null
    try {
      const { messages, next } = await this.#page()
      if (this.#ending.signal.aborted) return
      this.#append(messages)
      this.#next = next
      this.isWhole = next === null
    } catch (error) {
      if (!this.#ending.signal.aborted) this.error = error
    } finally {
      this.isLoading = false
    }
  }

  async #page(): Promise<{ readonly messages: readonly Listed[]; readonly next: string | null }> {
    const { address, folder, q, label } = this.source
    const options = { signal: this.#ending.signal }
    const page = {
      limit: this.#next === null ? firstPage : nextPages,
      ...(this.#next !== null && { before: this.#next }),
    }
    if (address === everywhere) return mailroom.search.all({ q: q === '' ? 'in:inbox' : q, ...page }, options)
    if (q !== '') return mailroom.mailboxes.messages.search(address, { q, ...page }, options)
    const wanted = label === '' ? { folder } : { label }
    return mailroom.mailboxes.messages.list(address, { ...wanted, ...page }, options)
  }

  #append(messages: readonly Listed[]): void {
    const rows = [...this.rows]
    for (const message of messages) {
      const key = this.#keyOf(message)
      const at = this.#byKey.get(key)
      const known = at === undefined ? undefined : rows[at]
      if (at === undefined || known === undefined) {
        this.#byKey.set(key, rows.length)
        rows.push(joined(null, key, message))
      } else if (!known.ids.includes(message.message_id)) {
        const unread = message.seen ? known.unread : new Set([...known.unread, message.message_id])
        rows[at] = { ...known, ids: [...known.ids, message.message_id], unread }
      }
    }
    this.rows = rows
  }

  #set(rows: readonly Row[]): void {
    this.#byKey = new Map(rows.map(({ key }, at) => [key, at]))
    this.rows = rows
  }

  /** What was found is shown message by message, each with the place where it was found. */
  #keyOf({ mailbox, thread_id, message_id }: Listed): string {
    return this.source.q === '' ? `${mailbox} ${thread_id}` : message_id
  }
}

/** The row with a newer message. */
function joined(known: Row | null, key: string, newest: Listed): Row {
  const unread = new Set(known?.unread)
  if (!newest.seen) unread.add(newest.message_id)
  return { key, newest, ids: [newest.message_id, ...(known?.ids ?? [])], unread }
}
