/** Programs that people connected by OAuth, as they see them (decisions.md 2, People). */
import { page } from './fields.ts'
import { array, nullable, object, oneOf, string, timestamp } from './infer.ts'
import { lastUse } from './keys.ts'
import { Person } from './people.ts'
import { allScopes } from './scopes.ts'

export const Grant = object({
  id: string(),
  name: string({ description: 'What the program calls itself.' }),
  clientId: string({ description: 'Of the program: an id (oac_...), or the URL of what it publishes of itself.' }),
  redirectsTo: string({
    description: 'Where it got its access: a host, or the scheme of a program on the computer of the person.',
  }),
  person: nullable(Person),
  scopes: array(oneOf(allScopes)),
  mailboxes: nullable(array(string(), { description: 'The only ones that it reaches; null: all of the account.' })),
  createdAt: timestamp(),
  endsAt: timestamp({ description: 'When it ends unless the program goes on with it.' }),
  ...lastUse,
})

export const Grants = page('grants', Grant)
