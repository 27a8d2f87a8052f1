/** Keys and app passwords as people see them (decisions.md 2, Account, keys, usage, audit). */
import { approvalModes } from './approvals.ts'
import { nameLine } from './fields.ts'
import { array, extended, nullable, object, oneOf, optional, string, timestamp } from './infer.ts'
import { allScopes, keyKinds } from './scopes.ts'

export const KeyName = nameLine(200, 'support agent', { description: 'What the key is for.' })

export const KeyApproval = oneOf(approvalModes, {
  description: 'required: sends by an agent key wait until a person approves them.',
})

export const lastUse = {
  lastUsedAt: nullable(timestamp({ description: 'Up to a minute old; null: never used.' })),
  lastUsedFrom: nullable(string({ description: 'Network address of the last use.' })),
} as const

export const Key = object({
  id: string(),
  name: string(),
  kind: oneOf(keyKinds),
  scopes: array(oneOf(allScopes)),
  mailboxes: nullable(
    array(string(), { description: 'Mailboxes that an agent key reaches; null: all of the account.' }),
  ),
  approval: KeyApproval,
  heldBy: optional(
    oneOf(['partner'], { description: 'Set if the partner created and holds the key; absent for other keys.' }),
  ),
  createdAt: timestamp(),
  expiresAt: nullable(timestamp()),
  revokedAt: nullable(timestamp()),
  ...lastUse,
})
export const NewKey = extended(Key, { apiKey: string({ description: 'Shown once.' }) })

export const AppPassword = object({ id: string(), name: string(), createdAt: timestamp(), ...lastUse })
