/** The shared domain of a service, in the databases of tests. */
import { ensureSharedDomain } from '../../core/domains/shared-domain.ts'
import type { Context } from '../../core/process/context.ts'
import { makeDkimKey } from '../../mail/authentication/dkim-sign.ts'
import type { DkimKey } from '../../store/documents/domains.ts'
import { insertDomain } from '../../store/domains.ts'
import { sealedFor, toSealed } from '../../store/sealed.ts'

const algorithms = ['rsa', 'ed25519'] as const

/** The keys of the shared domain in all databases of this process, each sealed with the secrets of its own. */
let pairs: Promise<Awaited<ReturnType<typeof makeDkimKey>>[]> | undefined

/**
 * Starts on a database as a service does that has been there before: its shared domain has its keys, since a new RSA key costs as
 * much as many tests.
 */
export async function openSharedDomain(ctx: Context): Promise<void> {
  pairs ??= Promise.all(algorithms.map(makeDkimKey))
  const createdAt = ctx.clock.now()
  const dkim = (await pairs).map(
    ({ privateKeyPem, publicRecord }, n): DkimKey => ({
      selector: `made${n}`,
      algorithm: algorithms[n]!,
      privateKey: toSealed(ctx.secrets.seal(privateKeyPem, sealedFor.dkim)),
      publicRecord,
    }),
  )
  await insertDomain(ctx.store, {
    _id: ctx.settings.sharedDomain,
    accountId: null,
    parent: null,
    status: 'verified',
    verifiedAt: createdAt,
    dkim,
    defaultDisplayName: null,
    createdAt,
  })
  await ensureSharedDomain(ctx)
}
