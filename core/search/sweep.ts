/**
 * The sweep of the search index: indexes mail that was stored but not indexed, because of a crash or because it is
 * older than the index.
 */
import { idAt } from '../../schemas/ids.ts'
import { walkMessageBlobs } from '../../store/messages.ts'
import { readState, writeState } from '../../store/records.ts'
import { findMailboxesToTidy } from '../../store/search.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { indexMissing } from './indexing.ts'
import { mergeSegments } from './merge.ts'

/** Longer than any writer takes to commit or give up (core/upkeep/sweep.ts). */
const lagSeconds = 30
const pageSize = 1_000
/** How long one run may take, since stopping the process waits for it. */
const runMs = 3_000
/** Mailboxes read for one run of `tidySearch`. */
const untidyMax = 200
const watermark = 'searchableMessages'

/**
 * Indexes messages that are not indexed. A run stops after `runMs` and the next one continues. Returns how many
 * messages were checked.
 */
export async function sweepSearch(ctx: Context): Promise<number> {
  const to = idAt('msg', after(ctx.clock.now(), -lagSeconds * secondMs))
  let from = await searchableUpTo(ctx)
  const until = performance.now() + runMs
  for (let seen = 0; ; ) {
    const messages = await walkMessageBlobs(ctx.store, { from, to, limit: pageSize })
    for (const mailboxId of await indexMissing(ctx, messages)) await mergeSegments(ctx, mailboxId)
    seen += messages.length
    // The last message is checked again: the next page begins with it.
    from = messages.length < pageSize ? to : messages.at(-1)!._id
    await writeState(ctx.store, watermark, from)
    if (messages.length < pageSize || performance.now() > until) return seen
  }
}

/**
 * Removes the words of deleted messages from segments that were not written for a while. Returns how many mailboxes
 * were handled.
 */
export async function tidySearch(ctx: Context): Promise<number> {
  const mailboxIds = await findMailboxesToTidy(ctx.store, ctx.clock.now(), untidyMax)
  const until = performance.now() + runMs
  let handled = 0
  for (const mailboxId of mailboxIds) {
    if (performance.now() > until) break
    await mergeSegments(ctx, mailboxId)
    handled += 1
  }
  return handled
}

/** The watermark of the index: every message before this id is indexed. */
export async function searchableUpTo(ctx: Context): Promise<string> {
  return (await readState<string>(ctx.store, watermark)) ?? idAt('msg', new Date(0))
}
