/** The MTA-STS policy of a domain of ours, which tells senders whether its mail must come over TLS (RFC 8461). */
import { createHash } from 'node:crypto'
import { normaliseDomain } from '../../mail/domain.ts'
import { Failure } from '../../schemas/failures.ts'
import type { StsMode } from '../../schemas/settings.ts'
import type { DomainDoc } from '../../store/documents/domains.ts'
import { setStsMode } from '../../store/domains.ts'
import { dayMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { recentDomain } from './domains.ts'

export type StsPolicy = {
  readonly mode: StsMode
  /** What `https://mta-sts.<domain>/.well-known/mta-sts.txt` answers. */
  readonly text: string
  /** Goes into the record `_mta-sts.<domain>`; it changes with the text. */
  readonly id: string
}

/** Senders fetch the policy from the host `<label>.<domain>` with this label (RFC 8461 3.3). */
export const stsLabel = 'mta-sts'

/** How long senders keep a policy. Short unless it is enforced, so that a mistake ends soon (RFC 8461 5.1, 10.2). */
const maxAgeMs: Readonly<Record<StsMode, number>> = { none: dayMs, testing: dayMs, enforce: 30 * dayMs }
const idChars = 20

/** The policy of a domain. Its own `stsMode` wins over the mode in the settings. */
export function stsPolicyOf(
  { settings, hostname }: Pick<Context, 'settings' | 'hostname'>,
  { stsMode }: Pick<DomainDoc, 'stsMode'>,
): StsPolicy {
  const mode = stsMode ?? settings.mtaSts.mode
  const lines = ['version: STSv1', `mode: ${mode}`, `mx: ${hostname}`, `max_age: ${maxAgeMs[mode] / secondMs}`]
  const text = lines.map((line) => `${line}\r\n`).join('')
  return { mode, text, id: createHash('sha256').update(text).digest('hex').slice(0, idChars) }
}

/** The content of the record `_mta-sts.<domain>` for a policy (RFC 8461 3.1). */
export const stsRecordOf = ({ id }: StsPolicy): string => `v=STSv1; id=${id};`

/** The policy that a host of this service answers with. Null unless the host belongs to an own domain of an account, in use. */
export async function stsPolicyAt(ctx: Context, host: string): Promise<StsPolicy | null> {
  if (!host.startsWith(`${stsLabel}.`)) return null
  const domain = await recentDomain(ctx, host.slice(stsLabel.length + 1))
  const isInUse = domain?.status === 'verified' || domain?.status === 'broken'
  return isInUse && domain.parent === null ? stsPolicyOf(ctx, domain) : null
}

/**
 * Changes the mode of an own domain's policy; null selects the mode in the settings. Returns the domain. Fails with
 * `domain_not_found`.
 */
export async function changeStsMode(
  ctx: Context,
  { domain, mode }: { readonly domain: string; readonly mode: StsMode | null },
): Promise<DomainDoc> {
  const changed = await setStsMode(ctx.store, normaliseDomain(domain) ?? domain, mode)
  if (changed === null)
    throw new Failure('domain_not_found', `No account here has ${domain} as its own domain.`, {
      fix: 'Name a domain that "mailroom domain list ACCOUNT" shows.',
    })
  return changed
}
