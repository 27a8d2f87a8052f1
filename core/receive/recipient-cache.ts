/**
 * What a process knows of addresses. Found recipients are kept for a moment and dropped when a change note names them;
 * unknown ones are never kept, so that a mailbox made a moment ago receives at once.
 */
import { splitAddress, withoutTag } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { MailboxLists } from '../../schemas/mailboxes.ts'
import type { ChangeFeed } from '../../store/changes.ts'
import type { Lesson } from '../../store/documents/mail.ts'
import { type Ask, createRounds } from '../process/batched-lookup.ts'

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

/** A mailbox that receives: what it has room for is known until `until`, less what this process put there meanwhile. */
export type KnownMailbox = { readonly mailbox: RecipientMailbox; freeBytes: number; readonly until: number }

export type KnownRecipient = {
  readonly recipient: Recipient
  readonly behind: readonly KnownMailbox[]
  readonly until: number
}

export type RecipientCache = {
  readonly known: Map<string, KnownRecipient>
  /** By mailbox id: a mailbox has many addresses (aliases, tags, a catch-all). */
  readonly mailboxes: Map<string, KnownMailbox>
  /** By mailbox id: bytes that are being written now. */
  readonly underWay: Map<string, number>
  /** Asks the store for addresses that are not known. */
  readonly ask: Ask<KnownRecipient>
}

/** Makes the cache of this process, which forgets what other processes change. */
export function createRecipientCache(changes: ChangeFeed): RecipientCache {
  const cache: RecipientCache = {
    known: new Map(),
    mailboxes: new Map(),
    underWay: new Map(),
    ask: createRounds(),
  }
  changes.listen((note) => {
    if (note.kind !== 'address') return
    cache.mailboxes.clear()
    const changed = new Set(note.addresses)
    for (const known of cache.known.keys()) if (isTouched(known, changed)) cache.known.delete(known)
  })
  return cache
}

/**
 * Takes room for a message that is about to be written, so that of many at once only the last may go over the limit. Returns
 * how to give it back. Fails with `unprocessable` (452 4.2.2) when a mailbox has become full since it was asked for.
 */
export function takeRoom(
  { mailboxes, underWay }: RecipientCache,
  places: readonly Pick<RecipientMailbox, 'mailboxId' | 'address'>[],
  sizeBytes: number,
): () => void {
  const full = places.find(({ mailboxId }) => {
    const free = mailboxes.get(mailboxId)?.freeBytes
    return free !== undefined && free <= (underWay.get(mailboxId) ?? 0)
  })
  if (full !== undefined) throw new Failure('unprocessable', `The mailbox ${full.address} is full.`)
  const add = (mailboxId: string, bytes: number) => {
    const sum = (underWay.get(mailboxId) ?? 0) + bytes
    if (sum === 0) underWay.delete(mailboxId)
    else underWay.set(mailboxId, sum)
  }
  for (const { mailboxId } of places) add(mailboxId, sizeBytes)
  return () => {
    for (const { mailboxId } of places) add(mailboxId, -sizeBytes)
  }
}

/** Counts a message that was just stored against the room of its mailbox, so that the next one finds less. */
export function spendRoom({ mailboxes }: RecipientCache, mailboxId: string, sizeBytes: number): void {
  const known = mailboxes.get(mailboxId)
  if (known !== undefined) known.freeBytes -= sizeBytes
}

/** Whether an address may reach others now: it changed itself, or that without its tag, or its domain's catch-all. */
function isTouched(address: string, changed: ReadonlySet<string>): boolean {
  const { base } = withoutTag(address)
  return changed.has(address) || changed.has(base) || changed.has(catchAllOf(splitAddress(base).domain))
}

/** The name under which a domain's catch-all stands among the addresses. */
export const catchAllOf = (domain: string): string => `*@${domain}`
