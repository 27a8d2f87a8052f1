/** People, and the accounts they are members of. */

import { Failure } from '../../schemas/failures.ts'
import type { Role } from '../../schemas/scopes.ts'
import type { PersonDoc } from '../../store/documents/people.ts'
import { findAccountsOf } from '../../store/members.ts'
import { findPerson } from '../../store/people.ts'
import { moveSession, type Session } from '../access/sessions.ts'
import type { Context } from '../process/context.ts'

export type Person = { readonly id: string; readonly email: string; readonly name: string }
export type MemberOf = { readonly id: string; readonly name: string; readonly role: Role }

/** What a person reads about the own session. */
export type SessionView = {
  readonly person: Person
  readonly account: MemberOf | null
  readonly accounts: readonly MemberOf[]
  readonly csrfToken: string
}

/** Who is signed in, and where. Fails with `unauthorized` when the person is gone. */
export async function viewSession(ctx: Context, { personId, principal, csrfToken }: Session): Promise<SessionView> {
  const [person, accounts] = await Promise.all([findPerson(ctx.store, personId), accountsOf(ctx, personId)])
  if (person === null) throw new Failure('unauthorized')
  return {
    person: personOf(person),
    account: accounts.find(({ id }) => id === principal?.accountId) ?? null,
    accounts,
    csrfToken,
  }
}

/** Lets the session act on another account of the person. Fails with `not_found`. */
export async function switchAccount(ctx: Context, session: Session, accountId: string): Promise<SessionView> {
  const accounts = await accountsOf(ctx, session.personId)
  const account = accounts.find(({ id }) => id === accountId)
  if (account === undefined)
    throw new Failure('not_found', `The signed-in person is no member of an account ${accountId}.`, {
      fix: 'Use the id of one of the "accounts" that GET /api/v1/session answers.',
    })
  await moveSession(ctx, session, accountId)
  return { ...(await viewSession(ctx, session)), account }
}

/** The accounts of a person, oldest first. */
export async function accountsOf(ctx: Context, personId: string): Promise<readonly MemberOf[]> {
  const docs = await findAccountsOf(ctx.store, personId)
  return docs.flatMap(({ _id: id, name, members = [] }) =>
    members.flatMap((member) => (member.personId === personId ? [{ id, name, role: member.role }] : [])),
  )
}

export function personOf({ _id: id, email, name }: PersonDoc): Person {
  return { id, email, name }
}
