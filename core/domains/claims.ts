/**
 * How an account gets a domain and gives it up. Invariants: a claim blocks nobody. One insert into the domains in use decides who owns
 * a domain, so of all accounts that claim it, the first to verify it gets it. What counts against the plan is taken before and given
 * back after. No address is left on a deleted domain, since the next owner would receive its mail.
 */
import { randomInt } from 'node:crypto'
import { isIP } from 'node:net'
import { makeDkimKey } from '../../mail/authentication/dkim-sign.ts'
import { isPublicSuffix, normaliseDomain } from '../../mail/domain.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId, newToken } from '../../schemas/ids.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import { notADomain } from '../../schemas/refusals.ts'
import { findAccount, freeSlot, takeSlot } from '../../store/accounts.ts'
import type { DkimKey, DomainClaimDoc, DomainDoc, Watched } from '../../store/documents/domains.ts'
import {
  findClaim,
  findClaims,
  findDomain,
  insertClaim,
  insertDomain,
  markLeaving,
  removeClaim,
  removeOwnDomain,
  unmarkLeaving,
} from '../../store/domains.ts'
import { countAddressesAt, releaseReserved } from '../../store/mailboxes.ts'
import { sealedFor, toSealed } from '../../store/sealed.ts'
import { removeZone } from '../../store/zones.ts'
import { noAccount } from '../access/account-record.ts'
import { mayHaveMade } from '../access/idempotency.ts'
import type { Principal } from '../access/principal.ts'
import { simulatorDomain } from '../mailbox/domains.ts'
import { addressesChanged } from '../mailbox/known-mailboxes.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { newCredential } from '../process/secrets.ts'
import { zoneChanged, zonesForgotten } from '../zones/served-zones.ts'
import { keepPublished } from './kept-records.ts'

/** When a new claim is first checked without a request: by then its owner may have published the records. */
const firstLookMs = minuteMs
/** Numbers that make the selectors of one day differ. */
const selectorNumbers = 1_000_000

/**
 * Adds a domain to an account: as verified if an administrator vouches that its DNS points here, else as a claim. Fails with
 * `validation_error`, `not_found` (the account), `forbidden` (a sandbox), `plan_required` (the account has as many domains as its
 * plan allows) or `conflict` (taken).
 */
export async function createDomain(
  ctx: Context,
  { domain, accountId, verified }: NewDomain,
): Promise<DomainDoc | DomainClaimDoc> {
  const name = readOwnDomain(ctx, domain)
  const doc = (await madeEarlier(ctx, name, accountId)) ?? (await makeDomain(ctx, name, { accountId, verified }))
  await keepPublished(ctx, { domain: name, accountId, dkim: doc.dkim, token: doc.token ?? null })
  await zoneChanged(ctx, { domain: name, accountId })
  return doc
}

/** The claim that an earlier try of this request made; else null. */
async function madeEarlier(ctx: Context, domain: string, accountId: string | null): Promise<DomainClaimDoc | null> {
  if (!ctx.mayRepeat || accountId === null) return null
  const claim = await findClaim(ctx.store, { accountId, domain })
  return claim !== null && mayHaveMade(ctx, claim) ? claim : null
}

/** Takes what the domain counts against the plan, and inserts it. Fails as `createDomain` does. */
async function makeDomain(
  ctx: Context,
  name: string,
  { accountId, verified }: Pick<NewDomain, 'accountId' | 'verified'>,
): Promise<DomainDoc | DomainClaimDoc> {
  if (accountId !== null) await takeOwnDomain(ctx, accountId)
  return insertNew(ctx, name, { accountId, verified }).catch(async (error: unknown) => {
    if (accountId !== null) await freeSlot(ctx.store, accountId, 'ownDomains')
    throw error
  })
}

/** Fails with `conflict`. */
async function insertNew(
  ctx: Context,
  name: string,
  { accountId, verified }: Pick<NewDomain, 'accountId' | 'verified'>,
): Promise<DomainDoc | DomainClaimDoc> {
  const shared = await newDomain(ctx)
  const { watch: _, token: __, ...unwatched } = shared
  const use = { _id: name, accountId, parent: null, status: 'verified', verifiedAt: shared.createdAt } as const
  // A domain of the service itself has no owner to notify, and needs no proof of ownership.
  if (accountId === null) return insertEither(ctx, name, { ...unwatched, ...use })
  if (verified) return insertEither(ctx, name, { ...shared, ...use })
  return insertEither(ctx, name, { ...shared, _id: newId('clm', shared.createdAt), accountId, domain: name })
}

