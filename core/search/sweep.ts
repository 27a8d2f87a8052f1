/** Mail that was stored but not indexed: after a crash, or because it is older than the index. */
import { idAt } from '../../schemas/ids.ts'
import { walkMessages } from '../../store/messages.ts'
import { readState, writeState } from '../../store/records.ts'
import { findMailboxesToTidy } from '../../store/search.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { indexMissing } from './indexing.ts'
import { mergeSegments } from './merge.ts'

/** Longer than any writer takes to commit or give up (core/upkeep/sweep.ts). */
const lagSeconds = 30
const pageSize = 500
/** A run that a stop waits for is over soon. */
const runMs = 3_000
/** Segments tidied in one run. */
const untidyMax = 200
const watermark = 'searchableMessages'

/** Indexes what is not; what takes longer than a moment goes on with the next run. Returns how many messages were looked at. */
export async function sweepSearch(ctx: Context): Promise<number> {
  const to = idAt('msg', after(ctx.clock.now(), -lagSeconds * secondMs))
  let from = await searchableUpTo(ctx)
  const until = performance.now() + runMs
  for (let seen = 0; ; ) {
    const messages = await walkMessages(ctx.store, { from, to, limit: pageSize })
    for (const mailboxId of await indexMissing(ctx, messages)) await mergeSegments(ctx, mailboxId)
    seen += messages.length
    // The last one is looked at again: the next page begins with it.
    from = messages.length < pageSize ? to : messages.at(-1)!._id
    await writeState(ctx.store, watermark, from)
    if (messages.length < pageSize || performance.now() > until) return seen
  }
}

/** Leaves what is gone out of segments that were not written for a while. Returns how many mailboxes were looked at. */
export async function tidySearch(ctx: Context): Promise<number> {
  const mailboxIds = await findMailboxesToTidy(ctx.store, ctx.clock.now(), untidyMax)
  const until = performance.now() + runMs
  let looked = 0
  for (const mailboxId of mailboxIds) {
    if (performance.now() > until) break
    await mergeSegments(ctx, mailboxId)
    looked += 1
  }
  return looked
}

/** Every message before this id is indexed. */
export async function searchableUpTo(ctx: Context): Promise<string> {
  return (await readState<string>(ctx.store, watermark)) ?? idAt('msg', new Date(0))
}
