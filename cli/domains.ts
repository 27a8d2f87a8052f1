/** `mailroom domain`. */
import { recordAdministration } from '../core/access/audit.ts'
import { getAccount } from '../core/account/accounts.ts'
import { createDomain, listDomains } from '../core/mailbox/domains.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'

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
