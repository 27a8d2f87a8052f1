/**
 * A person claims an account that an agent made, as an account of its own or into one that the person owns. A claim as an account of its
 * own is followed by a look for the mark of an erasure of the person (erase-person.ts) and by an entry in the audit; the account keeps
 * what these need until they are done, so that a sweep does them if the process dies.
 */
import { Failure } from '../../schemas/failures.ts'
import { endClaiming, findClaiming, undoClaim } from '../../store/accounts.ts'
import { toBinary } from '../../store/bytes.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'
import { beginMove } from '../../store/moves.ts'
import { findPersonByEmail } from '../../store/people.ts'
import type { Account } from '../access/account-record.ts'
import { accountById, callersChanged } from '../access/known-callers.ts'
import { memberPrincipal } from '../access/principal.ts'
import { moveSession, type Session } from '../access/sessions.ts'
import { claimable, claimByToken } from '../account/accounts.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { hashCredential } from '../process/secrets.ts'
import { moveAccount, noteClaim } from './move.ts'
import { isStaying, noPerson, requirePerson } from './people.ts'

/** How long a process has to complete a claim before another one does. */
const lateMs = minuteMs
/** Claims that one run of the sweep completes. */
const claimsMax = 50

export type Claim = {
  /** The token of the claim link. */
  readonly token: string
  /** An account of which the person is an owner; without one the claimed account becomes an account of its own. */
  readonly into?: string
  readonly peerAddress: string
}

/**
 * Claims the account of a link for the signed-in person. Returns the id of the account that contains everything afterwards; the
 * session acts on it from then on. The link works once, and no limit of a plan prevents a claim. Fails with `not_found` (the link is
 * unknown, was used, replaced, or has expired; the person is no member of `into`), `forbidden` (the person is no owner of `into`),
 * `account_suspended` (`into`) and `conflict` (the claimed account has a hold, or one of the two is a sandbox; only with `into`).
 */
export async function claim(ctx: Context, session: Session, { token, into, peerAddress }: Claim): Promise<string> {
  const { personId } = session
  const { email } = await requirePerson(ctx, personId)
  const found = await claimable(ctx, token)
  const { id: from } = found
  if (into === undefined) {
    const claiming = { ...claimingOf(ctx, token, found), personId, address: peerAddress }
    await claimByToken(ctx, { token, owner: email, claiming })
    if (!(await settleClaim(ctx, { _id: from, claiming }))) throw noPerson()
  } else {
    requireNoSandbox(found, await requireOwner(ctx, personId, into))
    const claimHash = hashCredential(token)
    const by = { personId, address: peerAddress }
    if (!(await beginMove(ctx.store, { from, to: into, claimHash, at: ctx.clock.now(), by })))
      throw await noMove(ctx, token)
    await callersChanged(ctx, { accountIds: [from] })
    await moveAccount(ctx, { from, to: into }, by)
  }
  const accountId = into ?? from
  await moveSession(ctx, session, accountId)
  return accountId
}

/**
 * Claims the account of a link for the address `owner`, as an administrator does. If that is the address of a person, the person becomes
 * a member. Fails with `not_found`.
 */
export async function claimFor(ctx: Context, { token, owner }: { token: string; owner: string }): Promise<Account> {
  const found = await claimable(ctx, token)
  const person = await findPersonByEmail(ctx.store, owner)
  if (person === null) return claimByToken(ctx, { token, owner })
  const claiming = { ...claimingOf(ctx, token, found), personId: person._id }
  const claimed = await claimByToken(ctx, { token, owner, claiming })
  return (await settleClaim(ctx, { _id: found.id, claiming })) ? claimed : claimByToken(ctx, { token, owner })
}

/** Completes the claims whose process died or failed before it had done so. Returns how many. */
export async function sweepClaims(ctx: Context): Promise<number> {
  const claims = await findClaiming(ctx.store, after(ctx.clock.now(), -lateMs), claimsMax)
  for (const claimed of claims)
    await settleClaim(ctx, claimed).catch((error: unknown) =>
      ctx.log.error({ err: error, accountId: claimed._id }, 'a claim could not be completed; it is tried again'),
    )
  return claims.length
}

const claimingOf = (ctx: Context, token: string, { claimExpiresAt }: Account) => ({
  at: ctx.clock.now(),
  claimHash: toBinary(hashCredential(token)),
  ...(claimExpiresAt !== null && { claimExpiresAt }),
})

/** Records a claim by a person in the audit, or undoes it if the person is erased. Returns whether it stands. Safe to repeat. */
async function settleClaim(
  ctx: Context,
  { _id: accountId, claiming }: Pick<AccountDoc, '_id' | 'claiming'>,
): Promise<boolean> {
  if (claiming === undefined) return true
  const { personId, address } = claiming
  const stands = await isStaying(ctx, personId)
  if (!stands) {
    await undoClaim(ctx.store, accountId, claiming)
    await callersChanged(ctx, { accountIds: [accountId] })
  } else if (address !== undefined) await noteClaim(ctx, { accountId, claimed: accountId, personId, address })
  await endClaiming(ctx.store, accountId, claiming)
  return stands
}

/**
 * The failure of a claim into another account: the link is used up, or the account has a hold. A hold is on the account, not on its
 * mailboxes and keys, so it would end once these belong to another account.
 */
async function noMove(ctx: Context, token: string): Promise<Failure> {
  const { suspended, paused } = await claimable(ctx, token)
  const held = suspended !== null ? 'is suspended' : paused !== null ? 'was paused' : 'may not send for now'
  return new Failure('conflict', `The account of this claim link ${held}, so it cannot be claimed into another.`, {
    fix: 'Claim it as an account of its own, without "account", or ask the operator of the service to end this first.',
  })
}

/** In a real account, keys made with a test key would send real mail; in a sandbox, the keys of an agent would do nothing real. */
function requireNoSandbox(from: Account, to: Account): void {
  if (from.sandbox)
    throw new Failure('conflict', 'This claim link is of a sandbox, which cannot be claimed into another account.', {
      fix: 'Claim it as an account of its own, without "account"; a real account has a claim link of its own.',
    })
  if (to.sandbox)
    throw new Failure('conflict', `The account ${to.id} is a sandbox, into which no other can be claimed.`, {
      fix: 'Use the id of an account that is no sandbox, or leave "account" out.',
    })
}

/** The account that the person owns. Fails with `not_found`, `forbidden` and `account_suspended`. */
async function requireOwner(ctx: Context, personId: string, accountId: string): Promise<Account> {
  const account = await accountById(ctx, accountId)
  const principal = account === undefined ? null : memberPrincipal(account, personId)
  if (principal === null)
    throw new Failure('not_found', `The signed-in person is no member of an account ${accountId}.`, {
      fix: 'Use the id of one of the "accounts" that GET /api/v1/session returns, or leave "account" out.',
    })
  if (principal.role !== 'owner')
    throw new Failure('forbidden', 'Only an owner of an account can claim another into it.', {
      fix: 'Ask an owner of the account, or leave "account" out to claim it as an account of its own.',
    })
  if (principal.account.status === 'suspended') throw new Failure('account_suspended')
  return principal.account
}
