/** The scope of a webhook endpoint: the domains and mailboxes whose events it receives. */
import { normaliseDomain } from '../../mail/domain.ts'
import { normaliseAddress, splitAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { notADomain, notAnAddress } from '../../schemas/refusals.ts'
import type { WebhookDoc } from '../../store/documents/events.ts'
import { domainsAmong } from '../../store/domains.ts'
import { findMailboxesOfAccount } from '../../store/mailboxes.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'

export type ScopeInput = { readonly domains?: readonly string[]; readonly mailboxes?: readonly string[] }

/**
 * The domains and mailboxes of a scope in canonical form. They must be the caller's. With an account key these are the domains of
 * the account and any address on them, so that an endpoint can be made before its mailbox; with an agent key the mailboxes that it
 * reaches, and their domains. Fails with `validation_error`, `domain_not_found`, `mailbox_not_found`.
 */
export async function ownScope(
  ctx: Context,
  principal: Principal,
  scope: ScopeInput | undefined,
): Promise<WebhookDoc['scope']> {
  const domains = (scope?.domains ?? []).map((text, n) => {
    const domain = normaliseDomain(text)
    if (domain === null) throw notADomain(text, `scope.domains[${n}]`)
    return domain
  })
  const mailboxes = (scope?.mailboxes ?? []).map((text, n) => {
    const address = normaliseAddress(text)
    if (address === null) throw notAnAddress(text, `scope.mailboxes[${n}]`)
    return address
  })
  const own = await ownAmong(ctx, principal, { domains, mailboxes })
  for (const [n, domain] of domains.entries())
    if (!own.hasDomain(domain))
      throw new Failure(
        'domain_not_found',
        `"scope.domains[${n}]" names ${domain}, a domain that this key does not reach.`,
      )
  for (const [n, address] of mailboxes.entries())
    if (!own.hasMailbox(address))
      throw new Failure(
        'mailbox_not_found',
        `"scope.mailboxes[${n}]" names ${address}, a mailbox that this key does not reach.`,
      )
  return { domains, mailboxes }
}

type Own = { hasDomain(domain: string): boolean; hasMailbox(address: string): boolean }

async function ownAmong(
  ctx: Context,
  { accountId, mailboxIds }: Principal,
  { domains, mailboxes }: WebhookDoc['scope'],
): Promise<Own> {
  const domainOf = (address: string) => splitAddress(address).domain
  const named = [...new Set([...domains, ...mailboxes.map(domainOf)])]
  if (named.length === 0) return { hasDomain: () => false, hasMailbox: () => false }
  if (mailboxIds !== null) {
    const reached = await findMailboxesOfAccount(ctx.store, { accountId, ids: mailboxIds })
    const [addresses, hosts] = [
      new Set(reached.map((each) => each.address)),
      new Set(reached.map((each) => each.domain)),
    ]
    return { hasDomain: (domain) => hosts.has(domain), hasMailbox: (address) => addresses.has(address) }
  }
  const owned = new Set(await domainsAmong(ctx.store, { accountId, names: named }))
  return { hasDomain: (domain) => owned.has(domain), hasMailbox: (address) => owned.has(domainOf(address)) }
}
