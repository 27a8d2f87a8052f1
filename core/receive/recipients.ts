/** Who gets mail to an address. */
import { normaliseAddress, splitAddress, withoutTag } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import { findAccounts } from '../../store/accounts.ts'
import type { AddressDoc } from '../../store/documents/mail.ts'
import { findEmailById } from '../../store/emails.ts'
import { findFoldersOf } from '../../store/folders.ts'
import { findAddresses, findDomain, findMailboxes, findOldestMailbox } from '../../store/mailboxes.ts'
import { catchAllOf } from '../mailbox/aliases.ts'
import { listsOf } from '../mailbox/sender-lists.ts'
import type { Context } from '../process/context.ts'
import { freshMsLeft, type KnownMailbox, type KnownRecipient, type Recipient, recipientsOf } from './recipient-cache.ts'
import { type Returned, readReturnPath } from './return-path.ts'

export type { Recipient, RecipientMailbox } from './recipient-cache.ts'

/** Every domain receives mail for these (RFC 5321 4.5.1, RFC 2142). */
export const roleNames: ReadonlySet<string> = new Set(['postmaster', 'abuse'])

/**
 * The mailboxes behind an address, each with room for a message of `sizeBytes` (0: not said). Fails with
 * `mailbox_not_found` (550 5.1.1), or `unprocessable` (452 4.2.2) when one of them is full: senders then retry, and nobody
 * misses what the others got (decisions.md 3, Storage).
 */
export async function findRecipient(ctx: Context, address: string, sizeBytes = 0): Promise<Recipient> {
  const canonical = normaliseAddress(
    address.toLowerCase() === 'postmaster' ? `postmaster@${ctx.settings.sharedDomain}` : address,
  )
  if (canonical === null) throw new Failure('mailbox_not_found', 'That is not a mail address.')
  const returned = readReturnPath(ctx, canonical)
  if (returned === 'forged') throw new Failure('mailbox_not_found', `Nothing was sent from ${canonical}.`)
  if (returned !== null) return findSenderOf(ctx, canonical, returned)
  const { recipients, find } = recipientsOf(ctx)
  let found = recipients.get(canonical)
  if (found === undefined) {
    found = await find(canonical, (addresses) => lookUp(ctx, addresses))
    if (found === undefined) throw new Failure('mailbox_not_found', `No mailbox has the address ${canonical}.`)
    recipients.set(canonical, found, Math.min(...found.behind.map((mailbox) => freshMsLeft(ctx, mailbox))))
  }
  if (found.behind.some(({ freeBytes }) => freeBytes <= 0 || sizeBytes > freeBytes))
    throw new Failure('unprocessable', `The mailbox ${found.recipient.address} is full.`)
  return found.recipient
}

/** Who gets what comes back to a return path and is no report: the mailbox that sent, if it has one and room. */
async function findSenderOf(ctx: Context, address: string, returned: Returned): Promise<Recipient> {
  const sent = await findEmailById(ctx.store, returned.emailId)
  if (sent?.recipients[returned.n] === undefined)
    throw new Failure('mailbox_not_found', `Nothing was sent from ${address}.`)
  const sender = sent.mailbox === null ? null : await findRecipient(ctx, sent.mailbox).catch(nobodyThere)
  return { address, mailboxes: sender?.mailboxes ?? [], returned }
}

function nobodyThere(error: unknown): null {
  if (error instanceof Failure) return null
  throw error
}

type Owner = Pick<AddressDoc, 'accountId' | 'mailboxIds'>
type MailboxRef = { readonly accountId: string; readonly mailboxId: string }

