/** Documents of mailboxes, folders, messages, threads, blobs and contacts. Times are Dates (UTC), sizes are bytes. */
import type { Binary } from 'mongodb'
import type { MailboxLists } from '../../schemas/mailboxes.ts'
import type { authResults } from '../../schemas/messages.ts'
import type { awaitingStates, FolderRole } from '../../schemas/threads.ts'

export type Named = { readonly name: string; readonly address: string }

/**
 * An address that can receive mail. `_id` is the canonical address; `*@domain` catches every other address of the domain.
 */
export type AddressDoc = {
  readonly _id: string
  readonly accountId: string
  /** The mailboxes that receive its mail: exactly one, unless the address is an alias for several. */
  readonly mailboxIds: readonly string[]
  readonly kind: 'mailbox' | 'alias'
  readonly domain: string
  readonly createdAt: Date
  /** Set when the mailbox was deleted: the address stays reserved and does not receive. */
  readonly releasedAt: Date | null
}

export type AutoReply = {
  readonly enabled: boolean
  readonly subject: string
  readonly text: string
  readonly until: Date | null
}

/** What the user taught a mailbox about mail from an address, by marking a message as spam or not spam. */
export type Lesson = { readonly address: string; readonly spam: boolean; readonly at: Date }

export type MailboxDoc = {
  readonly _id: string
  readonly accountId: string
  readonly address: string
  readonly domain: string
  readonly kind: 'agent' | 'person'
  readonly displayName: string | null
  readonly signature: string | null
  readonly autoReply: AutoReply | null
  readonly createdAt: Date
  /** The id of the API key that created it; null when an administrator did. */
  readonly createdBy: string | null
  /** Only lists that were set. Entries are addresses, domains, or `*.domain` for all subdomains, all in canonical form. */
  readonly lists?: Partial<MailboxLists>
  /** One per address, oldest first; absent until the first lesson. */
  readonly lessons?: readonly Lesson[]
  /**
   * The last warning that the storage is filling up: its level (percent of the limit) and time; absent when none applies.
   */
  readonly warned?: { readonly level: number; readonly at: Date }
  /** When the mailbox was deleted; absent before. Its mail is purged after a set time (30 days by default). */
  readonly deletedAt?: Date
  /** Paths that mail programs subscribed to; absent until the first change: the standard folders. */
  readonly subscribed?: readonly string[]
  /** The highest UIDVALIDITY given to a folder created after the standard folders. */
  readonly lastUidValidity?: number
}

/** The counters of a folder. The keys of `labels` are encoded by `labelKey`; a count of 0 means the same as no entry. */
export type FolderCounts = {
  readonly total: number
  readonly unread: number
  readonly bytes: number
  readonly labels?: { readonly [labelKey: string]: number }
}

/**
 * A writer's reservation in a folder: the UIDs and the modseq it took and what it added to the counters. While the
 * reservation is open, its messages may or may not be written.
 */
export type Reservation = FolderCounts & {
  readonly token: string
  readonly uid: number
  readonly uids: number
  readonly modseq: number
  readonly at: Date
  /** Threads of the messages that change or leave the folder; they are derived again if the writer died. */
  readonly threads?: readonly string[]
}

/**
 * A folder and the numbers it assigns. `open` lists the reservations whose messages may not be written yet: readers by UID
 * show only messages below the lowest open UID, so that no reader sees UID n+1 and later misses n.
 */
export type FolderDoc = FolderCounts & {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  readonly path: string
  readonly role: FolderRole | null
  readonly uidValidity: number
  readonly uidNext: number
  readonly highestModseq: number
  readonly open: readonly Reservation[]
  /** All messages with lower UIDs were announced to a mail program as recent; absent: none was. */
  readonly recentFrom?: number
  /**
   * Present during a recount (store/recount.ts): the token of the process that recounts, the UIDs changed or removed since
   * it began, and until when changes of messages have to wait.
   */
  readonly recount?: string
  readonly touched?: readonly number[]
  readonly gate?: Date
}

/** The metadata that mail programs set on a folder or mailbox (RFC 5464), whose id is `_id`. Each write increments `rev`. */
export type MetadataDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  readonly rev: number
  readonly entries: readonly { readonly name: string; readonly value: Binary }[]
}

