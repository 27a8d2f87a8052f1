/** When the registration of a domain ends: set by an administrator, or read from the registry by RDAP (RFC 9083) if configured. */

import { organisationOf } from '../../mail/domain.ts'
import { Failure } from '../../schemas/failures.ts'
import type { DomainDoc } from '../../store/documents/domains.ts'
import { noteRegistry, setExpiry as set } from '../../store/domains.ts'
import { after, dayMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { noDomain } from './claims.ts'

const askAgainMs = 7 * dayMs
const timeoutMs = 10 * secondMs
/** Limits the size of the registry's answer; one about a domain has some kilobytes. */
const answerBytesMax = 512 * 1024

/** Sets when the registration of a domain ends, whatever the registry says; null if it is unknown. Fails with `domain_not_found`. */
export async function setExpiry(ctx: Context, domain: string, expiresAt: Date | null): Promise<void> {
  const expiry = expiresAt === null ? null : ({ expiresAt, expiryFrom: 'administrator' } as const)
  if (!(await set(ctx.store, domain, expiry))) throw noDomain(domain)
}

/** Queries the registry about a domain if that is due. Returns the updated domain. If the registry fails, it is queried again later. */
export async function askRegistry(ctx: Context, doc: DomainDoc): Promise<DomainDoc> {
  const { rdapUrl } = ctx.settings.domains
  const { _id: domain, expiryFrom, registryAskedAt } = doc
  const at = ctx.clock.now()
  const isDue = registryAskedAt === undefined || after(registryAskedAt, askAgainMs) <= at
  if (rdapUrl === null || doc.accountId === null || expiryFrom === 'administrator' || !isDue) return doc
  const expiresAt = await expiryOf(rdapUrl, organisationOf(domain)).catch((error: unknown) => {
    ctx.log.warn({ err: error, domain }, 'the registry could not be asked')
    return undefined
  })
  if (expiresAt === undefined) return doc
  const known = { registryAskedAt: at, ...(expiresAt !== null && ({ expiresAt, expiryFrom: 'registry' } as const)) }
  await noteRegistry(ctx.store, domain, known)
  return { ...doc, ...known }
}

/** The end of a registration; null if the registry does not know it. Rejects if the registry does not answer. */
async function expiryOf(rdapUrl: string, domain: string): Promise<Date | null> {
  const url = `${rdapUrl.replace(/\/+$/, '')}/domain/${encodeURIComponent(domain)}`
  const answer = await fetch(url, {
    headers: { accept: 'application/rdap+json, application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (answer.status === 404) return null
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    if (size > answerBytesMax) throw new Error(`${url} answered more than ${answerBytesMax} bytes`)
    chunks.push(chunk)
  }
  const { events } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly events?: unknown }
  if (!Array.isArray(events)) return null
  const end: unknown = events.find((event) => event?.eventAction === 'expiration')?.eventDate
  const at = typeof end === 'string' ? new Date(end) : null
  return at === null || Number.isNaN(at.getTime()) ? null : at
}

/** Parses a day on the command line. Fails with `validation_error`. */
export function readDay(text: string): Date {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN)
  // Date parses February 30 as March 2.
  if (!Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)) return at
  throw new Failure('validation_error', `"${text}" is no day.`, { param: 'day', fix: 'Write it as 2027-03-31.' })
}
