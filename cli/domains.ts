/** `mailroom domain`. */
import { recordAdministration } from '../core/access/audit.ts'
import { getAccount } from '../core/account/accounts.ts'
import { domainReport } from '../core/deliverability/domain-report.ts'
import { createDomain, listDomains, recentDomain } from '../core/mailbox/domains.ts'
import { changeStsMode, stsLabel, stsPolicyOf } from '../core/mailbox/sts-policy.ts'
import { normaliseDomain } from '../mail/domain.ts'
import { stsModes } from '../schemas/settings.ts'
import { withContext } from './admin-context.ts'
import { noDomain, oneOf } from './arguments.ts'
import { print } from './io.ts'

/** Addresses that are shown of one domain. */
const sourcesMax = 1_000

type CreateOptions = { readonly account: string; readonly verified: boolean }

export const create = withContext(async (ctx, io, name: string, { account, verified }: CreateOptions) => {
  const { id: accountId } = await getAccount(ctx, account)
  const { _id: domain, status, dkim } = await createDomain(ctx, { domain: name, accountId, verified })
  await recordAdministration(ctx, { accountId, action: 'domains.create', target: domain })
  const records = dkim.map(({ selector, publicRecord }) => ({
    type: 'TXT',
    name: `${selector}._domainkey.${domain}`,
    value: publicRecord,
  }))
  print(io, { domain, status, records })
})

export const list = withContext(async (ctx, io, account: string) => {
  const { id: accountId } = await getAccount(ctx, account)
  print(io, ...(await listDomains(ctx, accountId)))
})

/** `default` is the mode of the settings. */
export const changeSts = withContext(async (ctx, io, name: string, given: string) => {
  const mode = given === 'default' ? null : oneOf(given, stsModes, 'mode')
  const doc = await changeStsMode(ctx, { domain: name, mode })
  const { _id: domain, accountId } = doc
  if (accountId !== null) await recordAdministration(ctx, { accountId, action: 'domains.sts', target: domain })
  const policy = stsPolicyOf(ctx, doc)
  const record = { type: 'TXT', name: `_${stsLabel}.${domain}`, value: `v=STSv1; id=${policy.id};` }
  print(io, { domain, mode: policy.mode, records: [record] })
})

/** What receivers report of a domain, whosever it is. */
export const reports = withContext(async (ctx, io, name: string) => {
  const domain = normaliseDomain(name)
  const found = domain === null ? null : await recentDomain(ctx, domain)
  if (found === null) throw noDomain(name)
  const { sources, ...report } = await domainReport(ctx, found, { domain: found._id, limit: sourcesMax })
  print(io, { ...report, sources: sources.items })
})
