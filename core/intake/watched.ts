/** Which mailboxes are watched, as this process knows it (core/process/known.ts): mail to a mailbox that is not watched costs nothing. */
import type { IntakeDoc } from '../../store/documents/intake.ts'
import { findIntakes } from '../../store/intake.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'

/** The configuration of a mailbox; null when it is not watched. */
type Watched = { readonly intake: IntakeDoc | null }

const knownIntakes = perProcess(({ clock, changes }) => {
  const known = createKnown<Watched>(clock)
  changes.listen((note) => {
    if (note.kind === 'intakes') known.forget((mailboxId) => note.mailboxIds.includes(mailboxId))
  })
  return known
})

/** The configurations of the mailboxes that are watched, by mailbox id; concurrent callers share a query. */
export async function watchedAmong(
  ctx: Context,
  mailboxIds: Iterable<string>,
): Promise<ReadonlyMap<string, IntakeDoc>> {
  const known = knownIntakes(ctx)
  const found = await Promise.all(
    [...new Set(mailboxIds)].map((mailboxId) => known.find(mailboxId, (asked) => readIntakes(ctx, asked))),
  )
  return new Map(found.flatMap((each) => (each?.intake ? [[each.intake._id, each.intake] as const] : [])))
}

async function readIntakes(ctx: Context, mailboxIds: readonly string[]): Promise<ReadonlyMap<string, Watched>> {
  const found = new Map((await findIntakes(ctx.store, mailboxIds)).map((intake) => [intake._id, intake]))
  return new Map(mailboxIds.map((mailboxId) => [mailboxId, { intake: found.get(mailboxId) ?? null }]))
}

/** Publishes that the configurations of mailboxes were changed, or have ended. */
export function intakesChanged(ctx: Context, mailboxIds: readonly string[]): void {
  knownIntakes(ctx).forget((mailboxId) => mailboxIds.includes(mailboxId))
  ctx.changes.publish({ kind: 'intakes', mailboxIds })
}
