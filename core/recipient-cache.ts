/**
 * What a process knows of addresses. Found recipients are kept for a moment and dropped when a change note names them;
 * unknown ones are never kept, so that a mailbox made a moment ago receives at once.
 */
import { withoutTag } from '../mail/address.ts'
import type { ChangeFeed } from '../store/changes.ts'
import { type Ask, createRounds } from './rounds.ts'

export type RecipientMailbox = {
  readonly mailboxId: string
  readonly accountId: string
  readonly address: string
  readonly inboxId: string
}

/** An address of ours: as it was given (canonical, tag kept) and the mailboxes it reaches. */
export type Recipient = { readonly address: string; readonly mailboxes: readonly RecipientMailbox[] }

export type KnownRecipient = { readonly recipient: Recipient; readonly freeBytes: number; readonly until: number }

/** A mailbox that receives: what it has room for is known until `until`. */
export type KnownMailbox = { readonly mailbox: RecipientMailbox; readonly freeBytes: number; readonly until: number }

export type RecipientCache = {
  readonly known: Map<string, KnownRecipient>
  /** By mailbox id: a mailbox has many addresses (aliases, tags, a catch-all). */
  readonly mailboxes: Map<string, KnownMailbox>
  /** Asks the store for addresses that are not known. */
  readonly ask: Ask<KnownRecipient>
}

/** Makes the cache of this process, which forgets what other processes change. */
export function createRecipientCache(changes: ChangeFeed): RecipientCache {
  const cache: RecipientCache = { known: new Map(), mailboxes: new Map(), ask: createRounds() }
  changes.listen((note) => {
    if (note.kind !== 'address') return
    cache.mailboxes.clear()
    for (const address of note.addresses) {
      for (const known of cache.known.keys())
        if (known === address || withoutTag(known).base === address) cache.known.delete(known)
    }
  })
  return cache
}
