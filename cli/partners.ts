/** `mailroom partner`. */
import { recordAdministration } from '../core/access/audit.ts'
import {
  createPartner,
  issuePartnerKey,
  listPartnerKeys,
  partnerId,
  revokePartnerKey,
  walkPartners,
} from '../core/partner/partners.ts'
import { after, dayMs } from '../core/process/clock.ts'
import { withContext } from './admin-context.ts'
import { daysOf, nameOf, personOf } from './arguments.ts'
import { print } from './io.ts'

export const create = withContext(async (ctx, io, name: string, { email }: { readonly email?: string }) => {
  const partner = await createPartner(ctx, { name: nameOf(name), email: email === undefined ? null : personOf(email) })
  await recordAdministration(ctx, { accountId: partner.id, action: 'partner.create', target: null })
  print(io, partner)
})

export const list = withContext(async (ctx, io) => {
  for await (const partners of walkPartners(ctx)) print(io, ...partners)
})

type KeyOptions = { readonly name: string; readonly days?: string; readonly test?: boolean }

/** The key is shown only once. */
export const createKey = withContext(async (ctx, io, partner: string, { name, days, test }: KeyOptions) => {
  const accountId = await partnerId(ctx, partner)
  const expiresAt = days === undefined ? null : after(ctx.clock.now(), daysOf(days) * dayMs)
  const mode = test ? ('test' as const) : ('live' as const)
  const { apiKey, key } = await issuePartnerKey(ctx, accountId, { name, mode, expiresAt })
  await recordAdministration(ctx, { accountId, action: 'partner.key', target: key.id })
  print(io, { ...key, apiKey })
})

export const listKeys = withContext(async (ctx, io, partner: string) => {
  print(io, ...(await listPartnerKeys(ctx, await partnerId(ctx, partner))))
})

export const revokeKey = withContext(async (ctx, _io, partner: string, keyId: string) => {
  const accountId = await partnerId(ctx, partner)
  await revokePartnerKey(ctx, accountId, keyId)
  await recordAdministration(ctx, { accountId, action: 'partner.revoke', target: keyId })
})
