/** Accounts: signup by an agent without a person, claim links, creation by administrators, lookup and usage. */
import { randomInt } from 'node:crypto'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import {
  type AgentsPlanName,
  allowanceOf,
  type MailPlanName,
  type Plans,
  unclaimedDays,
  withGrace,
} from '../../schemas/plans.ts'
import { signupScopes } from '../../schemas/scopes.ts'
import * as store from '../../store/accounts.ts'
import { toBinary } from '../../store/bytes.ts'
import type { AccountDoc, Claiming } from '../../store/documents/accounts.ts'
import { driveBytes } from '../../store/drive.ts'
import { storageUsed } from '../../store/folders.ts'
import { listMailboxes } from '../../store/mailboxes.ts'
import { type Account, accountOf, isUnclaimed, noAccount, useAnAccountId } from '../access/account-record.ts'
import { createKey } from '../access/keys.ts'
import { callersChanged } from '../access/known-callers.ts'
import { networkOf } from '../access/network.ts'
import { walkPages } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { giveBackUsage, lensRuns, takeUsage, usageCounters } from '../access/usage.ts'
import { takeSubdomain } from '../mailbox/domains.ts'
import { announceMailbox, mailboxOf, provisionMailbox } from '../mailbox/mailboxes.ts'
import { inTimeOf } from '../process/account-time.ts'
import { after, dayMs, hourMs, periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { hashCredential, newCredential } from '../process/secrets.ts'
import { isReserved, nameForm } from './free-names.ts'
import { firstWarmUp } from './reputation.ts'

const inboxForm = /^(?=.{1,64}$)(?!.*\.\.)[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/
const claimLinksPerHour = 10
const randomNameTriesMax = 5

/**
 * Creates an account without a person: a free address, an inbox on it, and a key bound to that inbox (interface.md,
 * Signup result). `address` is the IP address of the caller. Fails with `validation_error`, `conflict` (name taken or
 * reserved), `rate_limited` (limit of the IP address or its network), `unavailable` (limit of the service, or signup is
 * off).
 */
export async function signup(
  ctx: Context,
  { name, inbox = 'agent', address }: { name?: string; inbox?: string; address: string },
): Promise<{ address: string; apiKey: string; claimUrl: string; expiresAt: Date; account: Account }> {
  if (!ctx.settings.signup.enabled)
    throw new Failure('unavailable', 'Signup is turned off on this server.', {
      retryAfter: 86_400,
      fix: 'Ask the operator of the service for an account.',
    })
  if (name !== undefined && !nameForm.test(name))
    throw new Failure(
      'validation_error',
      '"name" must have 3 to 40 characters of a-z, 0-9 and "-", begin and end with a letter or digit, and have no "--" after two characters.',
      { param: 'name', fix: 'Choose a "name" such as "support-bot", or leave it out and get a free one.' },
    )
  if (!inboxForm.test(inbox))
    throw new Failure(
      'validation_error',
      '"inbox" must have 1 to 64 characters of a-z, 0-9, ".", "_" and "-", begin and end with a letter or digit, and have no two dots in a row.',
      { param: 'inbox', fix: 'Choose an "inbox" such as "support", or leave it out and get "agent".' },
    )
  if (name !== undefined && isReserved(ctx, name))
    throw new Failure('conflict', `The name "${name}" is reserved.`, { fix: chooseAnother })
  await countSignup(ctx, address)
  const at = ctx.clock.now()
  const accountId = newId('acc', at)
  const takenName = await takeName(ctx, accountId, name)
  const expiresAt = after(at, unclaimedDays * dayMs)
  const token = newCredential('')
  const doc: AccountDoc = {
    _id: accountId,
    name: takenName,
    status: 'unclaimed',
    plan: null,
    agentsPlan: 'free',
    sandbox: false,
    createdAt: at,
    owner: null,
    claimExpiresAt: expiresAt,
    claimHash: toBinary(hashCredential(token)),
    inboxes: 1,
    webhooks: 0,
    eventSeqFloor: 0,
    sendingPaused: null,
    warmUp: firstWarmUp(at),
  }
  await store.insertAccount(ctx.store, doc)
  const mailboxAddress = `${inbox}@${takenName}.${ctx.settings.sharedDomain}`
  const keyId = newId('key', at)
  const mailbox = await provisionMailbox(ctx, {
    accountId,
    address: mailboxAddress,
    displayName: null,
    kind: 'agent',
    createdBy: keyId,
  })
  const { apiKey } = await createKey(ctx, {
    id: keyId,
    accountId,
    kind: 'agent',
    name: 'signup',
    scopes: signupScopes,
    mailboxIds: [mailbox._id],
    expiresAt: null,
  })
  await announceMailbox(ctx, 'mailbox.created', await mailboxOf(ctx, mailbox, doc))
  return { address: mailboxAddress, apiKey, claimUrl: claimUrl(ctx, token), expiresAt, account: accountOf(doc) }
}

/** Fails with `forbidden` for a key that may not create claim links. */
export function requireInboxKey({ kind }: Principal): void {
  if (kind !== 'agent')
    throw new Failure('forbidden', 'Only the agent key of the inbox may create a claim link.', {
      fix: 'Use the key that the signup returned.',
    })
}

/**
 * Creates a new single-use claim link; the previous one becomes invalid. Fails with `conflict` when the account is
 * claimed, `forbidden` for a key that is not an agent key of it, `rate_limited` past 10 an hour (decisions.md 2,
 * Account).
 */
export async function mintClaimLink(
  ctx: Context,
  principal: Principal,
): Promise<{ claimUrl: string; expiresAt: Date }> {
  const { account, accountId } = principal
  if (!isUnclaimed(account) || account.claimExpiresAt === null) throw alreadyClaimed()
  requireInboxKey(principal)
  if (
    !(await takeUsage(ctx, {
      owner: accountId,
      period: 'hour',
      counter: 'claimLinks',
      by: 1,
      limit: claimLinksPerHour,
    }))
  ) {
    const now = ctx.clock.now()
    const retryAfter = secondsUntil(now, new Date(Math.ceil((now.getTime() + 1) / hourMs) * hourMs))
    throw new Failure('rate_limited', `At most ${claimLinksPerHour} claim links can be created in an hour.`, {
      retryAfter,
    })
  }
  const token = newCredential('')
  const changed = await store.changeAccount(
    ctx.store,
    accountId,
    { claimHash: toBinary(hashCredential(token)) },
    { status: 'unclaimed' },
  )
  if (changed === null) throw alreadyClaimed()
  return { claimUrl: claimUrl(ctx, token), expiresAt: account.claimExpiresAt }
}

/**
 * Gives an unclaimed account to its owner, by the token of its claim link; with `claiming` to a person, who becomes a member. Fails
 * with `not_found` when the link was used, replaced or has expired.
 */
export async function claimByToken(
  ctx: Context,
  { token, owner, claiming }: { token: string; owner: string; claiming?: Claiming },
): Promise<Account> {
  const { id } = await claimable(ctx, token)
  const claimed = await store.claimAccount(ctx.store, id, { claimHash: hashCredential(token), owner, claiming })
  if (claimed === null) throw unknownClaimLink()
  await callersChanged(ctx, { accountIds: [id] })
  return accountOf(claimed)
}

/** The unclaimed account of a claim link that can still be used. Changes nothing. Fails with `not_found`. */
export async function claimable(ctx: Context, token: string): Promise<Account> {
  const found = await store.findAccountByClaim(ctx.store, hashCredential(token))
  if (
    found === null ||
    (found.claimExpiresAt !== undefined && found.claimExpiresAt <= inTimeOf(ctx, found._id).clock.now())
  )
    throw unknownClaimLink()
  return accountOf(found)
}

/** Creates an active account; for administrators. */
export async function createAccount(
  ctx: Context,
  {
    name,
    owner,
    plan = 'business',
    agentsPlan = 'scale',
  }: { name: string; owner: string | null; plan?: MailPlanName | null; agentsPlan?: AgentsPlanName | null },
): Promise<Account> {
  const at = ctx.clock.now()
  const doc: AccountDoc = {
    _id: newId('acc', at),
    name,
    status: 'active',
    plan,
    agentsPlan,
    sandbox: false,
    createdAt: at,
    owner,
    inboxes: 0,
    webhooks: 0,
    eventSeqFloor: 0,
    sendingPaused: null,
  }
  await store.insertAccount(ctx.store, doc)
  return accountOf(doc)
}

/**
 * Reads an account by its id or its name: an ordinary one, or with `isPartner` that of a partner. Fails with `not_found` and `conflict`
 * (several accounts have the name).
 */
export async function getAccount(ctx: Context, idOrName: string, { isPartner = false } = {}): Promise<Account> {
  const [doc, ...others] = await store.findAccountsNamed(ctx.store, idOrName, { isPartner })
  if (doc === undefined) throw isPartner ? noPartner(idOrName) : noAccount(idOrName)
  if (others.length > 0)
    throw new Failure('conflict', `Several accounts are called ${idOrName}.`, { fix: useAnAccountId })
  return accountOf(doc)
}

const noPartner = (idOrName: string) =>
  new Failure('not_found', `There is no partner ${idOrName}.`, {
    fix: 'Use a name or an id from "mailroom partner list".',
  })

/** All accounts, newest first, without partners and without removed or moved accounts: a page at a time. */
export async function* walkAccounts(ctx: Context): AsyncGenerator<readonly Account[]> {
  for await (const docs of walkPages((before, limit) => store.listAccounts(ctx.store, { before, limit })))
    yield docs.map(accountOf)
}

export type Usage = Pick<Plans, 'plan' | 'agentsPlan'> & {
  readonly period: { readonly from: Date; readonly to: Date }
  readonly sends: { readonly used: number; readonly limit: number; readonly remaining: number }
  readonly emails: {
    readonly sent: number
    readonly received: number
    readonly limit: number | null
    readonly grace: number | null
  }
  readonly inboxes: { readonly used: number; readonly limit: number }
  readonly storage: { readonly usedBytes: number; readonly limitBytes: number }
  readonly requestsPerMinute: number
  readonly batch: { readonly recipientsPerCall: number; readonly recipientsPerMinute: number }
  readonly webhooks: { readonly used: number; readonly limit: number }
  /** The budget of marketing sends; nothing uses it. */
  readonly marketing: { readonly limit: number }
  readonly lens: { readonly used: number; readonly limit: number; readonly extra: number }
  readonly eventsDropped: number
}

/** The usage of the account in this month, and the limits of its plans. */
export async function usageOf(ctx: Context, account: Account): Promise<Usage> {
  const accountId = account.id
  const allowance = allowanceOf(account)
  const [month, doc, inDrive] = await Promise.all([
    usageCounters(ctx, accountId, 'month'),
    store.findAccount(ctx.store, accountId),
    driveBytes(ctx.store, accountId),
  ])
  // After a change to a smaller plan there may be more mailboxes than the plan allows.
  const most = Math.max(allowance.inboxes, doc?.inboxes ?? 0)
  const mailboxes = await listMailboxes(ctx.store, { accountId, only: null, before: null, limit: most })
  const used = await storageUsed(
    ctx.store,
    mailboxes.map(({ _id }) => _id),
  )
  const { monthStart, monthEnd } = periodsOf(ctx.clock.now())
  const sent = month('sent')
  return {
    plan: account.plan,
    agentsPlan: account.agentsPlan,
    period: { from: monthStart, to: monthEnd },
    sends: { used: sent, limit: allowance.sendsPerMonth, remaining: Math.max(0, allowance.sendsPerMonth - sent) },
    emails: {
      sent,
      received: month('received'),
      limit: allowance.emailsPerMonth,
      grace: allowance.emailsPerMonth === null ? null : withGrace(allowance.emailsPerMonth),
    },
    inboxes: { used: doc?.inboxes ?? 0, limit: allowance.inboxes },
    storage: {
      usedBytes: [...used.values()].reduce((sum, bytes) => sum + bytes, inDrive),
      limitBytes: allowance.storagePerInboxBytes * allowance.inboxes,
    },
    requestsPerMinute: allowance.requestsPerMinute,
    batch: { recipientsPerCall: allowance.batchRecipientsPerCall, recipientsPerMinute: allowance.recipientsPerMinute },
    webhooks: { used: doc?.webhooks ?? 0, limit: allowance.webhookEndpoints },
    marketing: { limit: allowance.marketingSendsPerMonth },
    lens: lensUsage(month(lensRuns), allowance.lensPerMonth),
    eventsDropped: month('eventsDropped'),
  }
}

const lensUsage = (used: number, limit: number) => ({ used, limit, extra: Math.max(0, used - limit) })

const claimUrl = (ctx: Context, token: string) => `${ctx.baseUrl}/claim/${token}`

/**
 * Takes the wanted name for the account, or a free random one: `agent-` plus five characters (interface.md, Endpoints).
 * Returns the name. Fails with `conflict`, `unavailable`.
 */
async function takeName(ctx: Context, accountId: string, wanted: string | undefined): Promise<string> {
  const { sharedDomain } = ctx.settings
  if (wanted !== undefined) {
    if (await takeSubdomain(ctx, { domain: `${wanted}.${sharedDomain}`, accountId })) return wanted
    throw new Failure('conflict', `The name "${wanted}" is already in use.`, { fix: chooseAnother })
  }
  for (let tries = 0; tries < randomNameTriesMax; tries++) {
    const name = `agent-${randomName(5)}`
    if (await takeSubdomain(ctx, { domain: `${name}.${sharedDomain}`, accountId })) return name
  }
  throw new Failure('unavailable', 'No free name was found; please try again.', { retryAfter: 1 })
}

const chooseAnother = 'Choose another "name", or leave it out and get a free one.'

const alreadyClaimed = () =>
  new Failure('conflict', 'The account is already claimed.', {
    fix: 'Ask its owner instead: a claimed account has no claim links.',
  })

export const unknownClaimLink = () =>
  new Failure('not_found', 'This claim link is unknown, was used or replaced by a newer one, or has expired.', {
    fix: 'Make a fresh link with the key of the inbox: POST /api/v1/account/claim.',
  })

function randomName(length: number): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}

/**
 * Counts a signup against the daily limits of the IP address, its network and the whole service (interface.md,
 * Endpoints). Fails with `rate_limited` or `unavailable`, and then counts nothing.
 */
async function countSignup(ctx: Context, address: string): Promise<void> {
  const { perAddressPerDay, perNetworkPerDay, perDay } = ctx.settings.signup
  const now = ctx.clock.now()
  const retryAfter = secondsUntil(now, periodsOf(now).dayEnd)
  const limits = [
    {
      owner: `signup:${address}`,
      limit: perAddressPerDay,
      refusal: () => new Failure('rate_limited', 'Too many signups from your IP address today.', { retryAfter }),
    },
    {
      owner: `signup:${networkOf(address)}`,
      limit: perNetworkPerDay,
      refusal: () => new Failure('rate_limited', 'Too many signups from your network today.', { retryAfter }),
    },
    {
      owner: 'signup',
      limit: perDay,
      refusal: () => new Failure('unavailable', 'The service accepts no more signups today.', { retryAfter }),
    },
  ]
  const counter = 'signups'
  for (const [n, { owner, limit, refusal }] of limits.entries()) {
    if (await takeUsage(ctx, { owner, period: 'day', counter, by: 1, limit, at: now })) continue
    for (const earlier of limits.slice(0, n))
      await giveBackUsage(ctx, { owner: earlier.owner, period: 'day', counter, by: 1, at: now })
    throw refusal()
  }
}
