/** `mailroom grant`. */
import { recordAdministration } from '../core/access/audit.ts'
import { endGrant } from '../core/access/grants.ts'
import { getAccount } from '../core/account/accounts.ts'
import { listPrograms } from '../core/oauth/programs.ts'
import { Failure } from '../schemas/failures.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'

export const list = withContext(async (ctx, io, account: string) => {
  const { id: accountId } = await getAccount(ctx, account)
  print(io, ...(await listPrograms(ctx, { accountId, personId: null })))
})

export const revoke = withContext(async (ctx, _io, account: string, grantId: string) => {
  const { id: accountId } = await getAccount(ctx, account)
  if (!(await endGrant(ctx, { accountId, grantId })))
    throw new Failure('not_found', `There is no connected program ${grantId}.`, {
      fix: 'Use an id that "mailroom grant list" shows (gnt_...).',
    })
  await recordAdministration(ctx, { accountId, action: 'grants.revoke', target: grantId })
})
