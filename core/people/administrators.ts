/** Administrators of the service: the people whose addresses the setting `administrators` names. Sign-up verified these addresses. */
import { normaliseAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { PersonDoc } from '../../store/documents/people.ts'
import { findPerson } from '../../store/people.ts'
import type { Context } from '../process/context.ts'

/** Whether a person administers the service. */
export const isAdministrator = (
  { settings }: Pick<Context, 'settings'>,
  { email }: Pick<PersonDoc, 'email'>,
): boolean => settings.administrators.some((address) => normaliseAddress(address) === email)

/** Fails with `forbidden` for a person who does not administer the service. */
export async function requireAdministrator(ctx: Context, personId: string): Promise<void> {
  const person = ctx.settings.administrators.length === 0 ? null : await findPerson(ctx.store, personId)
  if (person !== null && isAdministrator(ctx, person)) return
  throw new Failure('forbidden', 'Only an administrator of the service may ask for this.', {
    fix: 'Ask the operator of the service to name your address in the setting "administrators".',
  })
}
