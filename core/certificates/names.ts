/** The names that need a certificate: those of the service, and what own domains serve under. */
import { isIP } from 'node:net'
import {
  addCertificates,
  certificateNames,
  markUnwanted,
  ownDomainNames,
  removeUnwanted,
} from '../../store/certificates.ts'
import { servedLabels } from '../mailbox/served-labels.ts'
import { noteDue } from '../process/alarms.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { serviceNames } from '../process/service-names.ts'
import { type Certificate, certificateFiles, isSelfSigned, readCertificateFiles, vouchesFor } from './files.ts'

/** Top-level names that no authority vouches for (RFC 6761, RFC 6762). */
const reserved = new Set(['localhost', 'invalid', 'local', 'onion', 'arpa'])
/** How long a name stays that nothing asks for: a domain may come back, and of several nodes each knows its own names. */
const unwantedMs = 7 * dayMs
/** A certificate of the files that ends sooner is replaced in time. */
const coveredMs = 14 * dayMs

/**
 * Notes the names that need a certificate, so that they are ordered, and those that do not any more, which go after a week.
 * Without an authority in the settings nothing is noted.
 */
export async function noteWantedCertificates(ctx: Context): Promise<void> {
  if (ctx.settings.acme.directory === null) return
  const now = ctx.clock.now()
  const [domains, there] = await Promise.all([ownDomainNames(ctx.store), certificateNames(ctx.store)])
  const ofDomains = domains.flatMap((domain) => servedLabels.map((label) => `${label}.${domain}`))
  const wanted = new Set([...(await uncovered(ctx, now)), ...ofDomains].filter(isPublic))
  const known = new Map(there.map(({ _id, unwantedSince }) => [_id, unwantedSince]))
  const added = [...wanted].filter((name) => !known.has(name))
  await addCertificates(ctx.store, added, now)
  if (added.length > 0) noteDue(ctx, 'certificates', now)
  const [back, gone] = [
    there.filter(({ _id, unwantedSince }) => wanted.has(_id) && unwantedSince !== undefined),
    there.filter(({ _id }) => !wanted.has(_id)),
  ]
  await markUnwanted(ctx.store, idsOf(back), null)
  await markUnwanted(ctx.store, idsOf(gone.filter(({ unwantedSince }) => unwantedSince === undefined)), now)
  await removeUnwanted(ctx.store, idsOf(gone), after(now, -unwantedMs))
}

/** The wildcard that a certificate for a name may be of. */
export const wildcardOf = (name: string): string => name.replace(/^[^.]*/, '*')

/** The names of the service that the certificate of the files does not vouch for. */
async function uncovered(ctx: Context, now: Date): Promise<readonly string[]> {
  const certificate = await readCertificateFiles(certificateFiles(ctx.settings)).catch(() => null)
  return serviceNames(ctx).filter((name) => !isCovered(certificate, name, now))
}

function isCovered(certificate: Certificate | null, name: string, now: Date): boolean {
  if (certificate === null || isSelfSigned(certificate)) return false
  return vouchesFor(certificate, name, now) && vouchesFor(certificate, name, after(now, coveredMs))
}

function isPublic(name: string): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1)
  return name.includes('.') && isIP(name) === 0 && !reserved.has(last)
}

const idsOf = (docs: readonly { readonly _id: string }[]) => docs.map(({ _id }) => _id)