export type AttachmentDoc = {
  /** Path of the part in the MIME tree, such as `2.1`. */
  readonly partId: string
  readonly name: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly inline: boolean
  readonly contentId: string | null
}

export type BlobRef = { readonly id: string; readonly chunks: number; readonly sizeBytes: number }

export type AuthResult = (typeof authResults)[number]

/** The results of the checks that show how far a received message can be trusted. They are fixed at arrival. */
export type TrustDoc = {
  readonly spf: AuthResult
  readonly dkim: readonly { readonly domain: string; readonly result: AuthResult }[]
  readonly dmarc: AuthResult
  readonly arc: AuthResult
  readonly alignedFrom: string | null
  readonly firstContact: boolean
  readonly replyToMismatch: boolean
  readonly displayNameSpoof: boolean
  readonly autoSubmitted: boolean
  /** Present when the plain text says something that the HTML shows nowhere. */
  readonly alternativesDiffer?: true
}

/** Verification codes and links that were found in a message at arrival. */
export type VerificationDoc = {
  readonly codes: readonly { readonly value: string; readonly label: string | null; readonly confidence: number }[]
  readonly links: readonly { readonly url: string; readonly host: string; readonly sameOrg: boolean }[]
}

export type MessageDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  /** The mailbox's address, which never changes. */
  readonly mailbox: string
  readonly folderId: string
  readonly uid: number
  readonly modseq: number
  readonly threadId: string
  readonly receivedAt: Date
  readonly from: Named | null
  /** The author's name, when From contains no address. */
  readonly authorName?: string
  readonly to: readonly Named[]
  readonly cc: readonly Named[]
  readonly bcc: readonly Named[]
  readonly replyTo: readonly Named[]
  /** True when the address fields of the message contain more than these lists: a second author, or a group. */
  readonly namesMore?: true
  readonly subject: string | null
  readonly snippet: string | null
  readonly date: Date | null
  /** Message-ID without brackets; absent when the message has none. */
  readonly messageIdHeader?: string
  readonly inReplyTo: string | null
  readonly references: readonly string[]
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  /** \\Deleted and \\Draft of mail programs; absent is false. */
  readonly deleted?: boolean
  readonly draft?: boolean
  /** Absent when there are none, so that the index of labels holds only labelled messages. */
  readonly labels?: readonly string[]
  readonly attachments: readonly AttachmentDoc[]
  readonly encrypted: 'pgp' | 'smime' | null
  readonly sizeBytes: number
  /** The size of the message as mail programs see it: with `trace`, without `cuts`. Absent on messages of earlier versions. */
  readonly shownBytes?: number
  readonly blob: BlobRef
  /** Absent on Sent copies and drafts. */
  readonly trust?: TrustDoc
  /** Present when the message was really written by the author that From names (core/receive/trust.ts); fixed at arrival. */
  readonly authentic?: true
  /** Present when the message was to be answered by its mailbox's automatic reply when it arrived. */
  readonly autoReplyDue?: true
  /** Absent when the message has no verification code or link. */
  readonly verification?: VerificationDoc
  /**
   * The header fields that we prepend: Return-Path, Received and Authentication-Results, or Bcc for sent mail. Stored apart from the raw
   * bytes.
   */
  readonly trace: string
  /**
   * Ranges of the raw message that are left out wherever it is shown with its trace: Authentication-Results fields forged in our
   * name. Absent when there are none.
   */
  readonly cuts?: readonly { readonly start: number; readonly end: number }[]
  /** The address the message was sent to, with its plus tag if any. */
  readonly deliveredTo: string | null
  /** For received messages only: SHA-256 of the raw bytes and the reverse-path, or of the send instead of the path if it was sent here. */
  readonly fingerprint?: Binary
  /** Identifies the message elsewhere from which this one was imported, so that it is imported only once. */
  readonly importedFrom?: Binary
  /** For a draft: the id of the message it answers. */
  readonly answers?: string
  /** For a Sent copy: the id of the send. */
  readonly emailId?: string
  /** The folder the message was in before it was moved to Trash or Spam. */
  readonly deletedFrom?: string
  /** When the message was moved into its folder; absent if it was created there. */
  readonly savedAt?: Date
  /** When the message was moved to Trash or Spam; old messages there are purged. */
  readonly discardedAt?: Date
  /** The span that caused it, as W3C Trace Context writes it; absent unless spans are made (core/process/tracing.ts). */
  readonly traceparent?: string
  /** Which key works on the message, and until when. An expired lease has no effect. */
  readonly lease?: LeaseDoc
}

