/**
 * The suppression list of an account: addresses that it no longer sends to. Permanent bounces and complaints are added
 * automatically; people add and remove others (decisions.md 2, Sending). An address that an agent key adds is suppressed
 * only for that key's own mail and for its mailboxes, since an agent reaches nothing else of the account.
 */
import { enhancedStatusOf } from '../../mail/encoding/enhanced-status.ts'
import { normaliseAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { notACursor, notAnAddress } from '../../schemas/refusals.ts'
import type { EmailDoc, EmailRecipient, SuppressionDoc, SuppressionReason } from '../../store/documents/sending.ts'
import { findMailboxesOfAccount } from '../../store/mailboxes.ts'
import * as store from '../../store/suppressions.ts'
import type { Page } from '../access/paging.ts'
import { type Principal, reaches } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'
import { isSimulated } from './simulator.ts'

export type Suppression = Omit<SuppressionDoc, '_id' | 'accountId' | 'only'> & {
  /** Addresses of the mailboxes that it applies to, as far as the key reaches them; null if it applies to all mail of the account. */
  readonly mailboxes: readonly string[] | null
}

/** A send to check: the mailbox that it is from and the key that makes it, each null if there is none. */
type Sending = { readonly accountId: string; readonly mailboxId: string | null; readonly keyId: string | null }

/** Finds which of the addresses are suppressed for a send, with the reason. Simulated recipients never are. */
export async function suppressedAmong(
  ctx: Context,
  sending: Sending,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, SuppressionReason>> {
  const { accountId } = sending
  const emails = addresses.filter((address) => !isSimulated(address))
  if (emails.length === 0) return new Map()
  const list = await suppressionList(ctx, accountId)
  const found = list
    ? emails.flatMap((email) => list.get(email) ?? [])
    : await store.findSuppressions(ctx.store, { accountId, emails })
  return new Map(found.flatMap((doc) => (holdsFor(doc, sending) ? [[doc.email, doc.reason]] : [])))
}

function holdsFor({ only }: SuppressionDoc, { mailboxId, keyId }: Omit<Sending, 'accountId'>): boolean {
  if (only === undefined) return true
  return (mailboxId !== null && only.mailboxIds.includes(mailboxId)) || (keyId !== null && only.keyIds.includes(keyId))
}

/** The suppressions of an account by address; false if there are too many to cache. */
type SuppressionList = ReadonlyMap<string, SuppressionDoc> | false

/** Longer lists are not cached. */
const listedMax = 1_000
/** Number of suppressions that take as much memory as the cached entry of an account without any. */
const listedPerAccount = 5

const knownSuppressions = perProcess(({ clock, changes }) => {
  const known = createKnown<SuppressionList>(clock, {
    weigh: (list) => 1 + (list === false ? 0 : list.size / listedPerAccount),
  })
  changes.listen((note) => {
    if (note.kind === 'suppressions') known.forget((accountId) => note.accountIds.includes(accountId))
  })
  return known
})

async function suppressionList(ctx: Context, accountId: string): Promise<SuppressionList> {
  return (await knownSuppressions(ctx).find(accountId, (ids) => readLists(ctx, ids))) ?? false
}

/** Reads the lists of accounts, in one query unless they are long together. */
async function readLists(ctx: Context, accountIds: readonly string[]): Promise<ReadonlyMap<string, SuppressionList>> {
  const limit = listedMax + 1
  const docs = await store.findSuppressionsOf(ctx.store, { accountIds, limit })
  if (docs.length < limit) {
    const byAccount = Map.groupBy(docs, ({ accountId }) => accountId)
    return new Map(accountIds.map((id) => [id, listOf(byAccount.get(id) ?? [])]))
  }
  if (accountIds.length === 1) return new Map([[accountIds[0]!, false]])
  const each = accountIds.map(async (id): Promise<[string, SuppressionList]> => {
    const own = await store.findSuppressionsOf(ctx.store, { accountIds: [id], limit })
    return [id, own.length < limit && listOf(own)]
  })
  return new Map(await Promise.all(each))
}

const listOf = (docs: readonly SuppressionDoc[]) => new Map(docs.map((doc) => [doc.email, doc]))

/** Announces that the suppressions of accounts changed. This process drops its cached lists at once. */
function suppressionsChanged(ctx: Context, accountIds: readonly string[]): void {
  knownSuppressions(ctx).forget((accountId) => accountIds.includes(accountId))
  ctx.changes.publish({ kind: 'suppressions', accountIds })
}

/** Adds recipients with a permanent bounce or a complaint. Safe to repeat. */
export async function suppressOutcomes(
  ctx: Context,
  outcomes: readonly { readonly email: EmailDoc; readonly recipient: EmailRecipient }[],
): Promise<void> {
  const rows = outcomes.flatMap(({ email: { accountId }, recipient }) => {
    const reason = suppressionReason(recipient)
    if (reason === null || isSimulated(recipient.email)) return []
    return [{ accountId, email: recipient.email, reason, detail: recipient.response, at: recipient.at }]
  })
  if (rows.length === 0) return
  await store.insertSuppressions(ctx.store, rows)
  suppressionsChanged(ctx, [...new Set(rows.map(({ accountId }) => accountId))])
}

/** Adds a recipient who unsubscribed from the mail of an account. Safe to repeat. */
export async function suppressUnsubscribed(
  ctx: Context,
  subscriber: { readonly accountId: string; readonly email: string },
): Promise<void> {
  const row = { ...subscriber, reason: 'unsubscribe' as const, detail: null, at: ctx.clock.now() }
  await store.insertSuppressions(ctx.store, [row])
  suppressionsChanged(ctx, [subscriber.accountId])
}

/**
 * Lists suppressions, newest first. An agent key sees those that apply to its mail. Fails with `validation_error` (cursor).
 */
export async function listSuppressions(
  ctx: Context,
  principal: Principal,
  { limit, before }: { limit: number; before?: string },
): Promise<Page<Suppression>> {
  const { accountId } = principal
  const rows = await store.listSuppressions(ctx.store, {
    accountId,
    agent: agentOf(principal),
    before: positionIn(before),
    limit: limit + 1,
  })
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return {
    items: await shown(ctx, principal, items),
    next: rows.length > limit && last !== undefined ? cursorOf(last) : null,
  }
}

/** Reads the suppression of an address. Fails with `validation_error`, `not_found`. */
export async function getSuppression(ctx: Context, principal: Principal, email: string): Promise<Suppression> {
  const address = addressOf(email)
  const { accountId } = principal
  const found = await store.findSuppressions(ctx.store, { accountId, emails: [address] })
  const [suppression] = await shown(
    ctx,
    principal,
    found.filter((doc) => isVisible(doc, agentOf(principal))),
  )
  if (suppression === undefined) throw notSuppressed(address)
  return suppression
}

/**
 * Adds an address to the list: for all mail of the account or, with an agent key, for its own. An address that is already listed
 * stays unchanged. Fails with `validation_error`.
 */
export async function addSuppression(ctx: Context, principal: Principal, email: string): Promise<Suppression> {
  const { accountId } = principal
  const address = addressOf(email)
  const row = { accountId, email: address, reason: 'manual' as const, detail: null, at: ctx.clock.now() }
  const agent = agentOf(principal)
  if (agent === null) await store.insertSuppressions(ctx.store, [row])
  else await store.insertAgentSuppression(ctx.store, row, agent)
  suppressionsChanged(ctx, [accountId])
  const [found = { _id: '', ...row }] = await store.findSuppressions(ctx.store, { accountId, emails: [address] })
  const [suppression] = await shown(ctx, principal, [found])
  return suppression!
}

/** The principal as an agent; null if it reaches the whole account. */
function agentOf({ keyId, mailboxIds }: Principal): store.Agent | null {
  return mailboxIds === null ? null : { keyId, mailboxIds }
}

/** Whether a suppression applies to any mail of an agent. */
function isVisible(doc: SuppressionDoc, agent: store.Agent | null): boolean {
  if (agent === null) return true
  return [null, ...agent.mailboxIds].some((mailboxId) => holdsFor(doc, { mailboxId, keyId: agent.keyId }))
}

/** Removes an address from the list; account keys only. Fails with `forbidden`, `validation_error`, `not_found`. */
export async function removeSuppression(ctx: Context, { accountId, kind }: Principal, email: string): Promise<void> {
  if (kind === 'agent')
    throw new Failure('forbidden', 'Only account keys may remove addresses from the suppression list.', {
      fix: 'Use an account key.',
    })
  const address = addressOf(email)
  if (!(await store.deleteSuppression(ctx.store, { accountId, email: address }))) throw notSuppressed(address)
  suppressionsChanged(ctx, [accountId])
}

/**
 * The reason for which an outcome suppresses the address; null if it does not. A refusal of this one message (RFC 3463: 5.2.2
 * full, 5.2.3 and 5.3.4 too large, 5.6 content, 5.7 policy), of its sender (5.1.7, 5.1.8) or because of mail routing (5.4.6 loop)
 * says nothing about further mail. Without such a code, 552 means that there is no room (RFC 5321 4.2.3).
 */
function suppressionReason({ status, reason, response, ofMail }: EmailRecipient): SuppressionReason | null {
  if (status === 'complained') return 'complaint'
  if (status !== 'bounced' || reason !== 'permanent' || ofMail === true) return null
  const said = enhancedStatusOf(response ?? '')
  if (said === null) return /^552/.test(response ?? '') ? null : 'bounce'
  return /^5\.(?:1\.[78]|2\.[23]|3\.\d+|4\.6|5\.\d+|6\.\d+|7\.\d+)$/.test(said) ? null : 'bounce'
}

function addressOf(email: string): string {
  const address = normaliseAddress(email)
  if (address === null) throw notAnAddress(email, 'email')
  return address
}

const notSuppressed = (address: string) =>
  new Failure('not_found', `${address} is not on the suppression list.`, {
    fix: 'Nothing needs to be removed: mail to this address is not held back. List the suppressions to see which addresses are.',
  })

/** Suppressions as a caller sees them: only those of their mailboxes are listed that the caller reaches. */
async function shown(
  ctx: Context,
  principal: Principal,
  docs: readonly SuppressionDoc[],
): Promise<readonly Suppression[]> {
  const ids = new Set(docs.flatMap(({ only }) => only?.mailboxIds ?? []).filter((id) => reaches(principal, id)))
  const mailboxes =
    ids.size === 0 ? [] : await findMailboxesOfAccount(ctx.store, { accountId: principal.accountId, ids: [...ids] })
  const addresses = new Map(mailboxes.map(({ _id, address }) => [_id, address]))
  return docs.map(({ email, reason, detail, at, only }) => ({
    email,
    reason,
    detail,
    at,
    mailboxes: only === undefined ? null : only.mailboxIds.flatMap((id) => addresses.get(id) ?? []).sort(),
  }))
}

/** The cursor of a page: the position of its last row in the index. */
function cursorOf({ at, _id }: SuppressionDoc): string {
  return Buffer.from(`${at.getTime()} ${_id}`).toString('base64url')
}

function positionIn(cursor: string | undefined): { at: Date; id: string } | null {
  if (cursor === undefined) return null
  const match = /^(\d{1,15}) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (match === null) throw notACursor('before')
  return { at: new Date(Number(match[1])), id: String(match[2]) }
}
