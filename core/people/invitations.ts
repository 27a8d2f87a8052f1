/** Invitations to an account, by mail. Only a reader of the mail has the link, so the address needs no other proof. */
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import type { Role } from '../../schemas/scopes.ts'
import * as store from '../../store/mailed-links.ts'
import { findPeople, findPerson } from '../../store/people.ts'
import { isUnclaimed } from '../access/account-record.ts'
import type { Principal } from '../access/principal.ts'
import { moveSession, type Session } from '../access/sessions.ts'
import { takeUsage } from '../access/usage.ts'
import { getAccount } from '../account/accounts.ts'
import { after, minuteMs, periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { sendNotice } from '../send/notice.ts'
import { makeLink, readLink, unknownLink } from './mailed-links.ts'
import { joinAccount, type Member, membersMax, membersOf } from './members.ts'
import { invitationNotice } from './notices.ts'
import { emailOf, requirePerson } from './people.ts'

/** How long an accepted invitation cannot be withdrawn: longer than a join takes. If the process died, it can be again. */
const joiningMs = minuteMs

/**
 * Invites an address to the account of an owner; an older invitation of the address becomes void. Returns the invitation as a member to
 * be. Fails with `validation_error` (address), `conflict` (the account is unclaimed, the address is that of a member, or there is no
 * room), `rate_limited` (invitations of the day).
 */
export async function invite(
  ctx: Context,
  { account, accountId, keyId }: Principal,
  { email, role }: { email: string; role: Role },
): Promise<Member> {
  const to = emailOf(email)
  if (isUnclaimed(account))
    throw new Failure('conflict', 'The account is unclaimed, and would be removed with its members.', {
      fix: 'Claim it first: "mailroom account claim LINK EMAIL", with its claim link.',
    })
  const [members, inviter] = await Promise.all([listMembers(ctx, accountId), findPerson(ctx.store, keyId)])
  const others = members.filter((member) => member.email !== to)
  if (members.some((member) => member.email === to && member.status === 'active'))
    throw new Failure('conflict', `${to} is a member of the account already.`, {
      fix: 'Change the role of that member with PATCH /api/v1/account/members/{member_id}.',
    })
  if (others.length >= membersMax)
    throw new Failure('conflict', `The account has ${membersMax} members and invitations, which is all it may have.`, {
      fix: 'Remove a member or an invitation first.',
    })
  await takeInvitation(ctx, accountId)
  const at = ctx.clock.now()
  const invitationId = newId('inv', at)
  const link = await makeLink(ctx, { kind: 'invitation', email: to, accountId, role, invitationId })
  // After the link was made, so that one of several concurrent invitations of the address stays.
  await store.keepNewestInvitation(ctx.store, { accountId, email: to })
  const words = { account: account.name, inviter: inviter?.name ?? 'The administrator', role, link }
  await sendNotice(ctx, { ...invitationNotice(to, words), accountId })
  return { id: invitationId, email: to, name: null, role, status: 'invited', since: at }
}

/** The members of an account and its invitations, members first. */
export async function listMembers(ctx: Context, accountId: string): Promise<readonly Member[]> {
  const [members, invitations] = await Promise.all([
    membersOf(ctx, accountId),
    store.listInvitations(ctx.store, { accountId, now: ctx.clock.now(), limit: membersMax }),
  ])
  const people = await findPeople(
    ctx.store,
    members.map(({ personId }) => personId),
  )
  return [
    ...members.flatMap(({ personId, role, since }): Member[] => {
      const person = people.find(({ _id }) => _id === personId)
      return person === undefined
        ? []
        : [{ id: personId, email: person.email, name: person.name, role, status: 'active', since }]
    }),
    ...invitations.map(
      ({ invitationId: id, email, role, createdAt: since }): Member => ({
        id,
        email,
        name: null,
        role,
        status: 'invited',
        since,
      }),
    ),
  ]
}

/** Withdraws an invitation to an account. Fails with `not_found`, and with `conflict` while the invited person is joining. */
export async function withdrawInvitation(
  ctx: Context,
  { accountId, invitationId }: { accountId: string; invitationId: string },
): Promise<void> {
  const acceptedUntil = after(ctx.clock.now(), -joiningMs)
  const isWithdrawn = await store.withdrawInvitation(ctx.store, { accountId, invitationId, acceptedUntil })
  if (isWithdrawn) return
  if (isWithdrawn === false)
    throw new Failure('conflict', 'The invitation is being accepted.', {
      fix: 'List the members with GET /api/v1/account/members, and remove the person who has joined. If nobody has joined within a minute, withdraw the invitation again.',
    })
  throw new Failure('not_found', `There is no invitation ${invitationId} to the account.`, {
    fix: 'Use an id that GET /api/v1/account/members lists.',
  })
}

/** The address, account and role of an invitation. Changes nothing. Fails with `not_found`. */
export async function viewInvitation(
  ctx: Context,
  token: string,
): Promise<{ readonly email: string; readonly account: string; readonly role: Role }> {
  const { accountId, email, role } = await readLink(ctx, 'invitation', token)
  return { email, account: (await getAccount(ctx, accountId)).name, role }
}

/**
 * Lets a signed-in person join the account of an invitation; the session acts on that account from then on. Returns its id. Fails with
 * `not_found`, `forbidden` (the invitation is for another address), `conflict` (the account has no room).
 */
export async function acceptInvitation(ctx: Context, session: Session, token: string): Promise<string> {
  const person = await requirePerson(ctx, session.personId)
  const accountId = await joinByInvitation(ctx, { personId: person._id, email: person.email, token })
  await moveSession(ctx, session, accountId)
  return accountId
}

/**
 * Uses up an invitation of a person, once the person has joined, so that it remains valid if the process dies before. From the moment it
 * is marked as accepted it cannot be withdrawn, so nobody joins by an invitation that was. Returns the id of the account. Fails as
 * `acceptInvitation` does.
 */
export async function joinByInvitation(
  ctx: Context,
  { personId, email, token }: { personId: string; email: string; token: string },
): Promise<string> {
  const link = await readLink(ctx, 'invitation', token)
  if (link.email !== email)
    throw new Failure('forbidden', 'The invitation was sent to another address.', {
      fix: 'Sign in as the person with the address that the invitation was mailed to.',
    })
  const { _id: id, accountId, role } = link
  if (!(await store.markAccepted(ctx.store, { id, now: ctx.clock.now() }))) throw unknownLink()
  const hasJoined = await joinAccount(ctx, { accountId, personId, role })
  // A member who is removed later must not come back by another invitation.
  await store.removeInvitations(ctx.store, { accountId, email })
  if (hasJoined) return accountId
  if ((await membersOf(ctx, accountId)).some((member) => member.personId === personId)) return accountId
  throw new Failure('conflict', 'The account is gone or not claimed yet, or has all members that it may have.', {
    fix: 'Ask an owner of the account to invite you again.',
  })
}

async function takeInvitation(ctx: Context, accountId: string): Promise<void> {
  const limit = ctx.settings.limits.people.invitationsPerDay
  const at = ctx.clock.now()
  if (await takeUsage(ctx, { owner: accountId, period: 'day', counter: 'invitations', by: 1, limit, at })) return
  throw new Failure('rate_limited', `The account has sent ${limit} invitations today, which is all it may send.`, {
    retryAfter: secondsUntil(at, periodsOf(at).dayEnd),
  })
}
