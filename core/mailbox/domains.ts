/** Domains and the keys that sign for them. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { makeDkimKey, type DkimKey as SigningKey } from '../../mail/authentication/dkim-sign.ts'
import { normaliseDomain } from '../../mail/domain.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { insertAccount } from '../../store/accounts.ts'
import { fromBinary, toBinary } from '../../store/bytes.ts'
import type { DkimKey, DomainDoc } from '../../store/documents/accounts.ts'
import { findAddresses, findDomain, findDomains, insertDomain, listDomains as listOf } from '../../store/mailboxes.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import { hourMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'
import { placeMailbox } from './mailboxes.ts'

/**
 * Makes a domain with its DKIM keys (RSA 2048 and Ed25519). `verified` is an administrator's word that DNS points here.
 * Fails with `validation_error` or `conflict` (taken).
 */
export async function createDomain(
  ctx: Context,
  { domain, accountId, verified }: { domain: string; accountId: string | null; verified: boolean },
): Promise<DomainDoc> {
  const name = normaliseDomain(domain)
  if (name === null) throw new Failure('validation_error', `"${domain}" is not a domain.`, { param: 'domain' })
  const { sharedDomain } = ctx.settings
  if (accountId !== null && (name === sharedDomain || name.endsWith(`.${sharedDomain}`)))
    throw new Failure('conflict', `${name} belongs to the shared domain.`)
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
  if (!(await insertDomain(ctx.store, doc))) throw new Failure('conflict', `The domain ${name} is taken.`)
  return doc
}

/** Takes a sub-domain of the shared domain for an account. It signs with the shared domain's keys. False when it is taken. */
export function takeSubdomain(
  ctx: Context,
  { domain, accountId }: { domain: string; accountId: string },
): Promise<boolean> {
  const at = ctx.clock.now()
  return insertDomain(ctx.store, {
    _id: domain,
    accountId,
    parent: ctx.settings.sharedDomain,
    status: 'verified',
    verifiedAt: at,
    dkim: [],
    defaultDisplayName: null,
    createdAt: at,
  })
}

const recentMs = 2 * secondMs
const recentMax = 10_000
const recent = perProcess(({ clock }) => ({
  kept: createKept<DomainDoc | null>(clock, { max: recentMax, ttlMs: recentMs }),
  find: createBatchedLookup<DomainDoc>(),
}))

/** A domain as it was at most two seconds ago, null when it is not ours: what it is called and signs with changes rarely. */
export async function recentDomain(ctx: Context, domain: string): Promise<DomainDoc | null> {
  const { kept, find } = recent(ctx)
  const last = kept.get(domain)
  if (last !== undefined) return last
  const load = async (names: readonly string[]) =>
    new Map((await findDomains(ctx.store, names)).map((doc) => [doc._id, doc]))
  const doc = (await find(domain, load)) ?? null
  kept.set(domain, doc)
  return doc
}

/** Keys opened in this process: a selector's key never changes, and reading one costs more than signing with it. */
const openedMax = 10_000
const opened = perProcess(({ clock }) =>
  createKept<KeyObject>(clock, { max: openedMax, ttlMs: hourMs, renewOnUse: true }),
)

/** The keys that sign mail from a domain of ours: aligned with it, since a sub-domain's parent shares its organisation. */
export async function signingKeys(ctx: Context, domain: string): Promise<readonly SigningKey[]> {
  const own = await recentDomain(ctx, domain)
  const signer = own?.parent == null ? own : await recentDomain(ctx, own.parent)
  if (signer === null) return []
  return signer.dkim.map((key) => ({
    domain: signer._id,
    selector: key.selector,
    algorithm: key.algorithm,
    privateKey: openKey(ctx, signer._id, key),
  }))
}

function openKey(ctx: Context, domain: string, { selector, privateKey }: DkimKey): KeyObject {
  const keys = opened(ctx)
  const name = `${selector}._domainkey.${domain}`
  const key = keys.get(name) ?? createPrivateKey(ctx.secrets.open(fromBinary(privateKey), 'dkim'))
  keys.set(name, key)
  return key
}

/**
 * Makes the service's own shared domain and the mailbox of its postmaster when they are missing. Run at every start, by
 * one process at a time.
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
  await placeMailbox(ctx, { accountId, address, displayName: 'Postmaster', kind: 'agent', keyId: null })
}

async function dkimKey(ctx: Context, algorithm: 'rsa' | 'ed25519', at: Date): Promise<DkimKey> {
  const { privateKeyPem, publicRecord } = await makeDkimKey(algorithm)
  const selector = `mr${at.toISOString().slice(0, 10).replaceAll('-', '')}${algorithm === 'rsa' ? 'r' : 'e'}`
  return { selector, algorithm, privateKey: toBinary(ctx.secrets.seal(privateKeyPem, 'dkim')), publicRecord }
}

/** The domains of an account. */
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

/** Whether a domain is a free one of the service: a sub-domain of the shared domain. */
export function isSharedDomain({ settings }: Pick<Context, 'settings'>, domain: string): boolean {
  return domain.endsWith(`.${settings.sharedDomain}`)
}
