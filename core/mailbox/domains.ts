/** Domains in use, as the paths of the mail look them up: the account that owns one, and its DKIM keys. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { SigningKey } from '../../mail/authentication/dkim-sign.ts'
import { fromBinary } from '../../store/bytes.ts'
import type { DkimKey, DomainDoc } from '../../store/documents/domains.ts'
import { findDomain, findDomains, insertDomain, removeDomain } from '../../store/domains.ts'
import { sealedFor } from '../../store/sealed.ts'
import { hourMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'

/** The domain of simulated recipients, which belongs to no account (core/deliver/simulator.ts). */
export const simulatorDomain = 'simulator.invalid'

/**
 * Gives an account a sub-domain of the shared domain; its mail is signed with the keys of the shared domain. Returns
 * false when another account has the sub-domain, or it belonged to an account that was removed.
 */
export async function takeSubdomain(
  ctx: Context,
  { domain, accountId }: { domain: string; accountId: string },
): Promise<boolean> {
  const at = ctx.clock.now()
  const isFree = await insertDomain(ctx.store, {
    _id: domain,
    accountId,
    parent: ctx.settings.sharedDomain,
    status: 'verified',
    verifiedAt: at,
    dkim: [],
    defaultDisplayName: null,
    createdAt: at,
  })
  if (!isFree) return (await findDomain(ctx.store, domain))?.accountId === accountId
  // Checked after the insert: an erasure notes that the name is taken before it gives up the domain (core/personal/erase.ts).
  if ((await findDomain(ctx.store, takenNameOf(ctx, domain))) === null) return true
  await removeDomain(ctx.store, domain)
  return false
}

/** The id that marks a domain as never to be given out again: a keyed digest, which hides the name and is no domain name itself. */
export function takenNameOf({ secrets }: Pick<Context, 'secrets'>, domain: string): string {
  return `taken ${secrets.tag(domain, 'name').toString('base64url')}`
}

const recentMs = 2 * secondMs
/** What is known of a name: its domain, or null when it is not one of ours. */
type KnownDomain = { readonly doc: DomainDoc | null }
const recentDomains = perProcess(({ clock }) => createKnown<KnownDomain>(clock, { staleMs: recentMs }))

/**
 * A domain as it was at most two seconds ago; null when it is not one of ours. Use it for names and keys, which rarely
 * change.
 */
export async function recentDomain(ctx: Context, domain: string): Promise<DomainDoc | null> {
  return (await recentDomains(ctx).find(domain, (names) => readDomains(ctx, names)))?.doc ?? null
}

/** The current state of a domain; null when it is not one of ours. Concurrent callers share one query. */
export async function currentDomain(ctx: Context, domain: string): Promise<DomainDoc | null> {
  return (await recentDomains(ctx).refresh(domain, (names) => readDomains(ctx, names)))?.doc ?? null
}

async function readDomains(ctx: Context, names: readonly string[]): Promise<ReadonlyMap<string, KnownDomain>> {
  const found = new Map((await findDomains(ctx.store, names)).map((doc) => [doc._id, doc]))
  return new Map(names.map((name) => [name, { doc: found.get(name) ?? null }]))
}

/**
 * Cache of decrypted private keys: the key of a selector never changes, and loading it costs more than signing with it.
 */
const privateKeysMax = 10_000
const privateKeys = perProcess(({ clock }) =>
  createKept<KeyObject>(clock, { max: privateKeysMax, ttlMs: hourMs, renewOnUse: true }),
)

/**
 * The DKIM keys for mail from a domain of ours. A sub-domain of the shared domain uses the keys of its parent, which
 * are aligned with it because both have the same organisational domain.
 */
export async function signingKeys(ctx: Context, domain: string): Promise<readonly SigningKey[]> {
  const own = await recentDomain(ctx, domain)
  const signer = own?.parent == null ? own : await recentDomain(ctx, own.parent)
  if (signer === null) return []
  return signer.dkim
    .filter(({ use }) => use === undefined)
    .map((key) => ({
      domain: signer._id,
      selector: key.selector,
      algorithm: key.algorithm,
      privateKey: privateKeyOf(ctx, signer._id, key),
    }))
}

function privateKeyOf(ctx: Context, domain: string, { selector, privateKey }: DkimKey): KeyObject {
  const keys = privateKeys(ctx)
  const name = `${selector}._domainkey.${domain}`
  const key = keys.get(name) ?? createPrivateKey(ctx.secrets.open(fromBinary(privateKey), sealedFor.dkim))
  keys.set(name, key)
  return key
}

/** Whether a domain is one that the service gives to accounts: a sub-domain of the shared domain. */
export function isSharedDomain({ settings }: Pick<Context, 'settings'>, domain: string): boolean {
  return domain.endsWith(`.${settings.sharedDomain}`)
}
