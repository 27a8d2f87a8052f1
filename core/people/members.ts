/** The members of accounts. */
import { Failure } from '../../schemas/failures.ts'
import type { Role } from '../../schemas/scopes.ts'
import { changeAccount, findAccount } from '../../store/accounts.ts'
import type { MemberDoc } from '../../store/documents/people.ts'
import { removeInvitations } from '../../store/mailed-links.ts'
import * as store from '../../store/members.ts'
import { findPeople } from '../../store/people.ts'
import { endGrantsOf } from '../access/grants.ts'
import { callersChanged } from '../access/known-callers.ts'
import { endAppPasswordsOf } from '../account/login.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { isStaying, noPerson, requireMember } from './people.ts'

/** Members and invitations that an account may have. */
export const membersMax = 100

/** How long a process has to complete a join before another one does. */
const lateMs = minuteMs
/** Accounts that one run of the sweep handles. */
const accountsMax = 50

/** A member of an account, or a person invited to it. */
export type Member = {
  /** The id of the person (usr_...) or of the invitation (inv_...). */
  readonly id: string
  readonly email: string
  /** Null while invited. */
  readonly name: string | null
  readonly role: Role
  readonly status: 'active' | 'invited'
  readonly since: Date
}

/** The members that the account document lists. */
export async function membersOf(ctx: Context, accountId: string): Promise<readonly MemberDoc[]> {
  return (await findAccount(ctx.store, accountId))?.members ?? []
}

/**
 * Makes a person a member of an account. Returns false when the person already is one, when the account has all the members that it may
 * have, or when it is not active. Fails with `unauthorized` when the person was erased meanwhile.
 */
export async function joinAccount(
  ctx: Context,
  { accountId, personId, role }: { accountId: string; personId: string; role: Role },
): Promise<boolean> {
  const isMember = (await membersOf(ctx, accountId)).some((each) => each.personId === personId)
  // Credentials of an earlier membership must not work again, even if a crash came before they were revoked.
  if (!isMember) await endCredentialsOf(ctx, { accountId, personId })
  const member = { personId, role, since: ctx.clock.now() }
  const hasJoined = await store.addMember(ctx.store, { accountId, member, max: membersMax })
  await nameOwner(ctx, accountId)
  await callersChanged(ctx, { accountIds: [accountId] })
  if (hasJoined && !(await settleJoin(ctx, { accountId, personId }))) throw noPerson()
  return hasJoined
}

/** Completes the joins whose process died or failed before it had done so. Returns how many accounts had some. */
export async function sweepJoins(ctx: Context): Promise<number> {
  const before = after(ctx.clock.now(), -lateMs)
  const accounts = await store.findJoining(ctx.store, before, accountsMax)
  for (const { _id: accountId, joining = [] } of accounts)
    for (const { personId } of joining.filter(({ at }) => at <= before))
      await settleJoin(ctx, { accountId, personId }).catch((error: unknown) =>
        ctx.log.error({ err: error, accountId, personId }, 'a join could not be completed; it is tried again'),
      )
  return accounts.length
}

/** Removes a new member who is erased. Returns whether the member stays. Safe to repeat. */
async function settleJoin(ctx: Context, membership: { accountId: string; personId: string }): Promise<boolean> {
  // A person who is about to be erased with an account stays by joining another.
  const stays = await isStaying(ctx, membership.personId)
  if (!stays)
    await removeMember(ctx, membership).catch((error: unknown) => {
      // The person is no member any more, or the account would be left without an owner.
      if (!(error instanceof Failure)) throw error
    })
  await store.endJoining(ctx.store, membership)
  return stays
}

/** Gives a member another role. Fails with `not_found`, and with `conflict` for the last owner. */
export async function changeRole(
  ctx: Context,
  { accountId, personId, role }: { accountId: string; personId: string; role: Role },
): Promise<void> {
  if (!(await store.changeRole(ctx.store, { accountId, personId, role })))
    throw await noChange(ctx, { accountId, personId })
  await nameOwner(ctx, accountId)
  await callersChanged(ctx, { accountIds: [accountId] })
}

/**
 * Removes a member from an account, with the member's app passwords and connected programs. These end even if the person is no member
 * any more, since a crash may have come in between. Fails as `changeRole` does.
 */
export async function removeMember(
  ctx: Context,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<void> {
  if (!(await store.removeMember(ctx.store, { accountId, personId }))) {
    const failure = await noChange(ctx, { accountId, personId })
    if (failure.code === 'not_found') await endCredentialsOf(ctx, { accountId, personId })
    throw failure
  }
  // An invitation that a crash left would bring the member back.
  for (const { email } of await findPeople(ctx.store, [personId]))
    await removeInvitations(ctx.store, { accountId, email })
  await nameOwner(ctx, accountId)
  await callersChanged(ctx, { accountIds: [accountId] })
  await endCredentialsOf(ctx, { accountId, personId })
}

/** Ends the grants and app passwords of a person who is no member of an account. */
async function endCredentialsOf(ctx: Context, membership: { accountId: string; personId: string }): Promise<void> {
  await endGrantsOf(ctx, membership)
  await endAppPasswordsOf(ctx, membership)
}

/** Removes the signed-in person from an account. Fails as `removeMember` does. */
export async function leaveAccount(
  ctx: Context,
  membership: { readonly accountId: string; readonly personId: string },
): Promise<void> {
  await requireMember(ctx, membership)
  await removeMember(ctx, membership)
}

/**
 * Sets the account's `owner` address to that of its oldest owner, unless it already is the address of an owner. A customer keeps the
 * address that its partner gave.
 */
async function nameOwner(ctx: Context, accountId: string): Promise<void> {
  const account = await findAccount(ctx.store, accountId)
  if (account === null || account.partnerId !== undefined) return
  const ids = (account.members ?? []).flatMap(({ personId, role }) => (role === 'owner' ? [personId] : []))
  const owners = await findPeople(ctx.store, ids)
  if (owners.some(({ email }) => email === account.owner)) return
  const oldest = owners.find(({ _id }) => _id === ids[0])
  if (oldest !== undefined) await changeAccount(ctx.store, accountId, { owner: oldest.email }, { owner: account.owner })
}

/** The failure for a member who cannot be changed: the person is no member, or the last owner. */
async function noChange(
  ctx: Context,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<Failure> {
  if (!(await membersOf(ctx, accountId)).some((member) => member.personId === personId)) return noMember(personId)
  return new Failure('conflict', 'This is the last owner of the account, and it needs one.', {
    fix: 'Make another member an owner first. An account that nobody needs can be erased.',
  })
}

export const noMember = (personId: string) =>
  new Failure('not_found', `There is no member ${personId} in the account.`, {
    fix: 'Use an id that GET /api/v1/account/members lists.',
  })
