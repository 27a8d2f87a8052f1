/** People, their sessions and their roles as callers see them (decisions.md 2, People). */
import { array, nullable, object, oneOf, string } from './infer.ts'
import { roleNames } from './scopes.ts'

export const Person = object({ id: string(), email: string(), name: string() })

const MemberOf = object({ id: string(), name: string(), role: oneOf(roleNames) })
export const Session = object({
  person: Person,
  account: nullable(MemberOf),
  accounts: array(MemberOf, { description: 'All accounts that the person is a member of.' }),
  csrfToken: string({ description: 'For the header X-CSRF-Token of each request that changes something.' }),
})
