/**
 * What a process knows of addresses. Found recipients are kept for a moment and dropped when a change note names them;
 * unknown ones are never kept, so that a mailbox made a moment ago receives at once.
 */
import { splitAddress, withoutTag } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { MailboxLists } from '../../schemas/mailboxes.ts'
import type { Lesson } from '../../store/documents/mail.ts'
import { catchAllOf } from '../mailbox/aliases.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import { minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'

export type RecipientMailbox = {
  readonly mailboxId: string
  readonly accountId: string
  readonly address: string
  readonly inboxId: string
  readonly spamId: string
  /** What its owner is called: the account's name, the display name. */
  readonly names: readonly string[]
  readonly lessons: readonly Lesson[]
} & Pick<MailboxLists, 'receiveAllow' | 'receiveBlock'>

/** An address of ours: as it was given (canonical, tag kept) and the mailboxes it reaches. */
export type Recipient = {
  readonly address: string
  readonly mailboxes: readonly RecipientMailbox[]
  /** Of a return path: the recipient `n` of the send whose mail comes back. */
  readonly returned?: { readonly emailId: string; readonly n: number }
}

/** A mailbox that receives: what it has room for was known when it was read, less what this process put there since. */
export type KnownMailbox = { readonly mailbox: RecipientMailbox; freeBytes: number; readonly readAt: Date }

export type KnownRecipient = { readonly recipient: Recipient; readonly behind: readonly KnownMailbox[] }

/** How long what was read of an address or a mailbox is taken for true. */
const freshMs = 2 * secondMs
const storageKnownMs = 10 * minuteMs
const keptMax = 50_000

/** What this process knows of addresses; it forgets what others change. */
export const recipientsOf = perProcess(({ changes, clock }) => {
  const cache = {
    /** By canonical address. */
    recipients: createKept<KnownRecipient>(clock, { max: keptMax, ttlMs: freshMs }),
    /**
     * By mailbox id: a mailbox has many addresses (aliases, tags, a catch-all). Kept longer than it is fresh, for the storage
     * of messages whose transaction takes long.
     */
    mailboxes: createKept<KnownMailbox>(clock, { max: keptMax, ttlMs: storageKnownMs }),
    /** By mailbox id: bytes that are being written now. */
    underWay: new Map<string, number>(),
    /** Asks the store for addresses that are not known. */
    find: createBatchedLookup<KnownRecipient>(),
  }
  changes.listen((note) => {
    if (note.kind !== 'address') return
    cache.mailboxes.clear()
    const changed = new Set(note.addresses)
    for (const known of cache.recipients.keys()) if (isTouched(known, changed)) cache.recipients.delete(known)
  })
  return cache
})

/** How long what was read of a mailbox is still taken for true; not above 0 when it must be read again. */
export function freshMsLeft(ctx: Context, { readAt }: KnownMailbox): number {
  return readAt.getTime() + freshMs - ctx.clock.now().getTime()
}

/**
 * Takes storage for a message that is about to be written, so that of many at once only the last may go over the limit.
 * Returns a function that gives it back. Fails with `unprocessable` (452 4.2.2) when a mailbox has become full since it was
 * asked for.
 */
export function takeStorage(
  ctx: Context,
  mailboxes: readonly Pick<RecipientMailbox, 'mailboxId' | 'address'>[],
  sizeBytes: number,
): () => void {
  const { mailboxes: known, underWay } = recipientsOf(ctx)
  const full = mailboxes.find(({ mailboxId }) => {
    const free = known.get(mailboxId)?.freeBytes
    return free !== undefined && free <= (underWay.get(mailboxId) ?? 0)
  })
  if (full !== undefined) throw new Failure('unprocessable', `The mailbox ${full.address} is full.`)
  const add = (mailboxId: string, bytes: number) => {
    const sum = (underWay.get(mailboxId) ?? 0) + bytes
    if (sum === 0) underWay.delete(mailboxId)
    else underWay.set(mailboxId, sum)
  }
  for (const { mailboxId } of mailboxes) add(mailboxId, sizeBytes)
  return () => {
    for (const { mailboxId } of mailboxes) add(mailboxId, -sizeBytes)
  }
}

/** Counts a message that was just stored against the free storage of its mailbox, so that the next one finds less. */
export function spendStorage(ctx: Context, mailboxId: string, sizeBytes: number): void {
  const known = recipientsOf(ctx).mailboxes.get(mailboxId)
  if (known !== undefined) known.freeBytes -= sizeBytes
}

/** Whether an address may reach others now: it changed itself, or that without its tag, or its domain's catch-all. */
function isTouched(address: string, changed: ReadonlySet<string>): boolean {
  const { base } = withoutTag(address)
  return changed.has(address) || changed.has(base) || changed.has(catchAllOf(splitAddress(base).domain))
}
