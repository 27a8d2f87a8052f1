/** Sets which server holds the DNS records of a domain. */
import { normaliseDomain } from '../../mail/domain.ts'
import { Failure } from '../../schemas/failures.ts'
import type { DnsBackend, DomainDoc } from '../../store/documents/domains.ts'
import { changeDomain } from '../../store/domains.ts'
import { sealedFor, toSealed } from '../../store/sealed.ts'
import { zoneRecords } from '../../store/zones.ts'
import type { Context } from '../process/context.ts'
import { backendOf } from '../zones/backends.ts'
import { nameText } from '../zones/names.ts'
import { zoneChanged } from '../zones/served-zones.ts'
import { parseTsigKey } from '../zones/tsig.ts'

/** The server that takes updates, and the key that signs them, as `algorithm:name:secret`. */
export type UpdateAccess = { readonly server: string; readonly key: string; readonly zone?: string | undefined }

/** The settings for updating the zone of a domain on another server. Fails with `validation_error`. */
export function updateBackend(ctx: Context, { server, key, zone }: UpdateAccess): DnsBackend {
  const parsed = parseTsigKey(key.trim())
  if (parsed === null)
    throw new Failure('validation_error', 'The key does not have the form algorithm:name:secret.', {
      param: 'key',
      fix: 'Write it as dig -y takes it, such as "hmac-sha256:mailroom:c2VjcmV0"; hmac-sha256, hmac-sha384 and hmac-sha512 are known.',
    })
  const name = zone === undefined ? undefined : normaliseDomain(zone)
  if (name === null)
    throw new Failure('validation_error', `"${zone}" is not the name of a zone.`, {
      param: 'zone',
      fix: 'Write it as example.org.',
    })
  const secret = toSealed(ctx.secrets.seal(parsed.secret.toString('base64'), sealedFor.tsig))
  const { algorithm } = parsed
  const keyName = nameText(parsed.name)
  return { kind: 'dynamic-update', server, keyName, algorithm, secret, ...(name !== undefined && { zone: name }) }
}

/**
 * Has the DNS of a domain kept by another server, by hand, or (null) by our own. Another server first gets all records; if it does not
 * accept them, nothing is changed. Fails with `conflict`, `unavailable`.
 */
export async function setBackend(ctx: Context, doc: DomainDoc, backend: DnsBackend | null): Promise<void> {
  const { _id: domain, accountId } = doc
  const after = await zoneRecords(ctx.store, { domain, accountId, now: ctx.clock.now() })
  await backendOf(backend ?? undefined).push(ctx, domain, { before: [], after })
  await changeDomain(ctx.store, { accountId, domain, isClaim: false }, { backend })
  await zoneChanged(ctx, { domain, accountId })
}
