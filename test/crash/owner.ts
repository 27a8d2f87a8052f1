/** The account of a round. Each round has its own, so that its counts start at zero. */

import { createKey } from '../../core/access/keys.ts'
import { administrator } from '../../core/access/principal.ts'
import { createAccount } from '../../core/account/accounts.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { createMailbox } from '../../core/mailbox/mailboxes.ts'
import { closeContext } from '../../core/process/context.ts'
import { allScopes } from '../../schemas/scopes.ts'
import { client } from '../peers/rest.ts'
import { contextOf, type ReadyLine } from '../start/service.ts'

export type Owner = {
  readonly accountId: string
  readonly apiKey: string
  /** The first mailbox sends; the second gets mail from strangers and from the first. */
  readonly mailboxes: readonly [OwnMailbox, OwnMailbox]
}
export type OwnMailbox = { readonly id: string; readonly address: string }

/** The event types that the owner's endpoint gets. */
export const heard = ['message.received', 'message.sent', 'email.delivered'] as const

/** Creates the account, its mailboxes, a key, and a webhook endpoint for these events. */
export async function makeOwner(
  service: ReadyLine & { readonly url?: string },
  { name, url }: { name: string; url: string },
): Promise<Owner> {
  const ctx = await contextOf(service)
  try {
    const account = await createAccount(ctx, { name, owner: null })
    const principal = administrator(account)
    await createDomain(ctx, { domain: `${name}.test`, accountId: account.id, verified: true })
    const first = await createMailbox(ctx, principal, { address: `first@${name}.test` })
    const second = await createMailbox(ctx, principal, { address: `second@${name}.test` })
    const { apiKey } = await createKey(ctx, {
      accountId: account.id,
      kind: 'account',
      name,
      scopes: allScopes,
      mailboxIds: [],
      expiresAt: null,
    })
    const endpoint = await client(service.http, apiKey)('POST', '/api/v1/webhooks', { url, events: heard })
    if (endpoint.status !== 201) throw new Error(`No webhook: ${JSON.stringify(endpoint.body)}`)
    return { accountId: account.id, apiKey, mailboxes: [first, second] }
  } finally {
    await closeContext(ctx)
  }
}
