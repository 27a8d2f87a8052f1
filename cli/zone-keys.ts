/** `mailroom domain ds`. */
import { wireName } from '../core/zones/names.ts'
import { servedZone } from '../core/zones/served-zones.ts'
import { zoneKey, zoneKeyText } from '../core/zones/zone-keys.ts'
import { normaliseDomain } from '../mail/domain.ts'
import { Failure } from '../schemas/failures.ts'
import { notADomain } from '../schemas/refusals.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'

export const ds = withContext(async (ctx, io, given: string) => {
  const domain = normaliseDomain(given)
  if (domain === null) throw notADomain(given, 'domain')
  const zone = await servedZone(ctx, domain)
  if (zone === null || wireName(zone.origin) !== wireName(domain))
    throw new Failure('domain_not_found', `No zone of ${domain} is served here.`, {
      fix: 'Name a domain that an account has, or has claimed alone.',
    })
  if (!ctx.settings.dns.dnssec)
    throw new Failure(
      'conflict',
      'Zones are not signed: a DS record at the registrar would make the domain unreachable.',
      {
        fix: 'Set dns.dnssec to true and start the service again; then ask for the DS record.',
      },
    )
  print(io, { domain, ...zoneKeyText(await zoneKey(ctx, zone)) })
})
