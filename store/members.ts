/**
 * The people of an account, with their roles. They stand in the account's document, so that one conditional update sees to it
 * that an account which had an owner keeps one.
 */
import type { Filter } from 'mongodb'
import type { Role } from '../schemas/scopes.ts'
import type { AccountDoc } from './documents/accounts.ts'
import type { MemberDoc } from './documents/people.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** Of an account that is not gone. */
const isThere = { $nin: ['removed', 'moved'] } satisfies Filter<AccountDoc>['status']

type Membership = { readonly accountId: string; readonly personId: string }

/** Adds a member. Returns false when the person is one, or the account has `max` members or is removed. */
export async function addMember(
  store: Store,
  { accountId, member, max }: { accountId: string; member: MemberDoc; max: number },
): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    {
      _id: accountId,
      status: isThere,
      'members.personId': { $ne: member.personId },
      [`members.${max - 1}`]: { $exists: false },
    },
    { $push: { members: member } },
  )
  return modifiedCount === 1
}

/** Gives a member another role. Returns false when there is no such member, or it is the last owner. */
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

/** Removes a member. Returns false when there is no such member, or it is the last owner. */
export async function removeMember(store: Store, membership: Membership): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(ownedAccount(membership, false), {
    $pull: { members: { personId: membership.personId } },
  })
  return modifiedCount === 1
}

/** The account of a member; if the member will be no owner, only when it was none, or another is one. */
function ownedAccount({ accountId, personId }: Membership, isOwner: boolean): Filter<AccountDoc> {
  const another = { members: { $elemMatch: { role: 'owner', personId: { $ne: personId } } } } as const
  const noOwner = { members: { $elemMatch: { role: { $ne: 'owner' }, personId } } } as const
  return { _id: accountId, 'members.personId': personId, ...(isOwner ? {} : { $or: [another, noOwner] }) }
}

/** The members of an account: the ids of all, and those who are in no other account, by id and address. */
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
      { 'members.personId': among, _id: { $ne: accountId }, status: isThere },
      { projection: { members: 1 } },
    ),
  ])
  const elsewhere = new Set(others.flatMap(({ members = [] }) => members.map(({ personId }) => personId)))
  return { memberIds, people: found.flatMap(({ _id: id, email }) => (elsewhere.has(id) ? [] : [{ id, email }])) }
}

/** The mail addresses of those who own an account, at most `ownersMax`; without members, that of whom it was made for. */
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

/** Owners who are written to. */
const ownersMax = 50

/** The accounts of a person, oldest first. */
export function findAccountsOf(store: Store, personId: string): Promise<AccountDoc[]> {
  return readMany(store, 'accounts', { 'members.personId': personId, status: isThere }, { sort: { _id: 1 } })
}
