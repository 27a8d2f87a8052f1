/**
 * The members of an account, with their roles. They are stored in the account document, so that one conditional update ensures
 * that an account with an owner keeps one.
 */
import type { Filter } from 'mongodb'
import type { Role } from '../schemas/scopes.ts'
import type { AccountDoc } from './documents/accounts.ts'
import type { MemberDoc } from './documents/people.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** The status of an account that exists. */
const existing = { $nin: ['removed', 'moved'] } satisfies Filter<AccountDoc>['status']

type Membership = { readonly accountId: string; readonly personId: string }

/**
 * Adds a member, who is marked as joining until `endJoining`. Returns false when the person already is a member, the account has `max`
 * members, or it is not active.
 */
export async function addMember(
  store: Store,
  { accountId, member, max }: { accountId: string; member: MemberDoc; max: number },
): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    {
      _id: accountId,
      status: 'active',
      'members.personId': { $ne: member.personId },
      [`members.${max - 1}`]: { $exists: false },
    },
    { $push: { members: member, joining: { personId: member.personId, at: member.since } } },
  )
  return modifiedCount === 1
}

/** Changes the role of a member. Returns false when there is no such member, or it would leave the account without an owner. */
export async function changeRole(
  store: Store,
  { accountId, personId, role }: Membership & { role: Role },
): Promise<boolean> {
  const change = { $cond: [{ $eq: ['$$this.personId', personId] }, { $mergeObjects: ['$$this', { role }] }, '$$this'] }
  const { matchedCount } = await store.accounts.updateOne(ownedAccount({ accountId, personId }, role === 'owner'), [
    { $set: { members: { $map: { input: '$members', as: 'this', in: change } } } },
  ])
  return matchedCount === 1
}

/** Accounts with members who were marked as joining up to `before`, the earliest first. */
export function findJoining(store: Store, before: Date, limit: number): Promise<AccountDoc[]> {
  const joined = { 'joining.at': { $gt: new Date(0), $lte: before } }
  return readMany(store, 'accounts', joined, { sort: { 'joining.at': 1 }, limit })
}

/** Removes the mark of a member who joined. */
export async function endJoining(store: Store, { accountId, personId }: Membership): Promise<void> {
  await store.accounts.updateOne({ _id: accountId, 'joining.personId': personId }, { $pull: { joining: { personId } } })
}

/** Removes a member. Returns false when there is no such member, or the member is the last owner. */
export async function removeMember(store: Store, membership: Membership): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(ownedAccount(membership, false), {
    $pull: { members: { personId: membership.personId } },
  })
  return modifiedCount === 1
}

/** Matches the account of a member. Unless the member is to be an owner, the member must not be one already, or there must be another. */
function ownedAccount({ accountId, personId }: Membership, isOwner: boolean): Filter<AccountDoc> {
  const another = { members: { $elemMatch: { role: 'owner', personId: { $ne: personId } } } } as const
  const noOwner = { members: { $elemMatch: { role: { $ne: 'owner' }, personId } } } as const
  return { _id: accountId, 'members.personId': personId, ...(isOwner ? {} : { $or: [another, noOwner] }) }
}

/** The ids of all members of an account, and the ids and addresses of those who are in no other account. */
export async function findPeopleOf(
  store: Store,
  accountId: string,
): Promise<{
  readonly memberIds: readonly string[]
  readonly people: readonly { readonly id: string; readonly email: string }[]
}> {
  const account = await readOne(store, 'accounts', { _id: accountId }, { projection: { members: 1 } })
  const memberIds = (account?.members ?? []).map(({ personId }) => personId)
  if (memberIds.length === 0) return { memberIds, people: [] }
  const among = { $in: memberIds }
  const [found, others] = await Promise.all([
    readMany(store, 'people', { _id: among }, { projection: { email: 1 } }),
    readMany(
      store,
      'accounts',
      { 'members.personId': among, _id: { $ne: accountId }, status: existing },
      { projection: { members: 1 } },
    ),
  ])
  const elsewhere = new Set(others.flatMap(({ members = [] }) => members.map(({ personId }) => personId)))
  return { memberIds, people: found.flatMap(({ _id: id, email }) => (elsewhere.has(id) ? [] : [{ id, email }])) }
}

/** The mail addresses of an account's owners, at most `ownersMax`; without owning members, the address that the account was made for. */
export async function findOwnerAddresses(store: Store, accountId: string): Promise<readonly string[]> {
  const account = await readOne(store, 'accounts', { _id: accountId }, { projection: { members: 1, owner: 1 } })
  const owners = (account?.members ?? []).flatMap(({ personId, role }) => (role === 'owner' ? [personId] : []))
  if (owners.length === 0) return [account?.owner ?? []].flat()
  const found = await readMany(
    store,
    'people',
    { _id: { $in: owners.slice(0, ownersMax) } },
    { projection: { email: 1 } },
  )
  return found.map(({ email }) => email)
}

/** The most owners that a mail is sent to. */
const ownersMax = 50

/** The accounts of a person, oldest first. */
export function findAccountsOf(store: Store, personId: string): Promise<AccountDoc[]> {
  return readMany(store, 'accounts', { 'members.personId': personId, status: existing }, { sort: { _id: 1 } })
}
