/** People, and the accounts they are members of. */

import { normaliseAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { notAnAddress } from '../../schemas/refusals.ts'
import type { Role } from '../../schemas/scopes.ts'
import type { PersonDoc } from '../../store/documents/people.ts'
import { findAccountsOf } from '../../store/members.ts'
import { changePerson, findPeople, findPerson } from '../../store/people.ts'
import { memberPrincipal } from '../access/principal.ts'
import { csrfTokenOf, moveSession, type Session } from '../access/sessions.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { isAdministrator } from './administrators.ts'

export type Person = { readonly id: string; readonly email: string; readonly name: string }
export type MemberOf = { readonly id: string; readonly name: string; readonly role: Role }

/** A session as its person sees it. */
export type SessionView = {
  readonly person: Person
  readonly account: MemberOf | null
  readonly accounts: readonly MemberOf[]
  /** Whether the person administers the service. */
  readonly administrator: boolean
  readonly csrfToken: string
}

/** The signed-in person, and the account that the session acts on. Fails with `unauthorized` when the person does not exist any more. */
export async function viewSession(
  ctx: Context,
  { id: sessionId, personId, principal, csrfToken }: Session,
  accountId = principal?.accountId,
): Promise<SessionView> {
  const [person, accounts] = await Promise.all([requirePerson(ctx, personId), accountsOf(ctx, personId)])
  const account = accounts.find(({ id }) => id === accountId) ?? null
  return {
    person: personOf(person),
    account,
    accounts,
    administrator: isAdministrator(ctx, person),
    csrfToken: accountId === undefined ? csrfToken : csrfTokenOf(ctx, sessionId, accountId),
  }
}

/**
 * Lets a session that acts on no account act on the person's oldest one, and returns it; other sessions are returned unchanged. A
 * session acts on none when the person left its account, when that was erased, or when there was none yet. Only for requests that show
 * who is signed in: a request that changes something was meant for the previous account.
 */
export async function inSomeAccount(ctx: Context, session: Session): Promise<Session> {
  if (session.principal !== null) return session
  const [oldest] = await findAccountsOf(ctx.store, session.personId)
  if (oldest === undefined) return session
  await moveSession(ctx, session, oldest._id)
  const csrfToken = csrfTokenOf(ctx, session.id, oldest._id)
  return { ...session, csrfToken, principal: memberPrincipal(oldest, session.personId) }
}

/** Changes the name of a person. */
export async function rename(ctx: Context, personId: string, name: string): Promise<void> {
  await changePerson(ctx.store, personId, { name })
}

/** Lets the session act on another account of the person. Fails with `not_found`. */
export async function switchAccount(ctx: Context, session: Session, accountId: string): Promise<SessionView> {
  await requireMember(ctx, { personId: session.personId, accountId })
  await moveSession(ctx, session, accountId)
  return viewSession(ctx, session, accountId)
}

/** Fails with `not_found` when the signed-in person is no member of the account. */
export async function requireMember(
  ctx: Context,
  { personId, accountId }: { personId: string; accountId: string },
): Promise<void> {
  if ((await accountsOf(ctx, personId)).some(({ id }) => id === accountId)) return
  throw new Failure('not_found', `The signed-in person is no member of an account ${accountId}.`, {
    fix: 'Use the id of one of the "accounts" that GET /api/v1/session returns.',
  })
}

/** The person of a session. Fails with `unauthorized` when the person does not exist any more. */
export async function requirePerson(ctx: Context, personId: string): Promise<PersonDoc> {
  const person = await findPerson(ctx.store, personId)
  if (person === null) throw noPerson()
  return person
}

/** How long a person cannot join an account after an interrupted erasure. */
const leavingMs = 5 * minuteMs

/**
 * Whether a person is neither erased nor about to be. To be called after the person was made a member: an erasure looks for memberships
 * after it has marked the person (erase-person.ts), so at least one of the two sees the other.
 */
export async function isStaying(ctx: Context, personId: string): Promise<boolean> {
  const [person] = await findPeople(ctx.store, [personId])
  if (person === undefined) return false
  return person.leaving === undefined || person.leaving <= after(ctx.machineClock.now(), -leavingMs)
}

export const noPerson = () => new Failure('unauthorized', 'This person does not exist any more.')

/** The accounts of a person, oldest first. */
export async function accountsOf(ctx: Context, personId: string): Promise<readonly MemberOf[]> {
  const docs = await findAccountsOf(ctx.store, personId)
  return docs.flatMap(({ _id: id, name, members = [] }) =>
    members.flatMap((member) => (member.personId === personId ? [{ id, name, role: member.role }] : [])),
  )
}

/** Returns an address in canonical form. Fails with `validation_error`. */
export function emailOf(email: string): string {
  const canonical = normaliseAddress(email)
  if (canonical === null) throw notAnAddress(email, 'email')
  return canonical
}

function personOf({ _id: id, email, name }: PersonDoc): Person {
  return { id, email, name }
}
