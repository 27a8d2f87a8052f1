/** A person claims an account that an agent made: as an account of its own, or into one that the person has. */
import { Failure } from '../../schemas/failures.ts'
import { beginMove } from '../../store/moves.ts'
import { findPersonByEmail } from '../../store/people.ts'
import type { Account } from '../access/account-record.ts'
import { accountById, callersChanged } from '../access/known-callers.ts'
import { memberPrincipal } from '../access/principal.ts'
import { moveSession, type Session } from '../access/sessions.ts'
import { claimable, claimByToken } from '../account/accounts.ts'
import type { Context } from '../process/context.ts'
import { hashCredential } from '../process/secrets.ts'
import { moveAccount, noteClaim } from './move.ts'
import { requirePerson } from './people.ts'

export type Claim = {
  /** Of the claim link. */
  readonly token: string
  /** An account of which the person is an owner; without one the claimed account becomes an account of its own. */
  readonly into?: string
  readonly peerAddress: string
}

/**
 * Claims the account of a link for the person who is signed in; the session acts on it from then on. Returns the id of the account
 * in which everything is then. The link works once; no limit of a plan refuses. Fails with `not_found` (the link is unknown,
 * was used, replaced, or has expired; no such account), `forbidden` (the person is no owner of the account) and `conflict`
 * (`into` is another account, and something holds the claimed one, or one of the two is a sandbox).
 */
export async function claim(ctx: Context, session: Session, { token, into, peerAddress }: Claim): Promise<string> {
  const { personId } = session
  const { email } = await requirePerson(ctx, personId)
  const found = await claimable(ctx, token)
  const { id: from } = found
  if (into === undefined) {
    const member = { personId, role: 'owner', since: ctx.clock.now() } as const
    await claimByToken(ctx, { token, owner: email, members: [member] })
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
  if (into === undefined) await noteClaim(ctx, { accountId, claimed: from, personId, address: peerAddress })
  await moveSession(ctx, session, accountId)
  return accountId
}

/**
 * Claims the account of a link for an owner, as an administrator does. The owner is a member of it if there is such a person. Fails
 * with `not_found`.
 */
export async function claimFor(ctx: Context, { token, owner }: { token: string; owner: string }): Promise<Account> {
  const person = await findPersonByEmail(ctx.store, owner)
  const members = person === null ? [] : [{ personId: person._id, role: 'owner', since: ctx.clock.now() } as const]
  return claimByToken(ctx, { token, owner, members })
}

/**
 * Why an account does not move: its link is used up, or something holds it. What holds an account holds no mailbox and no key, so it
 * would end where these belong to another account.
 */
async function noMove(ctx: Context, token: string): Promise<Failure> {
  const { suspended, paused } = await claimable(ctx, token)
  const held = suspended !== null ? 'is suspended' : paused !== null ? 'was paused' : 'may not send for now'
  return new Failure('conflict', `The account of this claim link ${held}, so it cannot be claimed into another.`, {
    fix: 'Claim it as an account of its own, without "account", or ask the operator of the service to end this first.',
  })
}

/** What a test key made would send real mail in another account, and the keys of an agent would do nothing real in a sandbox. */
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

/** The account, if the person owns it. */
async function requireOwner(ctx: Context, personId: string, accountId: string): Promise<Account> {
  const account = await accountById(ctx, accountId)
  const principal = account === undefined ? null : memberPrincipal(account, personId)
  if (principal === null)
    throw new Failure('not_found', `The signed-in person is no member of an account ${accountId}.`, {
      fix: 'Use the id of one of the "accounts" that GET /api/v1/session answers, or leave "account" out.',
    })
  if (principal.role !== 'owner')
    throw new Failure('forbidden', 'Only an owner of an account can claim another into it.', {
      fix: 'Ask an owner of the account, or leave "account" out to claim it as an account of its own.',
    })
  if (principal.account.status === 'suspended') throw new Failure('account_suspended')
  return principal.account
}
