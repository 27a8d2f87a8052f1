/**
 * The newest messages of mailboxes, as this process has read them. Who lists a mailbox again and again is given the same page for as
 * long as nothing in it has changed, which a small question to the database tells: every change of a message takes a
 * reservation, which changes a folder. Invariants: a page is given again only when the marks of its mailbox, read after the request
 * came in, are those that were read before the page was; a mailbox with an open reservation has no marks, because its
 * messages may still be on their way. Of a mailbox that is listed once nothing is asked or kept beside its page, and as little when those
 * that are listed all the time leave no room: where pages took each other's place, lists would be dearer than without any.
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
  /** One more than were asked for, if there are as many. */
  readonly rows: readonly ListedMessage[]
  /** As callers see those that were asked for: the same array for all who are given a kept page. Null for one that is not kept. */
  readonly messages: readonly Message[] | null
}

type Page = { readonly marks: string; readonly newest: Newest; readonly chars: number }

/** Characters of all pages as JSON; as objects they take some times as much. */
const charsMax = 8 * 1024 * 1024
/** With less room no page is added. */
const roomMin = charsMax / 100
/** The page of a mailbox that is listed again within this time is kept, until it is not any more. */
const againMs = minuteMs
const listedMax = 10_000

const newestPages = perProcess(({ clock }) => ({
  marks: createBatchedLookup<MailboxMarks>(),
  /** What was listed lately. */
  listed: createKept<true>(clock, { max: listedMax, ttlMs: againMs }),
  pages: createKept<Page>(clock, { max: charsMax, weigh: ({ chars }) => chars, ttlMs: againMs, renewOnUse: true }),
}))

/** The newest messages of a mailbox as they are now. */
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

/** The messages as callers see them; null when one lies in a folder that was made meanwhile. */
function shown(rows: readonly ListedMessage[], paths: MailboxMarks['paths']): readonly Message[] | null {
  const messages = rows.flatMap((row) => {
    const path = paths.get(row.folderId)
    return path === undefined ? [] : [messageOf(row, path)]
  })
  return messages.length === rows.length ? messages : null
}
