/** `mailroom domain ds`, `domain rotate-dnssec` and `domain ds-published`. */
import { recordAdministration } from '../core/access/audit.ts'
import { confirmDelegation, rotateZoneKey } from '../core/domains/zone-key-rotation.ts'
import type { Context } from '../core/process/context.ts'
import { wireName } from '../core/zones/names.ts'
import { servedZone, type Zone } from '../core/zones/served-zones.ts'
import { keysOf, zoneKeyDoc, zoneKeyText } from '../core/zones/zone-keys.ts'
import { normaliseDomain } from '../mail/domain.ts'
import { Failure } from '../schemas/failures.ts'
import { notADomain } from '../schemas/refusals.ts'
import type { ZoneKeyDoc } from '../store/documents/domains.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'

export const ds = withContext(async (ctx, io, given: string) => {
  const zone = await signedZone(ctx, given)
  print(io, shown(ctx, await zoneKeyDoc(ctx, zone)))
})

export const rotateDnssec = withContext(async (ctx, io, given: string) => {
  const zone = await signedZone(ctx, given)
  const doc = await rotateZoneKey(ctx, zone)
  await note(ctx, zone, 'domains.rotate_dnssec')
  print(io, shown(ctx, doc))
})

export const dsPublished = withContext(async (ctx, io, given: string) => {
  const zone = await signedZone(ctx, given)
  const doc = await confirmDelegation(ctx, zone)
  await note(ctx, zone, 'domains.ds_published')
  print(io, shown(ctx, doc))
})

/** Fails with `domain_not_found` and `conflict`. */
async function signedZone(ctx: Context, given: string): Promise<Zone> {
  const domain = normaliseDomain(given)
  if (domain === null) throw notADomain(given, 'domain')
  const zone = await servedZone(ctx, domain)
  if (zone === null || wireName(zone.origin) !== wireName(domain))
    throw new Failure('domain_not_found', `No zone of ${domain} is served here.`, {
      fix: 'Name a domain that belongs to an account, or that one account alone has claimed.',
    })
  if (ctx.settings.dns.dnssec) return zone
  throw new Failure(
    'conflict',
    'Zones are not signed: a DS record at the registrar would make the domain unreachable.',
    {
      fix: 'Set dns.dnssec to true and restart the service; then run the command again.',
    },
  )
}

async function note(ctx: Context, { accountId, origin }: Zone, action: string): Promise<void> {
  if (accountId !== null) await recordAdministration(ctx, { accountId, action, target: origin })
}

const waitsFor = {
  published: 'until no resolver knows only the earlier keys',
  signing: 'for the DS record at the registrar',
  vouched: 'until no resolver has records that the old key signed',
  alone: 'until all nodes know the change',
} as const

/** The records of the key that the parent zone has to name, and the progress of a change. */
function shown(ctx: Context, doc: ZoneKeyDoc) {
  const { domain, next } = doc
  const { signing } = keysOf(ctx, doc)
  const change = next && { state: next.state, waits: waitsFor[next.state], lookAgainAt: next.dueAt.toISOString() }
  return { domain, ...zoneKeyText(signing), ...(change && { change }) }
}