/** A lease of a message: the key that holds it, and the token it was taken with, if any. */
export type LeaseDoc = { readonly keyId: string; readonly token: string | null; readonly until: Date }

/**
 * A conversation, derived from its messages, so that it can be derived again at any time. Its fields describe the messages
 * outside Trash, Spam and Drafts. When all messages lie in those folders, `live` is false and the fields describe all of them.
 */
export type ThreadDoc = {
  readonly _id: string
  readonly mailboxId: string
  /** Changes with every write. A process that derived the thread from an older revision has to derive it again. */
  readonly rev: string
  readonly live: boolean
  readonly subject: string | null
  /** The subject without reply marks, used to find the thread of an answer that names no message; absent when empty. */
  readonly subjectKey?: string
  readonly participants: readonly Named[]
  /** The addresses of the authors, and the addresses of the recipients. */
  readonly senders: readonly string[]
  readonly recipients: readonly string[]
  readonly messageCount: number
  /** The id of the newest message, by which threads are sorted. */
  readonly lastMessageId: string
  readonly lastMessageAt: Date
  /** Absent when there are none. */
  readonly labels?: readonly string[]
  readonly awaiting: (typeof awaitingStates)[number]
  /** The folders of all its messages, Trash, Spam and Drafts included. */
  readonly folderIds: readonly string[]
  readonly unread: boolean
  readonly flagged: boolean
  readonly hasAttachment: boolean
  /**
   * Set when no message is left. The document stays for a while, so that a process that derived the thread from the old
   * messages finds a newer revision and cannot write it again.
   */
  readonly emptyAt?: Date
}

/** The fields of a message document that come from the content of the message. */
export type MessageContent = Pick<
  MessageDoc,
  | 'from'
  | 'to'
  | 'cc'
  | 'bcc'
  | 'replyTo'
  | 'namesMore'
  | 'subject'
  | 'snippet'
  | 'date'
  | 'messageIdHeader'
  | 'inReplyTo'
  | 'references'
  | 'attachments'
  | 'encrypted'
  | 'sizeBytes'
  | 'shownBytes'
  | 'blob'
>

export type BlobDoc = {
  /** `<blob id>#<n>`. */
  readonly _id: string
  readonly createdAt: Date
  /** Ids of the messages and the send that use the blob; on chunk 0 only. */
  readonly users?: readonly string[]
  /** When the last deletion of one of `users` began; absent once the sweep has found all the others. */
  readonly inDoubt?: Date
  /** How many chunks the blob has, if it has more than one; on chunk 0 only. */
  readonly chunks?: number
  /** Where the bytes are, if they are in the object store. Chunk 0 is then the only document and has no data. */
  readonly object?: BlobObject
  readonly zstd: boolean
  readonly data: Binary
}

/** An object of the object store: the concatenated chunks of a blob. */
export type BlobObject = {
  readonly key: string
  /** `bytes` and `crc32` describe the chunk as stored there. Objects of earlier versions have no `crc32`. */
  readonly chunks: readonly { readonly zstd: boolean; readonly bytes: number; readonly crc32?: number }[]
}

export type ContactDoc = {
  /** `<mailbox id>:<address>`. */
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  readonly address: string
  readonly name: string
  /** The search terms: the words of the name, and the address, in lower case. */
  readonly words: readonly string[]
  readonly lastSeenAt: Date
  readonly sent: number
  readonly received: number
  /** By account: the number of the last of its events that `received` includes. */
  readonly seqs?: { readonly [accountId: string]: number }
  /** The same for all accounts together, in a contact that was written before `seqs` existed. */
  readonly seq?: number
  /** The ids of the last sends that `sent` includes. */
  readonly sends?: readonly string[]
  /** The last messages that were really written by the contact. */
  readonly authentic?: readonly Letter[]
  /** When the mailbox last sent the contact an automatic reply, and the message that it answers. */
  readonly autoReply?: { readonly at: Date; readonly messageId: string }
}

/** A message that was really written by its author: its id, and whether it was delivered to Spam. */
export type Letter = { readonly id: string; readonly spam: boolean }
