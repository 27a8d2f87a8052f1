/** The keys and accounts of callers, as this process knows them (core/process/known.ts). */
import { findAccounts, findKeysByHash } from '../../store/accounts.ts'
import { fromBinary } from '../../store/bytes.ts'
import type { AccountDoc, KeyDoc } from '../../store/documents/accounts.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'

/** Ids of changed keys and accounts. */
type Changed = { readonly keyIds?: readonly string[]; readonly accountIds?: readonly string[] }

const knownCallers = perProcess(({ clock, changes }) => {
  /** By the hash of the key, as base64. */
  const keys = createKnown<KeyDoc>(clock)
  const accounts = createKnown<AccountDoc>(clock)
  const forget = ({ keyIds = [], accountIds = [] }: Changed) => {
    keys.forget((_, { _id }) => keyIds.includes(_id))
    accounts.forget((id) => accountIds.includes(id))
  }
  changes.listen((note) => {
    if (note.kind === 'callers') forget(note)
  })
  return { keys, accounts, forget }
})

/** Says that keys or accounts were changed. Resolves when other processes should have heard it; this one knows at once. */
export async function callersChanged(ctx: Context, { keyIds = [], accountIds = [] }: Changed): Promise<void> {
  knownCallers(ctx).forget({ keyIds, accountIds })
  await ctx.changes.tell({ kind: 'callers', keyIds, accountIds })
}

/** The key with a hash (base64). */
export function keyByHash(ctx: Context, hash: string): Promise<KeyDoc | undefined> {
  return knownCallers(ctx).keys.find(hash, async (hashes) => {
    const found = await findKeysByHash(
      ctx.store,
      hashes.map((each) => Buffer.from(each, 'base64')),
    )
    return new Map(found.map((key) => [fromBinary(key.hash).toString('base64'), key]))
  })
}

/** The account with an id. */
export function accountById(ctx: Context, accountId: string): Promise<AccountDoc | undefined> {
  return knownCallers(ctx).accounts.find(accountId, async (ids) => {
    const found = await findAccounts(ctx.store, ids)
    return new Map(found.map((account) => [account._id, account]))
  })
}
