/** Aliases as callers see them (decisions.md 2, Domains, DNS, aliases). */
import { identifierMax } from './fields.ts'
import { array, type Infer, object, string, timestamp } from './infer.ts'

/** Aliases of one account, so that the table cannot grow without end. */
export const aliasesMax = 1_000
/** Most mailboxes behind one alias: every message to it is stored in each. */
export const targetsMax = 50

export const AliasName = string({
  minLength: 1,
  maxLength: identifierMax,
  description: 'An address, or *@domain for every address that has no mailbox or alias.',
})
export const Targets = array(string({ maxLength: identifierMax }), {
  minItems: 1,
  maxItems: targetsMax,
  description: 'Addresses of the mailboxes that receive the mail.',
})

export const Alias = object({ alias: string(), targets: array(string()), createdAt: timestamp() })
export type Alias = Infer<typeof Alias>
