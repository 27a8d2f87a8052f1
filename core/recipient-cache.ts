/**
 * What a process knows of addresses. Found recipients are kept for a moment and dropped when a change note names them;
 * unknown ones are never kept, so that a mailbox made a moment ago receives at once.
 */
import { withoutTag } from '../mail/address.ts'
import type { ChangeFeed } from '../store/changes.ts'

export type RecipientMailbox = {
  readonly mailboxId: string
  readonly accountId: string
  readonly address: string
  readonly inboxId: string
}

/** An address of ours: as it was given (canonical, tag kept) and the mailboxes it reaches. */
export type Recipient = { readonly address: string; readonly mailboxes: readonly RecipientMailbox[] }

export type KnownRecipient = { readonly recipient: Recipient; readonly freeBytes: number; readonly until: number }

export type RecipientCache = {
  readonly known: Map<string, KnownRecipient>
  readonly asked: Map<string, Promise<KnownRecipient>>
}

/** Makes the cache of this process, which forgets what other processes change. */
export function createRecipientCache(changes: ChangeFeed): RecipientCache {
  const cache: RecipientCache = { known: new Map(), asked: new Map() }
  changes.listen((note) => {
    if (note.kind !== 'address') return
    for (const address of note.addresses) {
      for (const known of cache.known.keys())
        if (known === address || withoutTag(known).base === address) cache.known.delete(known)
    }
  })
  return cache
}
