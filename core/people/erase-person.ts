/**
 * Erases a person who is in no account, with whose erasure nobody would go (core/personal/erase.ts). Invariants: the person goes last,
 * so that who is interrupted can sign in and ask again; no session is left that began meanwhile; who comes into an account meanwhile
 * stays, with all second factors, or is in it no more.
 */
import { Failure } from '../../schemas/failures.ts'
import type { CollectionName } from '../../store/collections.ts'
import { findAccountsOf } from '../../store/members.ts'
import { loneOwner, personal } from '../../store/personal.ts'
import { endSessions } from '../access/sessions.ts'
import type { Context } from '../process/context.ts'
import { requirePerson } from './people.ts'

/** Erases what there is of a person. Fails with `unauthorized` when there is none, `conflict` for who is in an account. */
export async function erasePerson(ctx: Context, personId: string): Promise<void> {
  const { email } = await requirePerson(ctx, personId)
  const owner = loneOwner({ id: personId, email })
  const erased: { [N in CollectionName]?: number } = {}
  for (const isLast of [false, true]) {
    // Again before what stays with who has joined one meanwhile; who joins later is told that the person is gone.
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
  throw new Failure('conflict', `You are in ${count === 1 ? 'an account' : `${count} accounts`}.`, {
    fix: 'Leave each with DELETE /api/v1/people/me/accounts/{account}; one that nobody needs can be erased, and you with the last.',
  })
}
