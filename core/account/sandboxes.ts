/**
 * Sandboxes: each account can have one for tests (decisions.md 4, Sandbox). A sandbox is an account of its own, with its own mailboxes,
 * mail, limits, webhooks and clock; test keys act on it. Its id is derived from the account's, so that it is made once. It begins with
 * the plans and the state of the account, and keeps its own from then on.
 */
import { Failure } from '../../schemas/failures.ts'
import { deriveId } from '../../schemas/ids.ts'
import { unclaimedDays } from '../../schemas/plans.ts'
import * as store from '../../store/accounts.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import { listDomains } from '../../store/domains.ts'
import { isDuplicate } from '../../store/open.ts'
import { type Account, accountOf } from '../access/account-record.ts'
import { testKeyPrefix } from '../access/principal.ts'
import { mailboxAt } from '../mailbox/known-mailboxes.ts'
import { announceMailbox, mailboxOf, provisionMailbox } from '../mailbox/mailboxes.ts'
import { inTimeOf } from '../process/account-time.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { labelOf, sandboxLabel, takeFreeName } from './free-names.ts'
import { issueKey, type KeyRequest, type ListedKey } from './keys.ts'
import { firstWarmUp } from './reputation.ts'

const firstInbox = 'agent'
/** Sandboxes that an account may have one after the other: each was removed before the next was made. */
const sandboxesMax = 100

/**
 * Creates a key that acts on the sandbox of an account; the first key makes the sandbox. An agent key that names no mailboxes reaches
 * the first inbox. Returns the key in clear text, which is never shown again, and the sandbox's domain. Fails with `not_found` (no such
 * account), `forbidden` (the account is a sandbox itself), `conflict` (too many removed sandboxes), and as `issueKey` does for the
 * mailboxes of the sandbox.
 */
export async function issueTestKey(
  ctx: Context,
  account: Account,
  request: Omit<KeyRequest, 'prefix'>,
): Promise<{ apiKey: string; key: ListedKey; domain: string }> {
  const sandbox = await sandboxOf(ctx, account.id)
  const { domain, inbox } = await ensureAddress(ctx, sandbox)
  const named = request.mailboxes.length > 0 || request.kind === 'account' || inbox === undefined
  const mailboxes = named ? request.mailboxes : [inbox.address]
  const wanted = { ...request, mailboxes, prefix: testKeyPrefix }
  return { ...(await issueKey(inTimeOf(ctx, sandbox._id), accountOf(sandbox), wanted)), domain }
}

/** The current sandbox of an account, which is made if there is none. */
async function sandboxOf(ctx: Context, accountId: string): Promise<AccountDoc> {
  const account = await store.findAccount(ctx.store, accountId)
  if (account === null || account.status === 'removed')
    throw new Failure('not_found', `There is no account ${accountId}.`, {
      fix: 'Use an id from "mailroom account list" (acc_...).',
    })
  if (account.sandbox)
    throw new Failure('forbidden', `${accountId} is a sandbox, and a sandbox has none of its own.`, {
      fix: `Use the account that it belongs to: ${account.sandboxOf}.`,
    })
  for (let n = 0; n < sandboxesMax; n++) {
    const wanted = sandboxFor(ctx, account, n)
    const found = (await store.findAccount(ctx.store, wanted._id)) ?? (await insert(ctx, wanted))
    if (found.status !== 'removed') return found
  }
  throw new Failure('conflict', `${sandboxesMax} sandboxes of this account were removed already.`, {
    fix: 'Claim the account: the sandbox of a claimed account stays.',
  })
}

function sandboxFor(
  ctx: Context,
  { _id: sandboxOf, name, status, plan, agentsPlan, owner, warmUp }: AccountDoc,
  n: number,
): AccountDoc {
  const at = ctx.clock.now()
  return {
    _id: deriveId('acc', sandboxOf, `sandbox#${n}`),
    sandboxOf,
    sandbox: true,
    awaitsInbox: true,
    name: `${labelOf(name, 'sandbox')}.${sandboxLabel}`,
    status: status === 'unclaimed' ? 'unclaimed' : 'active',
    ...(status === 'unclaimed' && { claimExpiresAt: after(at, unclaimedDays * dayMs) }),
    ...(warmUp !== undefined && { warmUp: firstWarmUp(at) }),
    plan,
    agentsPlan,
    owner,
    createdAt: at,
    inboxes: 1,
    webhooks: 0,
    eventSeqFloor: 0,
    sendingPaused: null,
  }
}

async function insert(ctx: Context, sandbox: AccountDoc): Promise<AccountDoc> {
  try {
    await store.insertAccount(ctx.store, sandbox)
    return sandbox
  } catch (error) {
    if (!isDuplicate(error)) throw error
    return (await store.findAccount(ctx.store, sandbox._id)) ?? sandbox
  }
}

/**
 * The domain of a sandbox and its first inbox. They are made for the first key, or for a later one if a crash or an error kept them from
 * being made. The inbox may have been deleted since.
 */
async function ensureAddress(
  ctx: Context,
  sandbox: AccountDoc,
): Promise<{ domain: string; inbox: MailboxDoc | undefined }> {
  const accountId = sandbox._id
  const [own] = await listDomains(ctx.store, accountId)
  const domain = own?._id ?? (await takeName(ctx, sandbox))
  const address = `${firstInbox}@${domain}`
  if (sandbox.awaitsInbox !== true) return { domain, inbox: await mailboxAt(ctx, address) }
  const inbox = (await mailboxAt(ctx, address)) ?? (await makeInbox(ctx, { accountId, address }))
  if (inbox !== undefined) await announceMailbox(ctx, 'mailbox.created', await mailboxOf(ctx, inbox, sandbox))
  await store.noteFirstInbox(ctx.store, accountId)
  return { domain, inbox }
}

function takeName(ctx: Context, { _id: accountId, name }: AccountDoc): Promise<string> {
  const label = name.slice(0, name.lastIndexOf('.'))
  return takeFreeName(ctx, { accountId, label, parent: `${sandboxLabel}.${ctx.settings.sharedDomain}` })
}

/** Makes the first inbox; finds the one that another request made at the same time. */
async function makeInbox(
  ctx: Context,
  { accountId, address }: { readonly accountId: string; readonly address: string },
): Promise<MailboxDoc | undefined> {
  try {
    return await provisionMailbox(ctx, { accountId, address, displayName: null, kind: 'agent', createdBy: null })
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'conflict') throw error
    return mailboxAt(ctx, address)
  }
}
