/** Partners with keys of both kinds, and their customers. */
import { createPartner, issuePartnerKey } from '../../core/partner/partners.ts'
import { accountIdOf } from '../../schemas/partners.ts'
import { allScopes } from '../../schemas/scopes.ts'
import { type Call, client, type Json } from '../peers/rest.ts'
import type { Door } from './door.ts'

export type Partner = {
  readonly id: string
  readonly name: string
  readonly liveKey: string
  readonly testKey: string
  readonly live: Call
  readonly test: Call
}

/** Creates a partner as an administrator does. */
export async function makePartner({ ctx, http }: Pick<Door, 'ctx' | 'http'>, name: string): Promise<Partner> {
  const { id } = await createPartner(ctx, { name, email: `owner@${name}.example` })
  const keyOf = async (mode: 'live' | 'test') =>
    (await issuePartnerKey(ctx, id, { name, mode, expiresAt: null })).apiKey
  const [liveKey, testKey] = [await keyOf('live'), await keyOf('test')]
  return { id, name, liveKey, testKey, live: client(http, liveKey), test: client(http, testKey) }
}

/** A customer with a mailbox, and a key that its partner holds. */
export type Customer = {
  readonly id: string
  readonly accountId: string
  readonly address: string
  readonly key: string
  readonly keyId: string
  readonly call: Call
}

/** Creates a customer by the partner API, a key for it, and with that key its first mailbox. */
export async function makeCustomer(
  { http }: Pick<Door, 'http'>,
  partner: Call,
  { name, ...more }: Json & { readonly name: string },
): Promise<Customer> {
  const made = await partner<{ id: string }>('POST', '/api/partner/customers', { name, ...more })
  if (made.status !== 201) throw new Error(`No customer: ${JSON.stringify(made.body)}`)
  const { id } = made.body
  const key = await partner<{ id: string; apiKey: string }>('POST', `/api/partner/customers/${id}/keys`, {
    name: 'held',
    scopes: allScopes,
  })
  const call = client(http, key.body.apiKey)
  const { body } = await call<{ domains: readonly { domain: string; shared: boolean }[] }>('GET', '/api/v1/domains')
  const address = `agent@${body.domains.find(({ shared }) => shared)?.domain}`
  const mailbox = await call('POST', '/api/v1/mailboxes', { address, displayName: 'Agent' })
  if (mailbox.status !== 201) throw new Error(`No mailbox: ${JSON.stringify(mailbox.body)}`)
  return { id, accountId: accountIdOf(id) ?? '', address, key: key.body.apiKey, keyId: key.body.id, call }
}