/** `accountId` is null for a domain of the service itself, which is verified. */
type NewDomain =
  | { readonly domain: string; readonly accountId: string; readonly verified: boolean }
  | { readonly domain: string; readonly accountId: null; readonly verified: true }

/** Fails with `conflict`. */
async function insertEither<D extends DomainDoc | DomainClaimDoc>(ctx: Context, name: string, doc: D): Promise<D> {
  const { store } = ctx
  if (!('domain' in doc)) {
    if (!(await insertDomain(store, doc))) {
      const inUse = await findDomain(store, name)
      throw inUse?.accountId === doc.accountId ? domainThere(name) : domainTaken(name)
    }
    // The administrator's domain replaces a claim of the same account.
    if (doc.accountId !== null && (await removeClaim(store, { accountId: doc.accountId, domain: name })))
      await freeSlot(store, doc.accountId, 'ownDomains')
    return doc
  }
  const inUse = await findDomain(store, name)
  if (inUse !== null && inUse.accountId !== doc.accountId) throw domainTaken(name)
  if (inUse !== null || !(await insertClaim(store, doc))) throw domainThere(name)
  return doc
}

/** `conflict` for a domain that the same account already has. */
function domainThere(domain: string): Failure {
  return new Failure('conflict', `The domain ${domain} is already in use.`, {
    fix: `Choose another domain, or use this one: GET /api/v1/domains/${domain} shows its records.`,
  })
}

/** `conflict` for a domain that another account has verified. */
export function domainTaken(domain: string): Failure {
  return new Failure('conflict', `Another account has verified the domain ${domain}.`, {
    fix: 'Choose another domain, or have the other account delete this one.',
  })
}

/** The fields that domains and claims share, with new keys. */
export async function newDomain(ctx: Context) {
  const createdAt = ctx.clock.now()
  return {
    dkim: await newDkimKeys(ctx, createdAt),
    token: newCredential(''),
    defaultDisplayName: null,
    createdAt,
    watch: newWatch(createdAt),
  }
}

/** The watch state before the first check of the DNS. */
export function newWatch(at: Date): Watched {
  return { looks: [], lookedAt: null, dueAt: after(at, firstLookMs), pauseMs: 0, rev: 0 }
}

/** New DKIM keys, RSA 2048 and Ed25519, under selectors that no other claim on the domain has. */
export async function newDkimKeys(ctx: Context, at: Date): Promise<readonly DkimKey[]> {
  const number = String(randomInt(selectorNumbers)).padStart(6, '0')
  const day = at.toISOString().slice(0, 10).replaceAll('-', '')
  return Promise.all(
    (['rsa', 'ed25519'] as const).map(async (algorithm) => {
      const { privateKeyPem, publicRecord } = await makeDkimKey(algorithm)
      const selector = `mr${day}${number}${algorithm === 'rsa' ? 'r' : 'e'}`
      return {
        selector,
        algorithm,
        privateKey: toSealed(ctx.secrets.seal(privateKeyPem, sealedFor.dkim)),
        publicRecord,
      }
    }),
  )
}

/** The canonical name of a domain that an account may own. Fails with `validation_error`, `conflict`. */
function readOwnDomain({ settings }: Context, text: string): string {
  const name = normaliseDomain(text)
  if (name === null || !name.includes('.') || isIP(name) !== 0) throw notADomain(text, 'domain')
  if (isPublicSuffix(name))
    throw new Failure('validation_error', `${name} is a public suffix, under which others register their domains.`, {
      param: 'domain',
      fix: `Give the domain that you registered, such as "example.${name}".`,
    })
  if (name === simulatorDomain || name.endsWith(`.${simulatorDomain}`))
    throw new Failure('conflict', `${name} is the domain of simulated recipients or below it.`, {
      fix: 'Add a domain of your own: what is sent to this one never leaves the machine.',
    })
  const { sharedDomain } = settings
  if (name === sharedDomain || name.endsWith(`.${sharedDomain}`))
    throw new Failure('conflict', `${name} is the shared domain or below it.`, { fix: 'Add a domain of your own.' })
  return name
}

