/**
 * Domains in the databases of tests, as in a service that has run before. All databases of this process have the same keys, sealed
 * with their own secrets, because a new RSA key costs as much time as many tests.
 */
import { newWatch } from '../../core/domains/claims.ts'
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

/** Prepares a database like one of a service that has run before: its shared domain has its keys. */
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

/** Gives an account a verified domain. It is counted, but the plan's limit is not checked. */
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
    watch: newWatch(createdAt),
  })
  await keepPublished(ctx, { domain, accountId, dkim, token })
  await zoneChanged(ctx, { domain, accountId })
}
