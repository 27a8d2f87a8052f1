import { claim } from '../core/people/claim.ts'
import { viewSession } from '../core/people/people.ts'
import { identifier } from '../schemas/fields.ts'
import { object, optional } from '../schemas/infer.ts'
import { LinkToken, Session } from '../schemas/people.ts'
import { personOperation } from './registry.ts'

export const createClaim = personOperation({
  name: 'claims.create',
  summary:
    'Claim the account of a claim link, as a separate account or merged into "account". Address, inboxes, keys and webhooks move along, and keys keep working. The session then acts on the resulting account.',
  http: 'POST /api/v1/claims',
  input: object({
    token: LinkToken,
    account: optional(identifier('Id of an account that the person owns, to merge into (acc_...).')),
  }),
  output: Session,
  errors: ['not_found', 'conflict'],
  async handle({ ctx, session, peerAddress }, { token, account: into }) {
    const accountId = await claim(ctx, session, { token, peerAddress, ...(into !== undefined && { into }) })
    return viewSession(ctx, session, accountId)
  },
})
