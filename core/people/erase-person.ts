/**
 * Erases a person who is in no account, with whose erasure nobody would go (core/personal/erase.ts). Invariant: the person goes last,
 * so that who is interrupted can sign in and ask again; no session is left that began meanwhile.
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
  const accounts = await findAccountsOf(ctx.store, personId)
  if (accounts.length > 0)
    throw new Failure(
      'conflict',
      `You are in ${accounts.length === 1 ? 'an account' : `${accounts.length} accounts`}.`,
      {
        fix: 'Leave each with DELETE /api/v1/people/me/accounts/{account}; one that nobody needs can be erased, and you with the last.',
      },
    )
  const owner = loneOwner({ id: personId, email })
  const erased: { [N in CollectionName]?: number } = {}
  for (const [name, row] of Object.entries(personal) as [CollectionName, (typeof personal)[CollectionName]][]) {
    const count = row.of === 'nobody' ? 0 : await row.erase(ctx.store, owner)
    if (count > 0) erased[name] = count
  }
  await endSessions(ctx, [personId])
  ctx.log.info({ personId, erased }, 'person erased')
}
