/**
 * The cache of recipient addresses. Known addresses are cached for a moment and dropped when a change note names them;
 * unknown addresses are never cached, so that a new mailbox receives mail at once.
 */
import { splitAddress, withoutTag } from '../../mail/message/address.ts'
import type { MailboxLists } from '../../schemas/mailboxes.ts'
import { mailboxFull } from '../../schemas/refusals.ts'
import type { AddressDoc, Lesson } from '../../store/documents/mail.ts'
import type { ReportedDomain } from '../deliverability/report-arrivals.ts'
import { catchAllOf } from '../mailbox/aliases.ts'
import { onAddressesChanged } from '../mailbox/known-mailboxes.ts'
import { minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'

export type RecipientMailbox = {
  readonly mailboxId: string
  readonly accountId: string
  readonly address: string
  readonly inboxId: string
  readonly spamId: string
  /** Names of the owner: the account's name and the display name of the mailbox. */
  readonly names: readonly string[]
  readonly lessons: readonly Lesson[]
  /** Whether it has an automatic reply that is turned on. */
  readonly autoReplies: boolean
  /** The storage that the plan of its account allows. */
  readonly storageBytes: number
} & Pick<MailboxLists, 'receiveAllow' | 'receiveBlock'>

/** An address of ours (canonical, with its tag) and the mailboxes that receive its mail. */
export type Recipient = {
  readonly address: string
  readonly mailboxes: readonly RecipientMailbox[]
  /** Set when the address is a return path of ours: the recipient, number `n`, of the send that the mail is about. */
  readonly returnPath?: { readonly emailId: string; readonly n: number }
  /** Set when it is the report address of a domain of ours, which has no mailbox. */
  readonly reportsAbout?: ReportedDomain
  /** Set when it is a check address: its id. */
  readonly checkId?: string
}

/** The account that an address belongs to, and the mailboxes that receive its mail. */
export type Owner = Pick<AddressDoc, 'accountId' | 'mailboxIds'>

/**
 * A mailbox without the fields that come from its account. `usedBytes` is the storage in use when the mailbox was read, plus what
 * this process has stored in it since. After a change note the next transaction reads the mailbox again; transactions under way
 * still count against the entry that was read last.
 */
export type KnownMailbox = {
  readonly mailbox: Omit<RecipientMailbox, 'names' | 'storageBytes'>
  readonly displayName: string | null
  usedBytes: number
}

/** How long a mailbox that was read counts as current: no change note says what other processes store in it. */
const freshMs = 2 * secondMs
const storageKnownMs = 10 * minuteMs
const keptMax = 50_000

/** The cache. It forgets what this process changes at once, and what other processes change when their change note arrives. */
export const recipientsOf = perProcess((process) => {
  const { clock } = process
  const cache = {
    /** By canonical address. */
    owners: createKnown<Owner>(clock, { max: keptMax }),
    /** By account and mailbox id, since a mailbox can have many addresses (aliases, tags, a catch-all). */
    mailboxes: createKnown<KnownMailbox>(clock, { max: keptMax, staleMs: freshMs }),
    /** By mailbox id, as last read. Kept longer than `freshMs`, so that a slow transaction still counts against the storage. */
    rooms: createKept<KnownMailbox>(clock, { max: keptMax, ttlMs: storageKnownMs }),
    /** By mailbox id: bytes of messages that are being written now. */
    pendingBytes: new Map<string, number>(),
  }
  onAddressesChanged(process, (addresses) => {
    const changed = new Set(addresses)
    cache.mailboxes.forget((_, { mailbox }) => changed.has(mailbox.address))
    cache.owners.forget((address) => isAffected(address, changed))
  })
  return cache
})

/**
 * Takes storage for a message that is about to be written, so that of several written at once only the last may pass
 * the limit. Returns a function that gives it back. Fails with `unprocessable` (452 4.2.2) when a mailbox has become
 * full since RCPT.
 */
export function takeStorage(
  ctx: Context,
  mailboxes: readonly Pick<RecipientMailbox, 'mailboxId' | 'address' | 'storageBytes'>[],
  sizeBytes: number,
): () => void {
  const { rooms, pendingBytes } = recipientsOf(ctx)
  const full = mailboxes.find(({ mailboxId, storageBytes }) => {
    const used = rooms.get(mailboxId)?.usedBytes
    return used !== undefined && used + (pendingBytes.get(mailboxId) ?? 0) >= storageBytes
  })
  if (full !== undefined) throw mailboxFull(full.address)
  const add = (mailboxId: string, bytes: number) => {
    const sum = (pendingBytes.get(mailboxId) ?? 0) + bytes
    if (sum === 0) pendingBytes.delete(mailboxId)
    else pendingBytes.set(mailboxId, sum)
  }
  for (const { mailboxId } of mailboxes) add(mailboxId, sizeBytes)
  return () => {
    for (const { mailboxId } of mailboxes) add(mailboxId, -sizeBytes)
  }
}

/** Adds a message that was just stored to the storage that its mailbox uses. */
export function spendStorage(ctx: Context, mailboxId: string, sizeBytes: number): void {
  const known = recipientsOf(ctx).rooms.get(mailboxId)
  if (known !== undefined) known.usedBytes += sizeBytes
}

/**
 * Whether a cached address may be outdated: the address itself, the address without its tag, or the catch-all of its
 * domain has changed.
 */
function isAffected(address: string, changed: ReadonlySet<string>): boolean {
  const { base } = withoutTag(address)
  return changed.has(address) || changed.has(base) || changed.has(catchAllOf(splitAddress(base).domain))
}
