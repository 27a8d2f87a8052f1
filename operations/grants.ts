import { endGrant } from '../core/access/grants.ts'
import type { Principal } from '../core/access/principal.ts'
import type { Session } from '../core/access/sessions.ts'
import { listPrograms } from '../core/oauth/programs.ts'
import { Failure } from '../schemas/failures.ts'
import { Deleted, identifier } from '../schemas/fields.ts'
import { Grants } from '../schemas/grants.ts'
import { object } from '../schemas/infer.ts'
import { noAccountOfSession } from './admit.ts'
import { personOperation } from './registry.ts'

export const listGrants = personOperation({
  name: 'grants.list',
  summary:
    'The programs that the person connected to the account by OAuth, oldest first; an owner sees those of all members.',
  http: 'GET /api/v1/grants',
  input: object({}),
  output: Grants,
  errors: [],
  async handle({ ctx, session }) {
    const programs = await listPrograms(ctx, ownedBy(session))
    return {
      grants: programs.map(({ createdAt, endsAt, lastUsed, ...program }) => ({
        ...program,
        createdAt: createdAt.toISOString(),
        endsAt: endsAt.toISOString(),
        lastUsedAt: lastUsed?.at.toISOString() ?? null,
        lastUsedFrom: lastUsed?.address ?? null,
      })),
      next: null,
    }
  },
})

export const deleteGrant = personOperation({
  name: 'grants.revoke',
  summary: 'Disconnect a program: its tokens stop working at once, in every process.',
  http: 'DELETE /api/v1/grants/{grant_id}',
  input: object({ grant_id: identifier('Id of the grant (gnt_...).') }),
  output: Deleted,
  errors: ['not_found'],
  async handle({ ctx, session }, { grant_id: grantId }) {
    const whose = ownedBy(session)
    const { accountId } = whose
    const own = await listPrograms(ctx, whose)
    if (!own.some(({ id }) => id === grantId) || !(await endGrant(ctx, { accountId, grantId })))
      throw new Failure('not_found', `There is no connected program ${grantId}.`, {
        fix: 'Use an id that GET /api/v1/grants lists.',
      })
    return { deleted: true }
  },
})

/** Whose programs a person sees in the account of the session: their own, or all (null) as an owner. Fails with `forbidden`. */
function ownedBy({ personId, principal }: Session): { readonly accountId: string; readonly personId: string | null } {
  const { accountId, role } = requireAccount(principal)
  return { accountId, personId: role === 'owner' ? null : personId }
}

function requireAccount(principal: Principal | null): Principal {
  if (principal === null) throw noAccountOfSession()
  return principal
}
