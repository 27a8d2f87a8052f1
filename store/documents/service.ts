/** Documents of the service itself: the change feed, and small values that must survive a restart. */
import type { Sealed } from './sealed.ts'

/** A note that something changed. `_id.w` names the writer; `_id.n` numbers its notes without gaps. */
export type ChangeDoc = {
  readonly _id: { readonly w: string; readonly n: number }
  readonly at: Date
  readonly note: ChangeNote
  /** What every process that follows the notes answers with, once it has acted on this one; absent: nobody waits for that. */
  readonly ask?: string
}

export type ChangeNote =
  /** Nothing: the first note of a collection. */
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
   * A mailbox has other folders, or other names for them; with `messageIds` only their counts changed, because these messages
   * did. `was` is where those were that left, with their UIDs there. `shownBy` names the process whose mail sessions have been
   * shown the change: it need not read the folder for it.
   */
  | {
      readonly kind: 'folders'
      readonly mailboxId: string
      readonly messageIds?: readonly string[]
      readonly was?: { readonly folderId: string; readonly uids: readonly number[] }
      readonly shownBy?: string
    }
  /** Entries were noted of a folder, or, where it is null, of the mailbox. */
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
  /** These mailboxes are watched by Intake in another way, or not any more. */
  | { readonly kind: 'intakes'; readonly mailboxIds: readonly string[] }
  /** Logins of a caller are refused until then (core/access/login-limits.ts). */
  | { readonly kind: 'refused'; readonly caller: string; readonly count: number; readonly until: Date }
  /** A share of a caller's requests in a minute is used up; the others are to give back what they have left. */
  | { readonly kind: 'requests'; readonly id: string; readonly share: string }
  /** These accounts have new events. */
  | { readonly kind: 'events'; readonly accountIds: readonly string[] }
  /** Webhook deliveries are due whose writer does not attempt them. */
  | { readonly kind: 'deliveries' }
  /** These names have another certificate. */
  | { readonly kind: 'certificates'; readonly names: readonly string[] }
  /** What is served of these domains has changed. */
  | { readonly kind: 'zones'; readonly domains: readonly string[] }
  /**
   * The master keys were changed, or are about to be: every process reads those that it is given, says which it has, and
   * repeats what it was asked with.
   */
  | { readonly kind: 'secrets'; readonly ask: string }
  /** The clocks of sandboxes were moved. */
  | { readonly kind: 'clocks' }
  /** Keys whose secret has ended: revoked or rotated. */
  | { readonly kind: 'keys'; readonly keyIds: readonly string[] }
  /** Keys and accounts that were changed, and people whose sessions were: what processes know of them is stale. */
  | {
      readonly kind: 'callers'
      readonly keyIds: readonly string[]
      readonly accountIds: readonly string[]
      readonly personIds: readonly string[]
    }

/** The master keys that the database is sealed with, by their ids (core/process/secrets.ts). */
export type MasterKeys = {
  /** What everything new is sealed with. */
  readonly current: string
  /** Since when; null: from the beginning. */
  readonly since: Date | null
  /** Those with which something may be sealed still, the oldest first; none when a change of the key is through. */
  readonly previous: readonly string[]
  /** All that were used before: none of them is used again. */
  readonly former: readonly string[]
  /** The key of digests that must stay the same (base64), sealed with the current key. */
  readonly digestKey: Sealed
}

/** A process and the master keys that it has. It writes this again and again; one that died is forgotten. */
export type KeyHolderDoc = {
  readonly _id: string
  readonly host: string
  readonly role: string
  readonly keyIds: readonly string[]
  /** The key that it seals with; null: it does not have the one that it should. */
  readonly sealsWith: string | null
  /** What it was asked with last; null: it was not yet. */
  readonly answered: string | null
  readonly seenAt: Date
  readonly expiresAt: Date
}

/** A named value of the service itself, such as the schema versions or the watermark of a sweep. */
export type StateDoc = { readonly _id: string; readonly value: unknown }

/** How one process was in one hour. `_id` is the hour, then what names the process. */
export type ProcessHourDoc = {
  readonly _id: string
  /** Of the machine. */
  readonly host: string
  /** Which of the processes of an installation. */
  readonly process: string
  readonly pid: number
  readonly startedAt: Date
  readonly hour: Date
  readonly samples: readonly ProcessSample[]
  readonly expiresAt: Date
}

/** How a process is at one moment: its memory in RAM, and since the one before how late its event loop was (the 99th percentile). */
export type ProcessSample = {
  readonly at: Date
  readonly memoryBytes: number
  readonly eventLoopMs: number
  /** How long the database took to answer. */
  readonly databaseMs: number
}
