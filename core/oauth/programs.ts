/** The programs that are connected to an account, as people and administrators see them. */
import { findMailboxes } from '../../store/mailboxes.ts'
import { findPeople } from '../../store/people.ts'
import { type Grant, listGrants } from '../access/grants.ts'
import type { Context } from '../process/context.ts'

export type Program = Omit<Grant, 'mailboxIds' | 'personId' | 'accountId' | 'resource' | 'kind'> & {
  /** The person who connected it; null when the person does not exist any more. */
  readonly person: { readonly id: string; readonly email: string; readonly name: string } | null
  /** Addresses of the mailboxes that it reaches; null: all mailboxes of the account. */
  readonly mailboxes: readonly string[] | null
}

/** The programs that are connected to an account, oldest first: all of them, or those that one person connected. */
export async function listPrograms(
  ctx: Context,
  whose: { accountId: string; personId: string | null },
): Promise<readonly Program[]> {
  const grants = await listGrants(ctx, whose)
  const mailboxIds = new Set(grants.flatMap(({ mailboxIds }) => mailboxIds ?? []))
  const [people, mailboxes] = await Promise.all([
    findPeople(ctx.store, [...new Set(grants.map(({ personId }) => personId))]),
    findMailboxes(
      ctx.store,
      [...mailboxIds].map((mailboxId) => ({ accountId: whose.accountId, mailboxId })),
    ),
  ])
  const persons = new Map(people.map(({ _id: id, email, name }) => [id, { id, email, name }]))
  const addresses = new Map(mailboxes.map(({ _id, address }) => [_id, address]))
  return grants.map(({ mailboxIds, personId, accountId: _, resource: _resource, kind: _kind, ...grant }) => ({
    ...grant,
    person: persons.get(personId) ?? null,
    mailboxes: mailboxIds?.flatMap((id) => addresses.get(id) ?? []) ?? null,
  }))
}
