/** People, their sessions and their roles as callers see them (decisions.md 2, People). */
import { line, nameLine, page } from './fields.ts'
import { array, boolean, nullable, object, oneOf, string, timestamp } from './infer.ts'
import { roleNames } from './scopes.ts'

export const Person = object({ id: string(), email: string(), name: string() })

const MemberOf = object({ id: string(), name: string(), role: oneOf(roleNames) })
export const Member = object({
  id: string({ description: 'Of the person (usr_...) or the invitation (inv_...).' }),
  email: string(),
  name: nullable(string({ description: 'null while invited.' })),
  role: oneOf(roleNames),
  status: oneOf(['active', 'invited']),
  since: timestamp(),
})

export const Session = object({
  person: Person,
  account: nullable(MemberOf),
  accounts: array(MemberOf, { description: 'All accounts that the person is a member of.' }),
  administrator: boolean({ description: 'Whether the person administers the service: /api/v1/administration.' }),
  csrfToken: string({ description: 'For the header X-CSRF-Token of each request that changes something.' }),
})

const Device = object(
  {
    address: string({ description: 'Network address.' }),
    userAgent: string({
      description: 'The User-Agent of the browser, cut at 200 characters; empty without one.',
    }),
  },
  { description: 'The device that a request came from.' },
)

const OpenSession = object({
  id: string(),
  createdAt: timestamp(),
  createdFrom: Device,
  usedAt: timestamp({ description: 'Accurate to a few minutes.' }),
  usedFrom: Device,
  current: boolean({ description: 'Whether it is the session of this request.' }),
})

export const Sessions = page('sessions', OpenSession)

export const Email = line(320, 'ann@example.org', { description: 'E-mail address of the person.' })
/** Longer than any password that is accepted, because core's message about those that are too long is clearer. */
export const Password = string({ maxLength: 1_000, description: '8 to 200 characters.' })
export const PersonName = nameLine(200, 'Ann Smith', { description: 'The name that others see.' })
export const LinkToken = string({ maxLength: 200, description: 'The part after the last "/" of the mailed link.' })
