/**
 * The cache of recipient addresses. Known addresses are cached for a moment and dropped when a change note names them;
 * unknown addresses are never cached, so that a new mailbox receives mail at once.
 */
import { splitAddress, withoutTag } from '../../mail/message/address.ts'
import type { MailboxLists } from '../../schemas/mailboxes.ts'
import { mailboxFull } from '../../schemas/refusals.ts'
import type { Lesson } from '../../store/documents/mail.ts'
import type { ReportedDomain } from '../deliverability/report-arrivals.ts'
import { catchAllOf } from '../mailbox/aliases.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import { minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept, type Kept } from '../process/kept.ts'
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

/**
 * A mailbox that receives mail. `freeBytes` is its free storage when it was read, less what this process stored there
 * since. What is told to have changed is read again for the next transaction; those under way still count against what was
 * free.
 */
export type KnownMailbox = { readonly mailbox: RecipientMailbox; freeBytes: number; readAt: Date }

export type KnownRecipient = { readonly recipient: Recipient; readonly knownMailboxes: readonly KnownMailbox[] }

/** How long what was read of an address or a mailbox is taken for true. */
const freshMs = 2 * secondMs
const storageKnownMs = 10 * minuteMs
const keptMax = 50_000

type Caches = { readonly recipients: Kept<KnownRecipient>; readonly mailboxes: Kept<KnownMailbox> }

/** The cache; change notes remove what other processes change. */
export const recipientsOf = perProcess(({ changes, clock }) => {
  const cache = {
    /** By canonical address. */
    recipients: createKept<KnownRecipient>(clock, { max: keptMax, ttlMs: freshMs }),
    /**
     * By mailbox id, since a mailbox can have many addresses (aliases, tags, a catch-all). Kept for longer than what was read
     * is fresh: a slow transaction still counts against its storage.
     */
    mailboxes: createKept<KnownMailbox>(clock, { max: keptMax, ttlMs: storageKnownMs }),
    /** By mailbox id: bytes of messages that are being written now. */
    pendingBytes: new Map<string, number>(),
    /** Reads addresses that are not cached. */
    find: createBatchedLookup<KnownRecipient>(),
  }
  changes.listen((note) => {
    if (note.kind === 'callers') return forgetAccounts(cache, new Set(note.accountIds))
    if (note.kind !== 'address') return
    outdate(cache.mailboxes, () => true)
    const changed = new Set(note.addresses)
    for (const known of cache.recipients.keys()) if (isAffected(known, changed)) cache.recipients.delete(known)
  })
  return cache
})

/** Forgets the mailboxes of accounts that changed: their plan says how much storage is free. */
function forgetAccounts({ recipients, mailboxes }: Caches, accountIds: ReadonlySet<string>): void {
  if (accountIds.size === 0) return
  const isOf = ({ mailbox }: KnownMailbox) => accountIds.has(mailbox.accountId)
  outdate(mailboxes, isOf)
  for (const address of [...recipients.keys()])
    if (recipients.get(address)?.knownMailboxes.some(isOf)) recipients.delete(address)
}

/** Lets mailboxes be read again. */
function outdate(mailboxes: Kept<KnownMailbox>, hasChanged: (known: KnownMailbox) => boolean): void {
  for (const id of mailboxes.keys()) {
    const known = mailboxes.get(id)
    if (known !== undefined && hasChanged(known)) known.readAt = new Date(0)
  }
}

/** Milliseconds for which a mailbox that was read may still be used; 0 or less: it must be read again. */
export function freshMsLeft(ctx: Context, { readAt }: KnownMailbox): number {
  return readAt.getTime() + freshMs - ctx.clock.now().getTime()
}

/**
 * Takes storage for a message that is about to be written, so that of several written at once only the last may pass
 * the limit. Returns a function that gives it back. Fails with `unprocessable` (452 4.2.2) when a mailbox has become
 * full since RCPT.
 */
export function takeStorage(
  ctx: Context,
  mailboxes: readonly Pick<RecipientMailbox, 'mailboxId' | 'address'>[],
  sizeBytes: number,
): () => void {
  const { mailboxes: known, pendingBytes } = recipientsOf(ctx)
  const full = mailboxes.find(({ mailboxId }) => {
    const free = known.get(mailboxId)?.freeBytes
    return free !== undefined && free <= (pendingBytes.get(mailboxId) ?? 0)
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

/** Subtracts a message that was just stored from the free storage of its mailbox. */
export function spendStorage(ctx: Context, mailboxId: string, sizeBytes: number): void {
  const known = recipientsOf(ctx).mailboxes.get(mailboxId)
  if (known !== undefined) known.freeBytes -= sizeBytes
}

/**
 * Whether a cached address may be outdated: it changed itself, or the address without its tag, or the catch-all of its
 * domain did.
 */
function isAffected(address: string, changed: ReadonlySet<string>): boolean {
  const { base } = withoutTag(address)
  return changed.has(address) || changed.has(base) || changed.has(catchAllOf(splitAddress(base).domain))
}