/** The recipients behind canonical addresses, in at most four round trips whatever their number. */
async function lookUp(ctx: Context, addresses: readonly string[]): Promise<ReadonlyMap<string, KnownRecipient>> {
  const owners = await resolve(ctx, addresses)
  const mailboxes = await receiving(ctx, [...owners.values()].flatMap(mailboxRefsOf))
  const found = new Map<string, KnownRecipient>()
  for (const [address, { mailboxIds }] of owners) {
    const behind = mailboxIds.flatMap((id) => mailboxes.get(id) ?? [])
    if (behind.length === 0) continue
    const recipient = { address, mailboxes: behind.map(({ mailbox }) => mailbox) }
    found.set(address, { recipient, behind })
  }
  return found
}

const mailboxRefsOf = ({ accountId, mailboxIds }: Owner): MailboxRef[] =>
  mailboxIds.map((mailboxId) => ({ accountId, mailboxId }))

/** Those of the mailboxes that receive, by id. */
async function receiving(ctx: Context, places: readonly MailboxRef[]): Promise<ReadonlyMap<string, KnownMailbox>> {
  const { mailboxes: known } = recipientsOf(ctx)
  const found = new Map<string, KnownMailbox>()
  const unknown = new Map<string, MailboxRef>()
  for (const place of places) {
    const mailbox = known.get(place.mailboxId)
    if (mailbox !== undefined && freshMsLeft(ctx, mailbox) > 0) found.set(place.mailboxId, mailbox)
    else unknown.set(place.mailboxId, place)
  }
  if (unknown.size === 0) return found
  const read = await readMailboxes(ctx, [...unknown.values()])
  for (const mailbox of read) {
    known.set(mailbox.mailbox.mailboxId, mailbox)
    found.set(mailbox.mailbox.mailboxId, mailbox)
  }
  return found
}

async function readMailboxes(ctx: Context, places: readonly MailboxRef[]): Promise<KnownMailbox[]> {
  const readAt = ctx.clock.now()
  const [mailboxes, accounts, folders] = await Promise.all([
    findMailboxes(ctx.store, places),
    findAccounts(ctx.store, [...new Set(places.map(({ accountId }) => accountId))]),
    findFoldersOf(
      ctx.store,
      places.map(({ mailboxId }) => mailboxId),
    ),
  ])
  const accountOf = new Map(accounts.map((account) => [account._id, account]))
  const foldersOf = Map.groupBy(folders, ({ mailboxId }) => mailboxId)
  return mailboxes.flatMap((doc) => {
    const { _id: mailboxId, accountId, address, displayName, lessons = [] } = doc
    const account = accountOf.get(accountId)
    const own = foldersOf.get(mailboxId) ?? []
    const inboxId = own.find(({ role }) => role === 'inbox')?._id
    const spamId = own.find(({ role }) => role === 'spam')?._id ?? inboxId
    if (account === undefined || account.status === 'removed' || inboxId === undefined || spamId === undefined)
      return []
    const usedBytes = own.reduce((sum, { bytes }) => sum + bytes, 0)
    const freeBytes = allowanceOf(account).storagePerInboxBytes - usedBytes
    const names = [account.name, ...(displayName === null ? [] : [displayName])]
    const { receiveAllow, receiveBlock } = listsOf(doc)
    const mailbox = { mailboxId, accountId, address, inboxId, spamId, names, receiveAllow, receiveBlock, lessons }
    return [{ mailbox, freeBytes, readAt }]
  })
}

/**
 * Who has which address: an exact one (mailbox or alias) beats plus, plus beats a catch-all; postmaster and abuse always
 * exist and are nobody's by a catch-all (decisions.md 1, Addresses; 3, Unknown recipient).
 */
async function resolve(ctx: Context, addresses: readonly string[]): Promise<ReadonlyMap<string, Owner>> {
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
    const best = candidates.map((candidate) => byAddress.get(candidate)).find((doc) => doc !== undefined)
    const owner = best ?? (isRole ? await roleOwner(ctx, domain) : null)
    if (owner !== null) owners.set(address, owner)
  }
  return owners
}

/** Who gets the mail to postmaster and abuse of a domain that has no such mailbox. */
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
