/** The names that need a certificate: those of the service, and those that customers' own domains are served under. */
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

/** Top-level names for which no authority issues certificates (RFC 6761, RFC 6762). */
const reserved = new Set(['localhost', 'invalid', 'local', 'onion', 'arpa'])
/** How long an unwanted name is kept: a domain may come back, and each node only knows its own names. */
const unwantedMs = 7 * dayMs
/** A certificate of the files that ends sooner than this does not count, so that its replacement is ordered in time. */
const coveredMs = 14 * dayMs

/**
 * Adds the names that need a certificate, so that it is ordered, and marks those that no longer do; these are removed after a week.
 * Does nothing if the settings name no authority.
 */
export async function noteWantedCertificates(ctx: Context): Promise<void> {
  if (ctx.settings.acme.directory === null) return
  const now = ctx.clock.now()
  const [domains, stored] = await Promise.all([ownDomainNames(ctx.store), certificateNames(ctx.store)])
  const ofDomains = domains.flatMap((domain) => servedLabels.map((label) => `${label}.${domain}`))
  const wanted = new Set([...(await uncovered(ctx, now)), ...ofDomains].filter(isPublic))
  const known = new Map(stored.map(({ _id, unwantedSince }) => [_id, unwantedSince]))
  const added = [...wanted].filter((name) => !known.has(name))
  await addCertificates(ctx.store, added, now)
  if (added.length > 0) noteDue(ctx, 'certificates', now)
  const [back, gone] = [
    stored.filter(({ _id, unwantedSince }) => wanted.has(_id) && unwantedSince !== undefined),
    stored.filter(({ _id }) => !wanted.has(_id)),
  ]
  await markUnwanted(ctx.store, idsOf(back), null)
  await markUnwanted(ctx.store, idsOf(gone.filter(({ unwantedSince }) => unwantedSince === undefined)), now)
  await removeUnwanted(ctx.store, idsOf(gone), after(now, -unwantedMs))
}

/** The wildcard whose certificate also covers a name. */
export const wildcardOf = (name: string): string => name.replace(/^[^.]*/, '*')

/** The names of the service that the certificate of the files does not cover. */
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
