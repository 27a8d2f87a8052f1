/** Domains and their DKIM keys. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { makeDkimKey, type SigningKey } from '../../mail/authentication/dkim-sign.ts'
import { normaliseDomain } from '../../mail/domain.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import { notADomain } from '../../schemas/refusals.ts'
import { findAccount, freeSlot, insertAccount, takeSlot } from '../../store/accounts.ts'
import { fromBinary, toBinary } from '../../store/bytes.ts'
import type { DkimKey, DomainDoc } from '../../store/documents/domains.ts'
import { findDomain, findDomains, insertDomain, listDomains as listOf, removeDomain } from '../../store/domains.ts'
import { findAddresses } from '../../store/mailboxes.ts'
import { noAccount } from '../access/account-record.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import { hourMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'
import { provisionMailbox } from './mailboxes.ts'

/**
 * Creates a domain with its DKIM keys (RSA 2048 and Ed25519). `verified` is set by an administrator who vouches that
 * its DNS points here. Fails with `validation_error`, `not_found` (the account), `forbidden` (a sandbox), `plan_required` (as
 * many as the plan has are there) or `conflict` (taken).
 */
export async function createDomain(
  ctx: Context,
  { domain, accountId, verified }: { domain: string; accountId: string | null; verified: boolean },
): Promise<DomainDoc> {
  const name = normaliseDomain(domain)
  if (name === null) throw notADomain(domain, 'domain')
  const { sharedDomain } = ctx.settings
  if (accountId !== null && (name === sharedDomain || name.endsWith(`.${sharedDomain}`)))
    throw new Failure('conflict', `${name} is the shared domain or below it.`, {
      fix: 'Add a domain of your own.',
    })
  if (accountId !== null) await takeOwnDomain(ctx, accountId)
  const at = ctx.clock.now()
  const doc: DomainDoc = {
    _id: name,
    accountId,
    parent: null,
    status: verified ? 'verified' : 'pending',
    verifiedAt: verified ? at : null,
    dkim: await Promise.all([dkimKey(ctx, 'rsa', at), dkimKey(ctx, 'ed25519', at)]),
    defaultDisplayName: null,
    createdAt: at,
  }
  if (!(await insertDomain(ctx.store, doc))) {
    if (accountId !== null) await freeSlot(ctx.store, accountId, 'ownDomains')
    throw new Failure('conflict', `The domain ${name} is already in use.`, {
      fix: 'Choose another domain, or have the account that holds this one give it up.',
    })
  }
  return doc
}

/** Counts one more domain of an account. Fails with `not_found`, `plan_required`. */
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
 * Takes a sub-domain of the shared domain for an account; it signs with the keys of the shared domain. Returns false
 * when it is taken, or was the name of an account that was removed.
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
  if (!isFree) return false
  // Asked after: an erasure notes that the name is taken before it gives up the domain (core/personal/erase.ts).
  if ((await findDomain(ctx.store, takenNameOf(ctx, domain))) === null) return true
  await removeDomain(ctx.store, domain)
  return false
}

/** What stands for a domain that is never given out again: nobody can read which it is, and it is no name of a domain. */
export function takenNameOf({ secrets }: Pick<Context, 'secrets'>, domain: string): string {
  return `taken ${secrets.tag(domain, 'name').toString('base64url')}`
}

const recentMs = 2 * secondMs
const recentMax = 10_000
const recentDomains = perProcess(({ clock }) => ({
  kept: createKept<DomainDoc | null>(clock, { max: recentMax, ttlMs: recentMs }),
  find: createBatchedLookup<DomainDoc>(),
}))

/**
 * A domain as it was at most two seconds ago; null when it is not one of ours. For its name and keys, which rarely
 * change.
 */
export async function recentDomain(ctx: Context, domain: string): Promise<DomainDoc | null> {
  const { kept, find } = recentDomains(ctx)
  const last = kept.get(domain)
  if (last !== undefined) return last
  const load = async (names: readonly string[]) =>
    new Map((await findDomains(ctx.store, names)).map((doc) => [doc._id, doc]))
  const doc = (await find(domain, load)) ?? null
  kept.set(domain, doc)
  return doc
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
  return signer.dkim.map((key) => ({
    domain: signer._id,
    selector: key.selector,
    algorithm: key.algorithm,
    privateKey: privateKeyOf(ctx, signer._id, key),
  }))
}

function privateKeyOf(ctx: Context, domain: string, { selector, privateKey }: DkimKey): KeyObject {
  const keys = privateKeys(ctx)
  const name = `${selector}._domainkey.${domain}`
  const key = keys.get(name) ?? createPrivateKey(ctx.secrets.open(fromBinary(privateKey), 'dkim'))
  keys.set(name, key)
  return key
}

/**
 * Creates the shared domain of the service and the mailbox of its postmaster when they are missing. Runs at every
 * start, in one process at a time.
 */
export async function ensureSharedDomain(ctx: Context): Promise<void> {
  const { sharedDomain, postmaster } = ctx.settings
  if ((await findDomain(ctx.store, sharedDomain)) === null) {
    await createDomain(ctx, { domain: sharedDomain, accountId: null, verified: true }).catch((error: unknown) => {
      if (!(error instanceof Failure && error.code === 'conflict')) throw error
    })
  }
  const address = `postmaster@${sharedDomain}`
  if (postmaster !== null || (await findAddresses(ctx.store, [address])).length > 0) return
  const at = ctx.clock.now()
  const accountId = newId('acc', at)
  await insertAccount(ctx.store, {
    _id: accountId,
    name: 'postmaster',
    status: 'active',
    plan: 'business',
    agentsPlan: 'scale',
    sandbox: false,
    createdAt: at,
    owner: null,
    inboxes: 0,
    webhooks: 0,
    eventSeqFloor: 0,
    sendingPaused: null,
  })
  await provisionMailbox(ctx, { accountId, address, displayName: 'Postmaster', kind: 'agent', createdBy: null })
}

async function dkimKey(ctx: Context, algorithm: 'rsa' | 'ed25519', at: Date): Promise<DkimKey> {
  const { privateKeyPem, publicRecord } = await makeDkimKey(algorithm)
  const selector = `mr${at.toISOString().slice(0, 10).replaceAll('-', '')}${algorithm === 'rsa' ? 'r' : 'e'}`
  return { selector, algorithm, privateKey: toBinary(ctx.secrets.seal(privateKeyPem, 'dkim')), publicRecord }
}

/** Lists the domains of an account. */
export async function listDomains(
  ctx: Context,
  accountId: string,
): Promise<readonly { domain: string; status: DomainDoc['status']; verifiedAt: Date | null }[]> {
  return (await listOf(ctx.store, accountId)).map(({ _id, status, verifiedAt }) => ({
    domain: _id,
    status,
    verifiedAt,
  }))
}

/** Whether a domain is one that the service gives away: a sub-domain of the shared domain. */
export function isSharedDomain({ settings }: Pick<Context, 'settings'>, domain: string): boolean {
  return domain.endsWith(`.${settings.sharedDomain}`)
}
