/** Partners and their customers as callers see them (decisions.md 2, Partner API). */
import { identifier, nameLine } from './fields.ts'
import { among, boolean, type Infer, nullable, object, oneOf, string, timestamp } from './infer.ts'
import { agentsPlanNames, mailPlanNames } from './plans.ts'

/** Prefixes of the keys of partners. */
export const partnerKeyPrefixes = { live: 'svc_partner_live_', test: 'svc_partner_test_' } as const
/** What a partner's key acts on: real customers, or test customers. */
export type PartnerMode = keyof typeof partnerKeyPrefixes
export const partnerModes = Object.keys(partnerKeyPrefixes) as readonly PartnerMode[]

export const CustomerId = identifier('Id of the customer (cus_...).')
export const CustomerName = nameLine(200, 'Ann Smith', { description: 'What the customer is called.' })
export const CustomerEmail = string({ maxLength: 320, description: 'Contact address of the customer.' })
/** null: no plan of that kind. */
export const customerPlans = {
  plan: among([...mailPlanNames, null], { description: 'The mail plan; null: none.' }),
  agentsPlan: among([...agentsPlanNames, null], { description: 'The Agents plan; null: none.' }),
} as const

export const Customer = object({
  id: string(),
  name: string(),
  email: nullable(string()),
  ...customerPlans,
  status: oneOf(['active', 'paused', 'suspended']),
  sandbox: boolean({ description: 'Whether it was created with a test key: no mail of it leaves the machine.' }),
  createdAt: timestamp(),
})
export type Customer = Infer<typeof Customer>

/** The id that partners use for an account: the id of the account with the prefix of customers. */
export const customerIdOf = (accountId: string): string => accountId.replace(/^acc_/, 'cus_')

/** The account id for a customer id; null if it is not the id of a customer. */
export const accountIdOf = (customerId: string): string | null =>
  /^cus_[0-9a-hjkmnp-tv-z]{26}$/.test(customerId) ? customerId.replace(/^cus_/, 'acc_') : null
