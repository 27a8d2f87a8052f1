/** The shared domain of the service, below which signups get their domains. */
import { newId } from '../../schemas/ids.ts'
import { insertAccount } from '../../store/accounts.ts'
import { findDomain, insertDomain } from '../../store/domains.ts'
import { findAddresses } from '../../store/mailboxes.ts'
import { ownAccount } from '../access/account-record.ts'
import { provisionMailbox } from '../mailbox/mailboxes.ts'
import type { Context } from '../process/context.ts'
import { outlivingMs } from '../zones/zone-edit.ts'
import { newDkimKeys } from './claims.ts'
import { keepPublished } from './kept-records.ts'

/**
 * Creates the shared domain of the service and its postmaster's mailbox if they are missing, and brings its zone up to date.
 * Runs at every start, in one process at a time.
 */
export async function ensureSharedDomain(ctx: Context): Promise<void> {
  const { sharedDomain, postmaster } = ctx.settings
  const { dkim } = (await findDomain(ctx.store, sharedDomain)) ?? (await createSharedDomain(ctx))
  await keepPublished(ctx, { domain: sharedDomain, accountId: null, dkim, token: null }, outlivingMs)
  const address = `postmaster@${sharedDomain}`
  if (postmaster !== null || (await findAddresses(ctx.store, [address])).length > 0) return
  const at = ctx.clock.now()
  const accountId = newId('acc', at)
  await insertAccount(ctx.store, ownAccount('postmaster', { _id: accountId, createdAt: at }))
  await provisionMailbox(ctx, { accountId, address, displayName: 'Postmaster', kind: 'agent', createdBy: null })
}

async function createSharedDomain(ctx: Context) {
  const at = ctx.clock.now()
  const doc = {
    _id: ctx.settings.sharedDomain,
    accountId: null,
    parent: null,
    status: 'verified',
    verifiedAt: at,
    dkim: await newDkimKeys(ctx, at),
    defaultDisplayName: null,
    createdAt: at,
  } as const
  if (await insertDomain(ctx.store, doc)) return doc
  return (await findDomain(ctx.store, doc._id)) ?? doc
}
