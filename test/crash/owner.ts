/** The account of a round, a partner's customer. Each round has its own, so that its counts start at zero. */

import { administrator } from '../../core/access/principal.ts'
import { getAccount } from '../../core/account/accounts.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { createMailbox } from '../../core/mailbox/mailboxes.ts'
import { closeContext } from '../../core/process/context.ts'
import { accountIdOf } from '../../schemas/partners.ts'
import { allScopes } from '../../schemas/scopes.ts'
import { eventually } from '../eventually.ts'
import { client } from '../peers/rest.ts'
import { makePartner } from '../start/partners.ts'
import { contextOf, type ReadyLine } from '../start/service.ts'

export type Owner = {
  readonly accountId: string
  readonly partnerId: string
  readonly apiKey: string
  /** The first mailbox sends; the second gets mail from strangers and from the first. */
  readonly mailboxes: readonly [OwnMailbox, OwnMailbox]
}
export type OwnMailbox = { readonly id: string; readonly address: string }

/** The event types that the endpoints of the owner and of its partner get. */
export const heard = ['message.received', 'message.sent', 'email.delivered'] as const

/** Repeats a request while the database is unavailable, and returns its answer. */
const served = <A extends { readonly status: number }>(ask: () => Promise<A>): Promise<A> =>
  eventually('the request is served', async () => {
    const answer = await ask()
    return answer.status === 503 ? null : answer
  })

/** Creates the partner, the account, its mailboxes, a key that the partner holds, and webhook endpoints of both for these events. */
export async function makeOwner(
  service: ReadyLine & { readonly url?: string },
  { name, url }: { name: string; url: string },
): Promise<Owner> {
  const ctx = await contextOf(service)
  try {
    const partner = await makePartner({ ctx, http: service.http }, `partner-of-${name}`)
    const plans = { plan: 'business', agentsPlan: 'scale' }
    const made = await served(() => partner.live<{ id: string }>('POST', '/api/partner/customers', { name, ...plans }))
    const keys = `/api/partner/customers/${made.body.id}/keys`
    const key = await served(() => partner.live<{ apiKey: string }>('POST', keys, { name, scopes: allScopes }))
    const { apiKey } = key.body
    const account = await getAccount(ctx, accountIdOf(made.body.id) ?? '')
    const principal = administrator(account)
    await createDomain(ctx, { domain: `${name}.test`, accountId: account.id, verified: true })
    const first = await createMailbox(ctx, principal, { address: `first@${name}.test` })
    const second = await createMailbox(ctx, principal, { address: `second@${name}.test` })
    const endpoints = [
      await served(() => client(service.http, apiKey)('POST', '/api/v1/webhooks', { url, events: heard })),
      await served(() => partner.live('POST', '/api/partner/webhooks', { url, events: heard })),
    ]
    for (const { status, body } of endpoints) if (status !== 201) throw new Error(`No webhook: ${JSON.stringify(body)}`)
    return { accountId: account.id, partnerId: partner.id, apiKey, mailboxes: [first, second] }
  } finally {
    await closeContext(ctx)
  }
}
