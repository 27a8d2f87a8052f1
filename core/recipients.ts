/** Who gets mail to an address. */
import { normaliseAddress, splitAddress, withoutTag } from '../mail/address.ts'
import { Failure } from '../schemas/failures.ts'
import { allowanceOf } from '../schemas/plans.ts'
import { findAccount } from '../store/accounts.ts'
import type { AddressDoc } from '../store/documents.ts'
import { findFolders } from '../store/folders.ts'
import { findAddresses, findDomain, findMailbox, firstMailbox } from '../store/mailboxes.ts'
import type { Context } from './context.ts'
import type { KnownRecipient, Recipient } from './recipient-cache.ts'

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
  const { known, asked } = ctx.recipients
  const now = Date.now()
  let found = known.get(canonical)
  if (found === undefined || found.until <= now) {
    let asking = asked.get(canonical)
    if (asking === undefined) {
      asking = ask(ctx, canonical).finally(() => asked.delete(canonical))
      asked.set(canonical, asking)
    }
    found = await asking
    if (known.size >= knownMax) known.clear()
    known.set(canonical, found)
  }
  if (found.freeBytes <= 0 || sizeBytes > found.freeBytes)
    throw new Failure('unprocessable', `The mailbox ${found.recipient.address} is full.`)
  return found.recipient
}

async function ask(ctx: Context, canonical: string): Promise<KnownRecipient> {
  const { store } = ctx
  const address = await resolve(ctx, canonical)
  if (address === null) throw new Failure('mailbox_not_found', `No mailbox has the address ${canonical}.`)
  const [mailbox, account, folders] = await Promise.all([
    findMailbox(store, { accountId: address.accountId, mailboxId: address.mailboxId }),
    findAccount(store, address.accountId),
    findFolders(store, address.mailboxId),
  ])
  const inbox = folders.find(({ role }) => role === 'inbox')
  if (mailbox === null || account === null || account.status === 'removed' || inbox === undefined)
    throw new Failure('mailbox_not_found', `No mailbox has the address ${canonical}.`)
  const usedBytes = folders.reduce((sum, { bytes }) => sum + bytes, 0)
  return {
    recipient: {
      address: canonical,
      mailboxes: [
        { mailboxId: mailbox._id, accountId: mailbox.accountId, address: mailbox.address, inboxId: inbox._id },
      ],
    },
    freeBytes: allowanceOf(account).storagePerInboxBytes - usedBytes,
    until: Date.now() + keptMs,
  }
}

/** An exact address beats plus, plus beats a catch-all; postmaster and abuse always exist (decisions.md 3). */
async function resolve(ctx: Context, canonical: string): Promise<Pick<AddressDoc, 'accountId' | 'mailboxId'> | null> {
  const { base } = withoutTag(canonical)
  const { local, domain } = splitAddress(base)
  const found = await findAddresses(ctx.store, [canonical, base, `*@${domain}`])
  const best = [canonical, base, `*@${domain}`]
    .map((wanted) => found.find(({ _id }) => _id === wanted))
    .find((doc) => doc !== undefined)
  if (best !== undefined && (best.kind !== 'catchAll' || !roleNames.has(local))) return best
  if (!roleNames.has(local)) return null
  const owner = await findDomain(ctx.store, domain)
  if (owner === null || owner.status === 'removed') return null
  if (owner.accountId === null) return postmasterOf(ctx)
  const first = await firstMailbox(ctx.store, owner.accountId)
  return first === null ? null : { accountId: first.accountId, mailboxId: first._id }
}

async function postmasterOf(ctx: Context): Promise<Pick<AddressDoc, 'accountId' | 'mailboxId'> | null> {
  const wanted = normaliseAddress(ctx.settings.postmaster ?? `postmaster@${ctx.settings.sharedDomain}`)
  const [address] = wanted === null ? [] : await findAddresses(ctx.store, [wanted])
  return address ?? null
}
