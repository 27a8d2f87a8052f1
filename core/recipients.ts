/** Who gets mail to an address. */
import { normaliseAddress, splitAddress, withoutTag } from '../mail/address.ts'
import { Failure } from '../schemas/failures.ts'
import { allowanceOf } from '../schemas/plans.ts'
import { findAccounts } from '../store/accounts.ts'
import type { AddressDoc } from '../store/documents/mail.ts'
import { findFoldersOf } from '../store/folders.ts'
import { findAddresses, findDomain, findMailboxes, firstMailbox } from '../store/mailboxes.ts'
import type { Context } from './context.ts'
import type { KnownMailbox, KnownRecipient, Recipient } from './recipient-cache.ts'

export type { Recipient, RecipientMailbox } from './recipient-cache.ts'

const keptMs = 2_000
const knownMax = 50_000
/** Every domain receives mail for these (RFC 5321 4.5.1, RFC 2142). */
const roleNames = new Set(['postmaster', 'abuse'])

/**
 * The mailboxes behind an address, with room for a message of `sizeBytes` (0: not said). Fails with `mailbox_not_found`
 * (550 5.1.1), or `unprocessable` (452 4.2.2) when the mailbox is full: senders then retry (decisions.md 3, Storage).
 */
export async function findRecipient(ctx: Context, address: string, sizeBytes = 0): Promise<Recipient> {
  const canonical = normaliseAddress(
    address.toLowerCase() === 'postmaster' ? `postmaster@${ctx.settings.sharedDomain}` : address,
  )
  if (canonical === null) throw new Failure('mailbox_not_found', 'That is not a mail address.')
  const { known, ask } = ctx.recipients
  let found = known.get(canonical)
  if (found === undefined || found.until <= Date.now()) {
    found = await ask(canonical, (addresses) => lookUp(ctx, addresses))
    if (found === undefined) throw new Failure('mailbox_not_found', `No mailbox has the address ${canonical}.`)
    if (known.size >= knownMax) known.clear()
    known.set(canonical, found)
  }
  if (found.freeBytes <= 0 || sizeBytes > found.freeBytes)
    throw new Failure('unprocessable', `The mailbox ${found.recipient.address} is full.`)
  return found.recipient
}

type Owner = Pick<AddressDoc, 'accountId' | 'mailboxId'>

/** The recipients behind canonical addresses, in at most four round trips whatever their number. */
async function lookUp(ctx: Context, addresses: readonly string[]): Promise<ReadonlyMap<string, KnownRecipient>> {
  const owners = await resolve(ctx, addresses)
  const mailboxes = await receiving(ctx, [...owners.values()])
  const found = new Map<string, KnownRecipient>()
  for (const [address, { mailboxId }] of owners) {
    const known = mailboxes.get(mailboxId)
    if (known === undefined) continue
    const { mailbox, freeBytes, until } = known
    found.set(address, { recipient: { address, mailboxes: [mailbox] }, freeBytes, until })
  }
  return found
}

/** Those of the mailboxes that receive, by id. */
async function receiving(ctx: Context, owners: readonly Owner[]): Promise<ReadonlyMap<string, KnownMailbox>> {
  const { mailboxes: known } = ctx.recipients
  const found = new Map<string, KnownMailbox>()
  const unknown = new Map<string, Owner>()
  const now = Date.now()
  for (const owner of owners) {
    const mailbox = known.get(owner.mailboxId)
    if (mailbox !== undefined && mailbox.until > now) found.set(owner.mailboxId, mailbox)
    else unknown.set(owner.mailboxId, owner)
  }
  if (unknown.size === 0) return found
  const read = await readMailboxes(ctx, [...unknown.values()])
  if (known.size + read.length > knownMax) known.clear()
  for (const mailbox of read) {
    known.set(mailbox.mailbox.mailboxId, mailbox)
    found.set(mailbox.mailbox.mailboxId, mailbox)
  }
  return found
}

async function readMailboxes(ctx: Context, owners: readonly Owner[]): Promise<KnownMailbox[]> {
  const until = Date.now() + keptMs
  const [mailboxes, accounts, folders] = await Promise.all([
    findMailboxes(ctx.store, owners),
    findAccounts(ctx.store, [...new Set(owners.map(({ accountId }) => accountId))]),
    findFoldersOf(
      ctx.store,
      owners.map(({ mailboxId }) => mailboxId),
    ),
  ])
  const accountOf = new Map(accounts.map((account) => [account._id, account]))
  const foldersOf = Map.groupBy(folders, ({ mailboxId }) => mailboxId)
  return mailboxes.flatMap(({ _id: mailboxId, accountId, address }) => {
    const account = accountOf.get(accountId)
    const own = foldersOf.get(mailboxId) ?? []
    const inbox = own.find(({ role }) => role === 'inbox')
    if (account === undefined || account.status === 'removed' || inbox === undefined) return []
    const usedBytes = own.reduce((sum, { bytes }) => sum + bytes, 0)
    const freeBytes = allowanceOf(account).storagePerInboxBytes - usedBytes
    return [{ mailbox: { mailboxId, accountId, address, inboxId: inbox._id }, freeBytes, until }]
  })
}

/** Who has which address: an exact one beats plus, plus beats a catch-all; postmaster and abuse always exist (decisions.md 3). */
async function resolve(ctx: Context, addresses: readonly string[]): Promise<ReadonlyMap<string, Owner>> {
  const wanted = addresses.map((address) => {
    const { base } = withoutTag(address)
    const { local, domain } = splitAddress(base)
    return { address, local, domain, candidates: [address, base, `*@${domain}`] }
  })
  const found = await findAddresses(ctx.store, [...new Set(wanted.flatMap(({ candidates }) => candidates))])
  const byAddress = new Map(found.map((doc) => [doc._id, doc]))
  const owners = new Map<string, Owner>()
  for (const { address, local, domain, candidates } of wanted) {
    const best = candidates.map((candidate) => byAddress.get(candidate)).find((doc) => doc !== undefined)
    const usable = best !== undefined && (best.kind !== 'catchAll' || !roleNames.has(local))
    const owner = usable ? best : roleNames.has(local) ? await roleOwner(ctx, domain) : null
    if (owner !== null) owners.set(address, owner)
  }
  return owners
}

/** Who gets the mail to postmaster and abuse of a domain that has no such mailbox. */
async function roleOwner(ctx: Context, domain: string): Promise<Owner | null> {
  const found = await findDomain(ctx.store, domain)
  if (found === null || found.status === 'removed') return null
  if (found.accountId === null) return postmasterOf(ctx)
  const first = await firstMailbox(ctx.store, found.accountId)
  return first === null ? null : { accountId: first.accountId, mailboxId: first._id }
}

async function postmasterOf(ctx: Context): Promise<Owner | null> {
  const wanted = normaliseAddress(ctx.settings.postmaster ?? `postmaster@${ctx.settings.sharedDomain}`)
  const [address] = wanted === null ? [] : await findAddresses(ctx.store, [wanted])
  return address ?? null
}
