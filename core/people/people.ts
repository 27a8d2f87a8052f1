/** People, and the accounts they are members of. */

import { normaliseAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { notAnAddress } from '../../schemas/refusals.ts'
import type { Role } from '../../schemas/scopes.ts'
import type { PersonDoc } from '../../store/documents/people.ts'
import { findAccountsOf } from '../../store/members.ts'
import { changePerson, findPerson } from '../../store/people.ts'
import { memberPrincipal } from '../access/principal.ts'
import { csrfTokenOf, moveSession, type Session } from '../access/sessions.ts'
import type { Context } from '../process/context.ts'
import { isAdministrator } from './administrators.ts'

export type Person = { readonly id: string; readonly email: string; readonly name: string }
export type MemberOf = { readonly id: string; readonly name: string; readonly role: Role }

/** What a person reads about the own session. */
export type SessionView = {
  readonly person: Person
  readonly account: MemberOf | null
  readonly accounts: readonly MemberOf[]
  /** Whether the person administers the service. */
  readonly administrator: boolean
  readonly csrfToken: string
}

/** Who is signed in, and in which account the session acts. Fails with `unauthorized` when the person is gone. */
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
 * The session, which acts on the oldest account of the person from now on if it acted on none: the person left the one before, that
 * was erased, or there was none yet. For requests that show who is signed in; one that changes something was meant for the account
 * before.
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

/** Fails with `not_found` when the person who is signed in is no member of an account. */
export async function requireMember(
  ctx: Context,
  { personId, accountId }: { personId: string; accountId: string },
): Promise<void> {
  if ((await accountsOf(ctx, personId)).some(({ id }) => id === accountId)) return
  throw new Failure('not_found', `The signed-in person is no member of an account ${accountId}.`, {
    fix: 'Use the id of one of the "accounts" that GET /api/v1/session answers.',
  })
}

/** The person of a session. Fails with `unauthorized` when there is none any more. */
export async function requirePerson(ctx: Context, personId: string): Promise<PersonDoc> {
  const person = await findPerson(ctx.store, personId)
  if (person === null) throw noPerson()
  return person
}

export const noPerson = () => new Failure('unauthorized', 'This person is not here any more.')

/** The accounts of a person, oldest first. */
export async function accountsOf(ctx: Context, personId: string): Promise<readonly MemberOf[]> {
  const docs = await findAccountsOf(ctx.store, personId)
  return docs.flatMap(({ _id: id, name, members = [] }) =>
    members.flatMap((member) => (member.personId === personId ? [{ id, name, role: member.role }] : [])),
  )
}

/** The address in canonical form. Fails with `validation_error`. */
export function emailOf(email: string): string {
  const canonical = normaliseAddress(email)
  if (canonical === null) throw notAnAddress(email, 'email')
  return canonical
}

function personOf({ _id: id, email, name }: PersonDoc): Person {
  return { id, email, name }
}