/** Counts one more domain of an account. Fails with `not_found`, `forbidden`, `plan_required`. */
async function takeOwnDomain(ctx: Context, accountId: string): Promise<void> {
  const account = await findAccount(ctx.store, accountId)
  if (account === null || account.status === 'removed') throw noAccount(accountId)
  if (account.sandbox)
    throw new Failure('forbidden', `${accountId} is a sandbox, which has no real domain.`, {
      fix: 'Add the domain to the account that the sandbox belongs to.',
    })
  const { ownDomains } = allowanceOf(account)
  if (await takeSlot(ctx.store, accountId, 'ownDomains', ownDomains)) return
  const has = ownDomains === 0 ? 'no domains of its own' : `${ownDomains} domains of its own, and all are in use`
  throw new Failure('plan_required', `The plan includes ${has}.`, {
    fix: 'Take a larger plan, or have the administrator raise "ownDomains" of the account.',
  })
}

/**
 * Removes a domain from an account, with its keys and DNS records. Addresses of its deleted mailboxes are no longer reserved. Fails
 * with `domain_not_found`, `conflict` (it still has mailboxes or aliases, is a free domain, or is being deleted by another request).
 */
export async function deleteDomain(ctx: Context, { accountId }: Principal, domain: string): Promise<void> {
  const { store } = ctx
  const [inUse, claim] = await Promise.all([findDomain(store, domain), findClaim(store, { accountId, domain })])
  const isOwn = inUse?.accountId === accountId && inUse.status !== 'removed'
  if (!isOwn && claim === null) throw noDomain(domain)
  const leaving = { accountId, domain, token: newToken() }
  if (isOwn) {
    if (inUse.parent !== null) throw readOnly(domain)
    // Marked before the addresses are counted: whoever adds an address in the meantime checks for the mark afterwards (`requireDomainRemains`).
    await markLeaving(store, leaving)
    const { mailboxes, aliases } = await countAddressesAt(store, { accountId, domain })
    if (mailboxes + aliases > 0) {
      await unmarkLeaving(store, leaving)
      throw new Failure(
        'conflict',
        `${domain} is in use: ${counted(mailboxes, 'mailbox', 'mailboxes')} and ${counted(aliases, 'alias', 'aliases')} are on it.`,
        { fix: 'Delete those first, with their mail; then delete the domain.' },
      )
    }
  }
  // If this process dies here, the domain can still be deleted, and the next check of its DNS publishes its records again.
  await forgetZone(ctx, { accountId, domain })
  if (isOwn) {
    if (!(await removeOwnDomain(store, leaving)))
      throw new Failure('conflict', `Another request is deleting the domain ${domain}.`, {
        fix: 'Check whether the domain is gone; if not, delete it again.',
      })
    await freeSlot(store, accountId, 'ownDomains')
    addressesChanged(ctx, await releaseReserved(store, { accountId, domain }))
  }
  if (await removeClaim(store, { accountId, domain })) await freeSlot(store, accountId, 'ownDomains')
  // Removes what a check of the DNS published in the meantime.
  await forgetZone(ctx, { accountId, domain })
  zonesForgotten(ctx, [domain])
}

/** Removes an account's zone of a domain, and everything stored about the zone if no other account has one. */
async function forgetZone(
  { store }: Context,
  { accountId, domain }: { readonly accountId: string; readonly domain: string },
): Promise<void> {
  const claims = await findClaims(store, { domains: [domain], limit: 2 })
  await removeZone(store, { domain, accountId, isLast: claims.every((claim) => claim.accountId === accountId) })
}

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

export function noDomain(domain: string): Failure {
  return new Failure('domain_not_found', `The account has no domain ${domain}.`)
}

/** `conflict` for a change of a free domain. */
export function readOnly(domain: string): Failure {
  return new Failure('conflict', `${domain} is a free domain of the service and cannot be changed.`, {
    fix: 'Add a domain of your own (POST /api/v1/domains) and change that.',
  })
}
