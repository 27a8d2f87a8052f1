/** The keys, access tokens, sessions and accounts of callers, as this process knows them (core/process/known.ts). */
import { findAccounts, findKeysByHash } from '../../store/accounts.ts'
import { fromBinary } from '../../store/bytes.ts'
import type { AccountDoc, KeyDoc } from '../../store/documents/accounts.ts'
import type { OauthArtifactDoc } from '../../store/documents/oauth.ts'
import type { SessionDoc } from '../../store/documents/people.ts'
import { findArtifacts } from '../../store/oauth.ts'
import { findSessionsByHash } from '../../store/people.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'

/** Ids of changed keys and accounts, and of people whose sessions changed. */
type Changed = {
  readonly keyIds?: readonly string[]
  readonly accountIds?: readonly string[]
  readonly personIds?: readonly string[]
}

const knownCallers = perProcess(({ clock, changes }) => {
  /** By the hash of the key, as base64. */
  const keys = createKnown<KeyDoc>(clock)
  const accounts = createKnown<AccountDoc>(clock)
  /** By the hash of the token, as base64. */
  const sessions = createKnown<SessionDoc>(clock)
  /** By id. A token never changes: it ends with its grant, which is a key. */
  const tokens = createKnown<OauthArtifactDoc>(clock)
  const forget = ({ keyIds = [], accountIds = [], personIds = [] }: Changed) => {
    keys.forget((_, { _id }) => keyIds.includes(_id))
    accounts.forget((id) => accountIds.includes(id))
    sessions.forget((_, { personId }) => personIds.includes(personId))
  }
  changes.listen((note) => {
    if (note.kind === 'callers') forget(note)
  })
  return { keys, accounts, sessions, tokens, forget }
})

/** Announces changed keys, accounts or sessions. This process forgets them at once; resolves when the others have (`ChangeFeed.tell`). */
export async function callersChanged(
  ctx: Context,
  { keyIds = [], accountIds = [], personIds = [] }: Changed,
): Promise<void> {
  forgetCallers(ctx, { keyIds, accountIds, personIds })
  await ctx.changes.tell({ kind: 'callers', keyIds, accountIds, personIds })
}

/** Forgets changed keys, accounts and sessions in this process alone. */
export function forgetCallers(ctx: Context, changed: Changed): void {
  knownCallers(ctx).forget(changed)
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

/** The OAuth artifact with an id. */
export function artifactById(ctx: Context, id: string): Promise<OauthArtifactDoc | undefined> {
  return knownCallers(ctx).tokens.find(id, async (ids) => {
    const found = await findArtifacts(ctx.store, ids)
    return new Map(found.map((artifact) => [artifact._id, artifact]))
  })
}

/** The account with an id. */
export function accountById(ctx: Context, accountId: string): Promise<AccountDoc | undefined> {
  return knownCallers(ctx).accounts.find(accountId, async (ids) => {
    const found = await findAccounts(ctx.store, ids)
    return new Map(found.map((account) => [account._id, account]))
  })
}

/** The session with a hash (base64). */
export function sessionByHash(ctx: Context, hash: string): Promise<SessionDoc | undefined> {
  return knownCallers(ctx).sessions.find(hash, async (hashes) => {
    const found = await findSessionsByHash(
      ctx.store,
      hashes.map((each) => Buffer.from(each, 'base64')),
    )
    return new Map(found.map((session) => [fromBinary(session.hash).toString('base64'), session]))
  })
}
