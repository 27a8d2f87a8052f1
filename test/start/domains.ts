/**
 * Domains in the databases of tests, as they are there when a service is not at its beginning. Their keys are the same in all
 * databases of this process, each sealed with the secrets of its own: a new RSA key costs as much as many tests.
 */
import { firstWatch } from '../../core/domains/claims.ts'
import { keepPublished } from '../../core/domains/kept-records.ts'
import { ensureSharedDomain } from '../../core/domains/shared-domain.ts'
import type { Context } from '../../core/process/context.ts'
import { newCredential } from '../../core/process/secrets.ts'
import { zoneChanged } from '../../core/zones/served-zones.ts'
import { makeDkimKey } from '../../mail/authentication/dkim-sign.ts'
import { takeSlot } from '../../store/accounts.ts'
import type { DkimKey } from '../../store/documents/domains.ts'
import { insertDomain } from '../../store/domains.ts'
import { sealedFor, toSealed } from '../../store/sealed.ts'

const algorithms = ['rsa', 'ed25519'] as const

let pairs: Promise<Awaited<ReturnType<typeof makeDkimKey>>[]> | undefined

async function keysFor(ctx: Context): Promise<DkimKey[]> {
  pairs ??= Promise.all(algorithms.map(makeDkimKey))
  return (await pairs).map(({ privateKeyPem, publicRecord }, n) => ({
    selector: `made${n}`,
    algorithm: algorithms[n]!,
    privateKey: toSealed(ctx.secrets.seal(privateKeyPem, sealedFor.dkim)),
    publicRecord,
  }))
}

/** Starts on a database as a service does that has been there before: its shared domain has its keys. */
export async function openSharedDomain(ctx: Context): Promise<void> {
  const createdAt = ctx.clock.now()
  await insertDomain(ctx.store, {
    _id: ctx.settings.sharedDomain,
    accountId: null,
    parent: null,
    status: 'verified',
    verifiedAt: createdAt,
    dkim: await keysFor(ctx),
    defaultDisplayName: null,
    createdAt,
  })
  await ensureSharedDomain(ctx)
}

/** Gives an account a domain that is verified. It counts, and no plan refuses it. */
export async function giveDomain(
  ctx: Context,
  { accountId, domain }: { readonly accountId: string; readonly domain: string },
): Promise<void> {
  const createdAt = ctx.clock.now()
  const [dkim, token] = [await keysFor(ctx), newCredential('')]
  await takeSlot(ctx.store, accountId, 'ownDomains', Number.MAX_SAFE_INTEGER)
  await insertDomain(ctx.store, {
    _id: domain,
    accountId,
    parent: null,
    status: 'verified',
    verifiedAt: createdAt,
    dkim,
    token,
    defaultDisplayName: null,
    createdAt,
    watch: firstWatch(createdAt),
  })
  await keepPublished(ctx, { domain, accountId, dkim, token })
  await zoneChanged(ctx, { domain, accountId })
}
