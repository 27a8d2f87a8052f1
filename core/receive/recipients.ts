/** Finds the mailboxes that receive mail to an address. */
import { normaliseAddress, splitAddress, withoutTag } from '../../mail/message/address.ts'
import { refusalIn } from '../../schemas/account-states.ts'
import { Failure } from '../../schemas/failures.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import { mailboxFull } from '../../schemas/refusals.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'
import { findDomain } from '../../store/domains.ts'
import { findEmailById } from '../../store/emails.ts'
import { findFoldersOf } from '../../store/folders.ts'
import { findAddresses, findMailboxes, findOldestMailbox } from '../../store/mailboxes.ts'
import { statesOf } from '../access/account-record.ts'
import { accountById } from '../access/known-callers.ts'
import { readCheckAddress } from '../deliverability/check-mailbox.ts'
import { readReportAddress } from '../deliverability/report-address.ts'
import { catchAllOf } from '../mailbox/aliases.ts'
import { recentDomain } from '../mailbox/domains.ts'
import { listsOf } from '../mailbox/sender-lists.ts'
import type { Context } from '../process/context.ts'
import {
  type KnownMailbox,
  type Owner,
  type Recipient,
  type RecipientMailbox,
  recipientsOf,
} from './recipient-cache.ts'
import { type ReturnPath, readReturnPath } from './return-path.ts'

export type { Recipient, RecipientMailbox } from './recipient-cache.ts'

/** Addresses that every domain must accept (RFC 5321 4.5.1, RFC 2142). */
export const roleNames: ReadonlySet<string> = new Set(['postmaster', 'abuse'])

/**
 * Finds the mailboxes of an address, each with storage for a message of `sizeBytes` (0: size not known). Fails with
 * `mailbox_not_found` (550 5.1.1), or `unprocessable` (452 4.2.2) when one of the mailboxes is full: the sender then
 * retries, so that no mailbox misses mail that others got (decisions.md 3, Storage).
 */
export async function findRecipient(ctx: Context, address: string, sizeBytes = 0): Promise<Recipient> {
  const canonical = normaliseAddress(
    address.toLowerCase() === 'postmaster' ? `postmaster@${ctx.settings.sharedDomain}` : address,
  )
  if (canonical === null) throw new Failure('mailbox_not_found', 'The recipient is not a valid email address.')
  const returnPath = readReturnPath(ctx, canonical)
  if (returnPath === 'forged')
    throw new Failure('mailbox_not_found', `${canonical} is not a return path of this server.`)
  if (returnPath !== null) return findOriginalSender(ctx, canonical, returnPath)
  const reported = readReportAddress(ctx, canonical)
  if (reported !== null) return findReported(ctx, canonical, reported)
  const checkId = readCheckAddress(ctx, canonical)
  if (checkId !== null) return { address: canonical, mailboxes: [], checkId }
  const owner = await recipientsOf(ctx).owners.find(canonical, (addresses) => findOwners(ctx, addresses))
  const receiving = owner === undefined ? [] : await findReceiving(ctx, owner)
  if (receiving.length === 0) throw new Failure('mailbox_not_found', `There is no mailbox ${canonical}.`)
  if (receiving.some(({ freeBytes }) => freeBytes <= 0 || sizeBytes > freeBytes)) throw mailboxFull(canonical)
  return { address: canonical, mailboxes: receiving.map(({ mailbox }) => mailbox) }
}

/**
 * The recipient behind a return path. Mail to it that is not a report goes to the mailbox that sent the original, if that
 * mailbox exists and can receive mail.
 */
async function findOriginalSender(ctx: Context, address: string, returnPath: ReturnPath): Promise<Recipient> {
  const sent = await findEmailById(ctx.store, returnPath.emailId)
  if (sent?.recipients[returnPath.n] === undefined)
    throw new Failure('mailbox_not_found', `${address} is not the return path of any mail that was sent.`)
  const sender = sent.mailbox === null ? null : await findRecipient(ctx, sent.mailbox).catch(nullForFailure)
  return { address, mailboxes: sender?.mailboxes ?? [], returnPath }
}

/** The recipient of reports about a domain. Fails with `mailbox_not_found` when the domain is not one of ours. */
async function findReported(ctx: Context, address: string, domain: string): Promise<Recipient> {
  const found = await recentDomain(ctx, domain)
  if (found === null || found.status === 'removed')
    throw new Failure('mailbox_not_found', `${domain} is not a domain of this server.`)
  return { address, mailboxes: [], reportsAbout: { domain, accountId: found.accountId } }
}

function nullForFailure(error: unknown): null {
  if (error instanceof Failure) return null
  throw error
}

type MailboxRef = { readonly accountId: string; readonly mailboxId: string }

type Receiving = { readonly mailbox: RecipientMailbox; readonly freeBytes: number }

