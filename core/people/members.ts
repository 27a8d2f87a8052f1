/** The members of accounts. */
import { Failure } from '../../schemas/failures.ts'
import type { Role } from '../../schemas/scopes.ts'
import { changeAccount, findAccount } from '../../store/accounts.ts'
import type { MemberDoc } from '../../store/documents/people.ts'
import * as store from '../../store/members.ts'
import { findPeople } from '../../store/people.ts'
import { endGrantsOf } from '../access/grants.ts'
import { callersChanged } from '../access/known-callers.ts'
import { endAppPasswordsOf } from '../account/login.ts'
import type { Context } from '../process/context.ts'
import { noPerson, requireMember } from './people.ts'

/** People in an account at most. */
export const membersMax = 100

/** Somebody in an account, or invited to it. */
export type Member = {
  /** Of the person (usr_...) or the invitation (inv_...). */
  readonly id: string
  readonly email: string
  /** Null while invited. */
  readonly name: string | null
  readonly role: Role
  readonly status: 'active' | 'invited'
  readonly since: Date
}

/** The members that stand in the account. */
export async function membersOf(ctx: Context, accountId: string): Promise<readonly MemberDoc[]> {
  return (await findAccount(ctx.store, accountId))?.members ?? []
}

/**
 * Makes a person a member of an account. Returns false when the person is one already, or the account has all it may have. Fails with
 * `unauthorized` when the person was erased meanwhile.
 */
export async function joinAccount(
  ctx: Context,
  { accountId, personId, role }: { accountId: string; personId: string; role: Role },
): Promise<boolean> {
  const isMember = (await membersOf(ctx, accountId)).some((each) => each.personId === personId)
  // Nothing of before comes back, also where a crash came between the end of the membership and theirs.
  if (!isMember) await endCredentialsOf(ctx, { accountId, personId })
  const member = { personId, role, since: ctx.clock.now() }
  const hasJoined = await store.addMember(ctx.store, { accountId, member, max: membersMax })
  await nameOwner(ctx, accountId)
  await callersChanged(ctx, { accountIds: [accountId] })
  // Not one who goes with an account that is being erased: who joins another one stays.
  if (hasJoined && (await findPeople(ctx.store, [personId])).length === 0) {
    await removeMember(ctx, { accountId, personId })
    throw noPerson()
  }
  return hasJoined
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
 * Takes a member out of an account, with the app passwords of the member and the programs that acted for it: also when it is none any
 * more, because a crash may have come between. Fails as `changeRole` does.
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
  await nameOwner(ctx, accountId)
  await callersChanged(ctx, { accountIds: [accountId] })
  await endCredentialsOf(ctx, { accountId, personId })
}

/** Ends what acts in an account for a person who is no member of it. */
async function endCredentialsOf(ctx: Context, membership: { accountId: string; personId: string }): Promise<void> {
  await endGrantsOf(ctx, membership)
  await endAppPasswordsOf(ctx, membership)
}

/** Takes the person who is signed in out of an account, as `removeMember` does. Fails as that does. */
export async function leaveAccount(
  ctx: Context,
  membership: { readonly accountId: string; readonly personId: string },
): Promise<void> {
  await requireMember(ctx, membership)
  await removeMember(ctx, membership)
}

/**
 * Lets the account name an owner as whose it is: the oldest one, unless it names one already. A customer's is the address that its
 * partner gave.
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

/** Why a member was not changed: it is none, or the last owner. */
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
