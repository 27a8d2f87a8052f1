/** The domains of an account: those in use, and those that it has claimed. */
import { normaliseDomain } from '../../mail/domain.ts'
import { Failure } from '../../schemas/failures.ts'
import type { DomainClaimDoc, DomainDoc } from '../../store/documents/domains.ts'
import { changeDomain, findDomain, listClaims, listDomains as listInUse } from '../../store/domains.ts'
import { encodeTimeCursor, type Page, readTimeCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { noDomain, readOnly } from './claims.ts'
import { findOwn } from './verification.ts'

export type DomainOrClaim = DomainDoc | DomainClaimDoc

/** All domains of an account, newest first. */
export async function allDomains(ctx: Context, accountId: string): Promise<readonly DomainOrClaim[]> {
  const [inUse, claims] = await Promise.all([listInUse(ctx.store, accountId), listClaims(ctx.store, accountId)])
  const own = inUse.filter(({ status }) => status !== 'removed')
  const names = new Set(own.map(({ _id }) => _id))
  const all = [...own, ...claims.filter(({ domain }) => !names.has(domain))]
  return all.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (nameOf(a) < nameOf(b) ? 1 : -1))
}

/** Lists the domains of the caller's account, newest first. Fails with `forbidden` (agent key), `validation_error` (cursor). */
export async function listDomains(
  ctx: Context,
  principal: Principal,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<Page<DomainOrClaim>> {
  requireAccountKey(principal)
  const position = readTimeCursor(before)
  // There are at most as many as the plan allows, so all are read.
  const all = await allDomains(ctx, principal.accountId)
  const rest =
    position === null
      ? all
      : all.filter((each) => {
          const ms = each.createdAt.getTime() - position.at.getTime()
          return ms < 0 || (ms === 0 && nameOf(each) < position.key)
        })
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  const next =
    rest.length > limit && last !== undefined ? encodeTimeCursor({ at: last.createdAt, key: nameOf(last) }) : null
  return { items, next }
}

/** A domain of the caller's account, its name in any form. Fails with `forbidden` (agent key), `domain_not_found`. */
export async function getDomain(ctx: Context, principal: Principal, name: string): Promise<DomainOrClaim> {
  requireAccountKey(principal)
  return requireDomain(ctx, principal.accountId, name)
}

/** A domain of an account, for an administrator. Fails with `domain_not_found`. */
export async function requireDomain(ctx: Context, accountId: string, name: string): Promise<DomainOrClaim> {
  const domain = normaliseDomain(name)
  const found = domain === null ? null : await findOwn(ctx, { accountId, domain })
  if (found === null) throw noDomain(name)
  return found
}

/** A domain in use by any account, but none below the shared domain, for an administrator. Fails with `domain_not_found`. */
export async function domainInUse(ctx: Context, name: string): Promise<DomainDoc> {
  const domain = normaliseDomain(name)
  const found = domain === null ? null : await findDomain(ctx.store, domain)
  if (found === null || found.parent !== null || found.status === 'removed')
    throw new Failure('domain_not_found', `No account has verified the domain ${name}.`)
  return found
}

/**
 * Sets the name that recipients see for mailboxes on a domain that have no name of their own; null for none. Fails with `forbidden`
 * (agent key), `domain_not_found`, `conflict` (a free domain).
 */
export async function setDefaultName(
  ctx: Context,
  principal: Principal,
  { name, defaultDisplayName }: { readonly name: string; readonly defaultDisplayName: string | null },
): Promise<DomainOrClaim> {
  const found = await getDomain(ctx, principal, name)
  if (isFree(found)) throw readOnly(nameOf(found))
  const clean = defaultDisplayName?.trim() || null
  const ref = { accountId: found.accountId, domain: nameOf(found), isClaim: 'domain' in found }
  if (!(await changeDomain(ctx.store, ref, { defaultDisplayName: clean }))) throw noDomain(name)
  return { ...found, defaultDisplayName: clean }
}

/** The name of a domain or of a claimed domain. */
export const nameOf = (doc: DomainOrClaim): string => ('domain' in doc ? doc.domain : doc._id)
/** Whether it is a free domain, which the service provides. */
export const isFree = (doc: DomainOrClaim): boolean => !('domain' in doc) && doc.parent !== null

/** Fails with `forbidden` for an agent key: domains belong to the account (interface.md, Key kinds). */
export function requireAccountKey({ kind }: Principal): void {
  if (kind !== 'account')
    throw new Failure('forbidden', 'Only account keys may see and change domains.', {
      fix: 'Use an account key; an agent key finds the domains of its mailboxes with GET /api/v1/mailboxes.',
    })
}
