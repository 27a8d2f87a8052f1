/** Requests of a person to the administrators (decisions.md 2, People). */
import { described, form, nullable, object, oneOf, optional, string, timestamp } from './infer.ts'

export const requestKinds = ['limit', 'phone'] as const
export const requestStates = ['open', 'granted', 'refused'] as const

/** ITU-T E.164 */
export const PhoneNumber = string(form('^\\+[1-9]\\d{6,14}$', 'a phone number in international form', '+33123456789'))

export const AccountRequest = object({
  id: string(),
  kind: oneOf(requestKinds),
  text: string(),
  phone: nullable(PhoneNumber),
  status: oneOf(requestStates),
  answer: nullable(string({ description: 'What the administrator wrote; null while it is open.' })),
  createdAt: timestamp(),
  answeredAt: nullable(timestamp()),
})

export const newRequest = {
  kind: oneOf(requestKinds, { description: 'A higher limit, or a phone number to confirm.' }),
  text: optional(string({ maxLength: 2_000, description: 'What is needed, and why.' })),
  phone: optional(described('The number to confirm, for kind phone.', PhoneNumber)),
} as const
