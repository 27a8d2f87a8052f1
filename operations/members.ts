import * as invitations from '../core/people/invitations.ts'
import * as members from '../core/people/members.ts'
import { Deleted, identifier, page } from '../schemas/fields.ts'
import { object, oneOf } from '../schemas/infer.ts'
import { Email, Member } from '../schemas/people.ts'
import { roleNames } from '../schemas/scopes.ts'
import { operation } from './registry.ts'

const MemberId = identifier('Id of the member (usr_...) or of the invitation (inv_...).')
const Role = oneOf(roleNames, { description: 'owner: everything; member: mail and mailboxes; reader: reading.' })

export const listMembers = operation({
  name: 'members.list',
  summary: 'The members of the account, and its open invitations.',
  by: 'owner',
  scope: null,
  http: 'GET /api/v1/account/members',
  input: object({}),
  output: page('members', Member),
  errors: [],
  async handle({ ctx, principal }) {
    return { members: (await invitations.listMembers(ctx, principal.accountId)).map(shown), next: null }
  },
})

export const inviteMember = operation({
  name: 'members.invite',
  summary: 'Invite somebody by mail, with a role. This voids an earlier invitation to the same address.',
  by: 'owner',
  scope: null,
  http: 'POST /api/v1/account/members',
  status: 201,
  input: object({ email: Email, role: Role }),
  output: Member,
  errors: ['conflict'],
  idempotent: true,
  handle: async ({ ctx, principal }, wanted) => shown(await invitations.invite(ctx, principal, wanted)),
})

export const changeMember = operation({
  name: 'members.update',
  summary: 'Change the role of a member, effective at once. The last owner cannot get another role.',
  by: 'owner',
  scope: null,
  http: 'PATCH /api/v1/account/members/{member_id}',
  input: object({ member_id: MemberId, role: Role }),
  output: Member,
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal: { accountId } }, { member_id: personId, role }) {
    await members.changeRole(ctx, { accountId, personId, role })
    const changed = (await invitations.listMembers(ctx, accountId)).find(({ id }) => id === personId)
    if (changed === undefined) throw members.noMember(personId)
    return shown(changed)
  },
})

export const removeMember = operation({
  name: 'members.remove',
  summary: 'Remove a member from the account at once, or withdraw an invitation. The last owner cannot be removed.',
  by: 'owner',
  scope: null,
  http: 'DELETE /api/v1/account/members/{member_id}',
  input: object({ member_id: MemberId }),
  output: Deleted,
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal: { accountId } }, { member_id: id }) {
    if (id.startsWith('inv_')) await invitations.withdrawInvitation(ctx, { accountId, invitationId: id })
    else await members.removeMember(ctx, { accountId, personId: id })
    return { deleted: true }
  },
})

const shown = (member: members.Member) => ({ ...member, since: member.since.toISOString() })
