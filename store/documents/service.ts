/** Documents of the service itself: change notes, master keys, measurements, and small values that must survive a restart. */
import type { Sealed } from './sealed.ts'

/** A note that something changed. `_id.w` names the writer; `_id.n` numbers its notes without gaps. */
export type ChangeDoc = {
  readonly _id: { readonly w: string; readonly n: number }
  readonly at: Date
  readonly note: ChangeNote
  /** The token with which every process that follows the notes answers once it has acted on this one; absent: no answer is wanted. */
  readonly ask?: string
}

export type ChangeNote =
  /** The first note of a collection, which carries no information. */
  | { readonly kind: 'begin' }
  /** A process has acted on the notes that asked with these tokens. */
  | { readonly kind: 'heard'; readonly by: string; readonly asked: readonly string[] }
  /** Messages were received; `mailboxIds` names each of their mailboxes once. */
  | { readonly kind: 'messages'; readonly ids: readonly string[]; readonly mailboxIds: readonly string[] }
  /** Messages were stored or changed in another way: Sent copies, drafts. `shownBy` as of folders. */
  | {
      readonly kind: 'stored'
      readonly ids: readonly string[]
      readonly mailboxIds: readonly string[]
      readonly shownBy?: string
    }
  /** Sends changed, and documents derived from them (outbox rows, events, Sent copy) have to be written. */
  | { readonly kind: 'emails'; readonly ids: readonly string[]; readonly accountIds: readonly string[] }
  /** These accounts have outbox rows that are due. */
  | { readonly kind: 'due'; readonly accountIds: readonly string[] }
  /**
   * The mailboxes behind these addresses changed, or the lists and lessons of those mailboxes: cached recipients are stale.
   */
  | { readonly kind: 'address'; readonly addresses: readonly string[] }
  /**
   * The folders of a mailbox, or their names, changed; with `messageIds` only the counts of folders did, because these messages
   * changed. `was` is the folder that messages left, with their UIDs in it. `shownBy` names the process whose mail sessions were
   * already shown the change, so that it need not read the folder for it.
   */
  | {
      readonly kind: 'folders'
      readonly mailboxId: string
      readonly messageIds?: readonly string[]
      readonly was?: { readonly folderId: string; readonly uids: readonly number[] }
      readonly shownBy?: string
    }
  /** Metadata entries of a folder, or if `folderId` is null of the mailbox, were set. */
  | {
      readonly kind: 'metadata'
      readonly mailboxId: string
      readonly folderId: string | null
      readonly entries: readonly string[]
    }
  /** The lease of a message was released. */
  | { readonly kind: 'freed'; readonly mailboxId: string; readonly messageId: string }
  /** The suppressions of these accounts changed. */
  | { readonly kind: 'suppressions'; readonly accountIds: readonly string[] }
  /** The webhook endpoints of these accounts changed. */
  | { readonly kind: 'webhooks'; readonly accountIds: readonly string[] }
  /** The Intake configuration of these mailboxes was changed or deleted. */
  | { readonly kind: 'intakes'; readonly mailboxIds: readonly string[] }
  /** Logins of a caller are refused until `until` (core/access/login-limits.ts). */
  | { readonly kind: 'refused'; readonly caller: string; readonly count: number; readonly until: Date }
  /** A process used up its share of a caller's requests in a minute; the other processes are to return the rest of theirs. */
  | { readonly kind: 'requests'; readonly id: string; readonly share: string }
  /** These accounts have new events. */
  | { readonly kind: 'events'; readonly accountIds: readonly string[] }
  /** Webhook deliveries are due that the process which wrote them does not attempt. */
  | { readonly kind: 'deliveries' }
  /** The certificates of these names changed. */
  | { readonly kind: 'certificates'; readonly names: readonly string[] }
  /** What the DNS server serves for these domains changed. */
  | { readonly kind: 'zones'; readonly domains: readonly string[] }
  /**
   * The master keys were changed, or are about to be. Every process reads the keys in its configuration, records which it has,
   * and repeats `ask` there as its answer.
   */
  | { readonly kind: 'secrets'; readonly ask: string }
  /** The clocks of sandboxes were moved. */
  | { readonly kind: 'clocks' }
  /** The secrets of these keys ended: the keys were revoked or rotated. */
  | { readonly kind: 'keys'; readonly keyIds: readonly string[] }
  /** These keys and accounts changed, or the sessions of these people: what processes have cached of them is stale. */
  | {
      readonly kind: 'callers'
      readonly keyIds: readonly string[]
      readonly accountIds: readonly string[]
      readonly personIds: readonly string[]
    }

/** The ids of the master keys that seal the secrets in the database (core/process/secrets.ts). */
export type MasterKeys = {
  /** The key that seals everything new. */
  readonly current: string
  /** Since when it is current; null: from the beginning. */
  readonly since: Date | null
  /** The keys that may still seal something, the oldest first; empty once a change of the key is complete. */
  readonly previous: readonly string[]
  /** All keys that were ever in use earlier. None of them is used again. */
  readonly former: readonly string[]
  /** The key for digests that must survive a change of the master key (base64), sealed with the current key. */
  readonly digestKey: Sealed
}

/** A process and the master keys that it has. The process renews the document regularly; that of a dead process expires. */
export type KeyHolderDoc = {
  readonly _id: string
  readonly host: string
  readonly role: string
  readonly keyIds: readonly string[]
  /** The key that it seals with; null if it lacks the current one. */
  readonly sealsWith: string | null
  /** The `ask` of the last `secrets` note that it answered; null if there was none. */
  readonly answered: string | null
  readonly seenAt: Date
  readonly expiresAt: Date
}

/** A named value of the service itself, such as the schema versions or the watermark of a sweep. */
export type StateDoc = { readonly _id: string; readonly value: unknown }

/** Measurements of one process in one hour. `_id` is the hour, then what identifies the process. */
export type ProcessHourDoc = {
  readonly _id: string
  /** The name of the machine. */
  readonly host: string
  /** Which of the processes of an installation it is. */
  readonly process: string
  readonly pid: number
  readonly startedAt: Date
  readonly hour: Date
  readonly samples: readonly ProcessSample[]
  readonly expiresAt: Date
}

/** One measurement of a process: its resident memory, and the 99th percentile of its event loop delay since the previous measurement. */
export type ProcessSample = {
  readonly at: Date
  readonly memoryBytes: number
  readonly eventLoopMs: number
  /** How long the database took to answer. */
  readonly databaseMs: number
}
