/**
 * Erases a person who is in no account. People in accounts are erased with their last account (core/personal/erase.ts). Invariants: the
 * person is erased last, so that after an interruption the person can sign in and ask again; no session that began meanwhile is left; a
 * person who joins or claims an account meanwhile either stays, with all second factors, or the join is undone: a join is followed by a
 * look for the mark of an erasure, and the mark by a look for accounts, so at least one of the two sees the other.
 */
import { Failure } from '../../schemas/failures.ts'
import type { CollectionName } from '../../store/collections.ts'
import { findAccountsOf } from '../../store/members.ts'
import { noteLeaving } from '../../store/people.ts'
import { loneOwner, personal } from '../../store/personal.ts'
import { endSessions } from '../access/sessions.ts'
import type { Context } from '../process/context.ts'
import { requirePerson } from './people.ts'

/** Erases a person. Fails with `unauthorized` when the person does not exist, and with `conflict` when the person is in an account. */
export async function erasePerson(ctx: Context, personId: string): Promise<void> {
  const { email } = await requirePerson(ctx, personId)
  const owner = loneOwner({ id: personId, email })
  const erased: { [N in CollectionName]?: number } = {}
  for (const isLast of [false, true]) {
    if (isLast) await noteLeaving(ctx.store, personId, ctx.machineClock.now())
    // Checked again before the last part, which a person who joined an account meanwhile keeps; a later join fails with `noPerson`.
    await requireNoAccount(ctx, personId)
    for (const [name, row] of Object.entries(personal) as [CollectionName, (typeof personal)[CollectionName]][]) {
      if (row.of === 'nobody' || (row.isLast === true) !== isLast) continue
      const count = await row.erase(ctx.store, owner)
      if (count > 0) erased[name] = count
    }
  }
  await endSessions(ctx, [personId])
  ctx.log.info({ personId, erased }, 'person erased')
}

async function requireNoAccount(ctx: Context, personId: string): Promise<void> {
  const { length: count } = await findAccountsOf(ctx.store, personId)
  if (count === 0) return
  await noteLeaving(ctx.store, personId, null)
  throw new Failure(
    'conflict',
    `You cannot be erased while you are in ${count === 1 ? 'an account' : `${count} accounts`}.`,
    {
      fix: 'Leave each with DELETE /api/v1/people/me/accounts/{account}; an account that nobody needs can be erased, and with your last one you are erased too.',
    },
  )
}
