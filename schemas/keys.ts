/** Keys and app passwords as people see them (decisions.md 2, Account, keys, usage, audit). */
import { approvalModes } from './approvals.ts'
import { nameLine } from './fields.ts'
import { array, extended, nullable, object, oneOf, optional, string, timestamp } from './infer.ts'
import { allScopes, keyKinds } from './scopes.ts'

export const KeyName = nameLine(200, 'support agent', { description: 'What it is for.' })

export const KeyApproval = oneOf(approvalModes, {
  description: 'required: what an agent key sends waits until a person has approved it.',
})

export const lastUse = {
  lastUsedAt: nullable(timestamp({ description: 'A minute behind at most; null: never.' })),
  lastUsedFrom: nullable(string({ description: 'Network address.' })),
} as const

export const Key = object({
  id: string(),
  name: string(),
  kind: oneOf(keyKinds),
  scopes: array(oneOf(allScopes)),
  mailboxes: nullable(array(string(), { description: 'What an agent key reaches; null: all of the account.' })),
  approval: KeyApproval,
  heldBy: optional(oneOf(['partner'], { description: 'Its partner made it and holds it; absent for other keys.' })),
  createdAt: timestamp(),
  expiresAt: nullable(timestamp()),
  revokedAt: nullable(timestamp()),
  ...lastUse,
})
export const NewKey = extended(Key, { apiKey: string({ description: 'Shown once.' }) })

export const AppPassword = object({ id: string(), name: string(), createdAt: timestamp(), ...lastUse })
