/**
 * The newest messages of mailboxes, as this process has read them. A mailbox that is listed again and again gives the same page as
 * long as nothing in it has changed. A small query finds that out, because every change of a message takes a reservation, which
 * changes a folder. Invariants: a page is reused only when the marks of its mailbox, read after the request came in, equal the marks
 * read before the page was; a mailbox with an open reservation has no marks, because its messages may still be on their way. A
 * mailbox that is listed once costs no query beside that for its page, and its page is not kept. The same holds while other pages
 * leave no room: if pages evicted each other, lists would cost more than without the cache.
 */
import { type MailboxMarks, mailboxMarks } from '../../store/folders.ts'
import { type ListedMessage, listMessages } from '../../store/messages.ts'
import { type Message, messageOf } from '../mailbox/messages.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import { minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'

export type Newest = {
  /** One row more than was asked for, if the mailbox has that many. */
  readonly rows: readonly ListedMessage[]
  /** The records of the rows that were asked for: one array, shared by all requests that get a kept page. Null when it is not kept. */
  readonly messages: readonly Message[] | null
}

type Page = { readonly marks: string; readonly newest: Newest; readonly chars: number }

/** Characters of all pages as JSON; as objects they take several times as much memory. */
const charsMax = 8 * 1024 * 1024
/** No page is added while there is less room than this. */
const roomMin = charsMax / 100
/** A mailbox that is listed again within this time has its page kept, until it is not listed for this long. */
const againMs = minuteMs
const listedMax = 10_000

const newestPages = perProcess(({ clock }) => ({
  marks: createBatchedLookup<MailboxMarks>(),
  /** By mailbox and page size: the lists of the last `againMs`. */
  listed: createKept<true>(clock, { max: listedMax, ttlMs: againMs }),
  pages: createKept<Page>(clock, { max: charsMax, weigh: ({ chars }) => chars, ttlMs: againMs, renewOnUse: true }),
}))

/** The newest messages of a mailbox, in their current state. */
export async function newestMessages(ctx: Context, mailboxId: string, limit: number): Promise<Newest> {
  const { listed, marks: lookup, pages } = newestPages(ctx)
  const key = `${mailboxId} ${limit}`
  const read = () => listMessages(ctx.store, { mailboxId }, { before: null, limit: limit + 1 })
  const isRepeated = listed.get(key) !== undefined && pages.room() >= roomMin
  if (pages.get(key) === undefined && !isRepeated) {
    listed.set(key, true)
    return { rows: await read(), messages: null }
  }
  const found = await lookup(mailboxId, (ids) => mailboxMarks(ctx.store, ids))
  const page = pages.get(key)
  if (page !== undefined && page.marks === found?.marks) return page.newest
  listed.set(key, true)
  const rows = await read()
  const messages = found === undefined ? null : shown(rows.slice(0, limit), found.paths)
  if (found === undefined || messages === null) return { rows, messages: null }
  const newest = { rows, messages }
  pages.set(key, { marks: found.marks, newest, chars: JSON.stringify(rows).length })
  return newest
}

/** The messages as callers see them; null when one is in a folder that was created meanwhile. */
function shown(rows: readonly ListedMessage[], paths: MailboxMarks['paths']): readonly Message[] | null {
  const messages = rows.flatMap((row) => {
    const path = paths.get(row.folderId)
    return path === undefined ? [] : [messageOf(row, path)]
  })
  return messages.length === rows.length ? messages : null
}