/** The mailboxes behind an address that can receive mail: none while the state of their account forbids it. */
async function findReceiving(ctx: Context, { accountId, mailboxIds }: Owner): Promise<readonly Receiving[]> {
  const { mailboxes, rooms } = recipientsOf(ctx)
  const load = async (keys: readonly string[]) => {
    const read = await readMailboxes(ctx, keys.map(refIn))
    for (const known of read) rooms.set(known.mailbox.mailboxId, known)
    return new Map(read.map((known) => [keyOf(known.mailbox), known]))
  }
  const [account, ...found] = await Promise.all([
    accountById(ctx, accountId),
    ...mailboxIds.map((mailboxId) => mailboxes.find(keyOf({ accountId, mailboxId }), load)),
  ])
  if (account === undefined || refusalIn(statesOf(account), 'receive') !== null) return []
  return found.flatMap((known) => (known === undefined ? [] : [receivingOf(known, account)]))
}

function receivingOf({ mailbox, displayName, usedBytes }: KnownMailbox, account: AccountDoc): Receiving {
  const storageBytes = allowanceOf(account).storagePerInboxBytes
  const names = displayName === null ? [account.name] : [account.name, displayName]
  return { mailbox: { ...mailbox, names, storageBytes }, freeBytes: storageBytes - usedBytes }
}

const keyOf = ({ accountId, mailboxId }: MailboxRef) => `${accountId} ${mailboxId}`

function refIn(key: string): MailboxRef {
  const [accountId = '', mailboxId = ''] = key.split(' ')
  return { accountId, mailboxId }
}

async function readMailboxes(ctx: Context, refs: readonly MailboxRef[]): Promise<KnownMailbox[]> {
  const [mailboxes, folders] = await Promise.all([
    findMailboxes(ctx.store, refs),
    findFoldersOf(
      ctx.store,
      refs.map(({ mailboxId }) => mailboxId),
    ),
  ])
  const foldersOf = Map.groupBy(folders, ({ mailboxId }) => mailboxId)
  return mailboxes.flatMap((doc) => {
    const { _id: mailboxId, accountId, address, displayName, lessons = [] } = doc
    const own = foldersOf.get(mailboxId) ?? []
    const inboxId = own.find(({ role }) => role === 'inbox')?._id
    const spamId = own.find(({ role }) => role === 'spam')?._id ?? inboxId
    if (inboxId === undefined || spamId === undefined) return []
    const usedBytes = own.reduce((sum, { bytes }) => sum + bytes, 0)
    const { receiveAllow, receiveBlock } = listsOf(doc)
    const autoReplies = doc.autoReply?.enabled === true
    const mailbox = { mailboxId, accountId, address, inboxId, spamId, receiveAllow, receiveBlock, lessons, autoReplies }
    return [{ mailbox, displayName, usedBytes }]
  })
}

/**
 * Finds the owner of each address. An exact match (mailbox or alias) wins over the address without its tag, which wins
 * over a catch-all. postmaster and abuse always exist and never belong to a catch-all (decisions.md 1, Addresses; 3,
 * Unknown recipient).
 */
async function findOwners(ctx: Context, addresses: readonly string[]): Promise<ReadonlyMap<string, Owner>> {
  const wanted = addresses.map((address) => {
    const { base } = withoutTag(address)
    const { local, domain } = splitAddress(base)
    const isRole = roleNames.has(local)
    return { address, domain, isRole, candidates: [address, base, ...(isRole ? [] : [catchAllOf(domain)])] }
  })
  const found = await findAddresses(ctx.store, [...new Set(wanted.flatMap(({ candidates }) => candidates))])
  const byAddress = new Map(found.map((doc) => [doc._id, doc]))
  const owners = new Map<string, Owner>()
  for (const { address, domain, isRole, candidates } of wanted) {
    const match = candidates.map((candidate) => byAddress.get(candidate)).find((doc) => doc !== undefined)
    const owner = match ?? (isRole ? await roleOwner(ctx, domain) : null)
    if (owner !== null) owners.set(address, owner)
  }
  return owners
}

/**
 * The owner of postmaster and abuse at a domain without such a mailbox or alias: the oldest mailbox of its account, or
 * the postmaster of the service for the shared domain.
 */
async function roleOwner(ctx: Context, domain: string): Promise<Owner | null> {
  const found = await findDomain(ctx.store, domain)
  if (found === null || found.status === 'removed') return null
  if (found.accountId === null) return postmasterOf(ctx)
  const first = await findOldestMailbox(ctx.store, found.accountId)
  return first === null ? null : { accountId: first.accountId, mailboxIds: [first._id] }
}

async function postmasterOf(ctx: Context): Promise<Owner | null> {
  const wanted = normaliseAddress(ctx.settings.postmaster ?? `postmaster@${ctx.settings.sharedDomain}`)
  const [address] = wanted === null ? [] : await findAddresses(ctx.store, [wanted])
  return address ?? null
}
