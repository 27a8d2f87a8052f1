/** `mailroom domain`. */
import { readFile } from 'node:fs/promises'
import { recordAdministration } from '../core/access/audit.ts'
import { administrator } from '../core/access/principal.ts'
import { getAccount } from '../core/account/accounts.ts'
import { domainReport } from '../core/deliverability/domain-report.ts'
import { createDomain, deleteDomain } from '../core/domains/claims.ts'
import { rotateKeys } from '../core/domains/dkim-rotation.ts'
import { setBackend, updateBackend } from '../core/domains/dns-backend.ts'
import { allDomains, domainInUse, nameOf, requireDomain } from '../core/domains/domain-list.ts'
import { domainRecord, publishedOf } from '../core/domains/domain-record.ts'
import { readDay, setExpiry } from '../core/domains/expiry.ts'
import { keepPublished } from '../core/domains/kept-records.ts'
import { checkDomain } from '../core/domains/verification.ts'
import { recentDomain } from '../core/mailbox/domains.ts'
import { changeStsMode, stsLabel, stsPolicyOf } from '../core/mailbox/sts-policy.ts'
import type { Context } from '../core/process/context.ts'
import { normaliseDomain } from '../mail/domain.ts'
import { dnsBackends } from '../schemas/domains.ts'
import { Failure } from '../schemas/failures.ts'
import { stsModes } from '../schemas/settings.ts'
import { withContext } from './admin-context.ts'
import { noDomain, oneOf } from './arguments.ts'
import { print } from './io.ts'

/** Most sending addresses that are shown of one domain. */
const sourcesMax = 1_000

type CreateOptions = { readonly account: string; readonly verified: boolean }

export const create = withContext(async (ctx, io, name: string, { account, verified }: CreateOptions) => {
  const { id: accountId } = await getAccount(ctx, account)
  const doc = await createDomain(ctx, { domain: name, accountId, verified })
  await recordAdministration(ctx, { accountId, action: 'domains.create', target: nameOf(doc) })
  print(io, domainRecord(ctx, doc))
})

export const list = withContext(async (ctx, io, account: string) => {
  const { id: accountId } = await getAccount(ctx, account)
  print(io, ...(await allDomains(ctx, accountId)).map((doc) => domainRecord(ctx, doc)))
})

export const verify = withContext(async (ctx, io, account: string, name: string) => {
  const { id: accountId } = await getAccount(ctx, account)
  const doc = await checkDomain(ctx, await requireDomain(ctx, accountId, name))
  await recordAdministration(ctx, { accountId, action: 'domains.verify', target: nameOf(doc) })
  print(io, domainRecord(ctx, doc))
})

export const remove = withContext(async (ctx, io, account: string, name: string) => {
  const owner = await getAccount(ctx, account)
  const domain = nameOf(await requireDomain(ctx, owner.id, name))
  await deleteDomain(ctx, administrator(owner), domain)
  await recordAdministration(ctx, { accountId: owner.id, action: 'domains.delete', target: domain })
  print(io, { domain, deleted: true })
})

export const rotateDkim = withContext(async (ctx, io, name: string) => {
  const doc = await rotateKeys(ctx, await domainInUse(ctx, name))
  if (doc.accountId !== null)
    await recordAdministration(ctx, { accountId: doc.accountId, action: 'domains.rotate_dkim', target: doc._id })
  print(io, domainRecord(ctx, doc))
})

export const expires = withContext(async (ctx, io, name: string, day: string) => {
  const doc = await domainInUse(ctx, name)
  const expiresAt = day === 'none' ? null : readDay(day)
  await setExpiry(ctx, doc._id, expiresAt)
  if (doc.accountId !== null)
    await recordAdministration(ctx, { accountId: doc.accountId, action: 'domains.expires', target: doc._id })
  print(io, { domain: doc._id, expiresAt: expiresAt?.toISOString() ?? null })
})

/**
 * `default` means the mode of the settings. Prints whether the zone got a new record, and who maintains the zone: with `by-hand`, the
 * owner has to publish the record.
 */
export const changeSts = withContext(async (ctx, io, name: string, given: string) => {
  const wanted = oneOf(given, [...stsModes, 'default'], 'mode')
  const mode = wanted === 'default' ? null : wanted
  const doc = await changeStsMode(ctx, { domain: name, mode })
  const { _id: domain, accountId } = doc
  if (accountId !== null) await recordAdministration(ctx, { accountId, action: 'domains.sts', target: domain })
  const zoneChanged = await keepPublished(ctx, { ...publishedOf(doc), accountId, backend: doc.backend })
  const policy = stsPolicyOf(ctx, doc)
  const record = { type: 'TXT', name: `_${stsLabel}.${domain}`, value: `v=STSv1; id=${policy.id};` }
  print(io, { domain, mode: policy.mode, dns: doc.backend?.kind ?? 'built-in', zoneChanged, records: [record] })
})

/** The reports of receivers about a domain of any account. */
export const reports = withContext(async (ctx, io, name: string) => {
  const domain = normaliseDomain(name)
  const found = domain === null ? null : await recentDomain(ctx, domain)
  if (found === null) throw noDomain(name)
  const { sources, ...report } = await domainReport(ctx, found, { domain: found._id, limit: sourcesMax })
  print(io, { ...report, sources: sources.items })
})

type DnsOptions = { readonly server?: string; readonly keyFile?: string; readonly zone?: string }

export const dns = withContext(async (ctx, io, name: string, keeper: string, { server, keyFile, zone }: DnsOptions) => {
  const doc = await domainInUse(ctx, name)
  await setBackend(ctx, doc, await backendFor(ctx, keeper, { server, keyFile, zone }))
  if (doc.accountId !== null)
    await recordAdministration(ctx, { accountId: doc.accountId, action: 'domains.dns', target: doc._id })
  print(io, { domain: doc._id, dns: keeper })
})

async function backendFor(ctx: Context, keeper: string, { server, keyFile, zone }: DnsOptions) {
  const kind = oneOf(keeper, dnsBackends, 'keeper')
  if (kind === 'built-in') return null
  if (kind === 'by-hand') return { kind } as const
  if (server === undefined || keyFile === undefined)
    throw new Failure('validation_error', 'Updates need a server and a key.', {
      param: server === undefined ? 'server' : 'key-file',
      fix: 'Give --server host:port and --key-file, a file with the key as algorithm:name:secret.',
    })
  const key = await readFile(keyFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure('validation_error', `The file ${keyFile} cannot be read (${error.code}).`, {
      param: 'key-file',
      fix: 'Give a file that holds the key as algorithm:name:secret.',
    })
  })
  return updateBackend(ctx, { server, key, zone })
}
