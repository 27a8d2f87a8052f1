/** Programs that people connected by OAuth, as these people see them (decisions.md 2, People). */
import { page } from './fields.ts'
import { array, nullable, object, oneOf, string, timestamp } from './infer.ts'
import { lastUse } from './keys.ts'
import { Person } from './people.ts'
import { allScopes } from './scopes.ts'

export const Grant = object({
  id: string(),
  name: string({ description: 'What the program calls itself.' }),
  clientId: string({ description: 'Of the program: an id (oac_...), or the URL of its metadata document.' }),
  redirectsTo: string({
    description:
      'Where the program received its access: a host, or the URL scheme of a program on the computer of the person.',
  }),
  person: nullable(Person),
  scopes: array(oneOf(allScopes)),
  mailboxes: nullable(
    array(string(), { description: 'The only mailboxes that it reaches; null: all of the account.' }),
  ),
  createdAt: timestamp(),
  endsAt: timestamp({ description: 'When it ends unless the program renews it.' }),
  ...lastUse,
})

export const Grants = page('grants', Grant)
