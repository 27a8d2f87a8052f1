/** Documents of mailboxes and what lies in them. Times are Dates (UTC), sizes bytes. */
import type { Binary } from 'mongodb'
import type { MailboxLists } from '../../schemas/mailboxes.ts'
import type { authResults } from '../../schemas/messages.ts'
import type { awaitingStates, FolderRole } from '../../schemas/threads.ts'

export type Named = { readonly name: string; readonly address: string }

/** Every address that can receive; `_id` is the canonical address, `*@domain` for all others of a domain. */
export type AddressDoc = {
  readonly _id: string
  readonly accountId: string
  /** The mailboxes behind it: one, unless it is an alias of several. */
  readonly mailboxIds: readonly string[]
  readonly kind: 'mailbox' | 'alias'
  readonly domain: string
  readonly createdAt: Date
  /** Set while the address is only reserved: its mailbox was deleted. */
  readonly releasedAt: Date | null
}

export type AutoReply = {
  readonly enabled: boolean
  readonly subject: string
  readonly text: string
  readonly until: Date | null
}

/** What a mailbox was taught about mail from an address. */
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
  /** Key id; null when an administrator made it. */
  readonly createdBy: string | null
  /** Those that were set: addresses, domains, and `*.` with a domain for those below it; all in canonical form. */
  readonly lists?: Partial<MailboxLists>
  /** One per address, oldest first; absent before the first. */
  readonly lessons?: readonly Lesson[]
  /** The last warning that its storage fills up: percent of the limit, and when; absent while there is none. */
  readonly warned?: { readonly level: number; readonly at: Date }
  /** Absent while it lives; its mail is purged 30 days later. */
  readonly deletedAt?: Date
  /** The newest UIDVALIDITY of a folder made after the standard ones. */
  readonly lastUidValidity?: number
}

/** What a folder counts. A label's key is the label as `labelKey` writes it; 0 is as good as none. */
export type FolderCounts = {
  readonly total: number
  readonly unread: number
  readonly bytes: number
  readonly labels?: { readonly [labelKey: string]: number }
}

/** UIDs and a modseq that a writer took, and what it added to the counters: its messages may be written or not. */
export type Reservation = FolderCounts & {
  readonly token: string
  readonly uid: number
  readonly uids: number
  readonly modseq: number
  readonly at: Date
  /** The threads of messages that change or leave: to be derived again when the writer died. */
  readonly threads?: readonly string[]
}

/**
 * A folder and the numbers it hands out. `open` names the reservations whose messages are not yet written: readers by UID
 * show only what lies below the lowest one, so nobody sees n+1 and then misses n.
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
  /** While it is recounted: by whom, the UIDs that were changed or removed since that began, and until when changes wait. */
  readonly recount?: string
  readonly touched?: readonly number[]
  readonly gate?: Date
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

/** How far a received message is to be trusted, fixed at arrival. */
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
}

/** Codes and links to verify with, found at arrival. */
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
  readonly to: readonly Named[]
  readonly cc: readonly Named[]
  readonly bcc: readonly Named[]
  readonly replyTo: readonly Named[]
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
  /** Absent without any, so that only labelled messages are in the index of labels. */
  readonly labels?: readonly string[]
  readonly attachments: readonly AttachmentDoc[]
  readonly encrypted: 'pgp' | 'smime' | null
  readonly sizeBytes: number
  readonly blob: BlobRef
  /** Absent on Sent copies and drafts. */
  readonly trust?: TrustDoc
  /** Absent when nothing is to be verified. */
  readonly verification?: VerificationDoc
  /** Our Return-Path, Received and Authentication-Results, kept beside the raw bytes. */
  readonly trace: string
  /** Bytes of the raw message that the trace takes the place of: results forged in our name. Absent without any. */
  readonly cuts?: readonly { readonly start: number; readonly end: number }[]
  /** Address it came to, plus tag and all. */
  readonly deliveredTo: string | null
  /** SHA-256 of reverse-path and raw bytes; SMTP arrivals only. */
  readonly fingerprint?: Binary
  /** Of a draft: the message it answers. */
  readonly answers?: string
  /** The send it is the Sent copy of. */
  readonly emailId?: string
  /** Where it was before it went to Trash or Spam. */
  readonly deletedFrom?: string
  /** Since when it lies in Trash or Spam: what is old there is purged. */
  readonly discardedAt?: Date
  /** Who works on it, and until when; one whose time is over counts for nothing. */
  readonly lease?: LeaseDoc
}

/** A lease of a message: of a key, and of the token that took it, if any. */
export type LeaseDoc = { readonly keyId: string; readonly token: string | null; readonly until: Date }

/**
 * A conversation, derived from its messages: what stands here can be made again at any time. It is about the messages
 * outside Trash, Spam and Drafts, and about all of them when there are only such; then `live` is false.
 */
export type ThreadDoc = {
  readonly _id: string
  readonly mailboxId: string
  /** New with every writing: who derived from what another has replaced does it again. */
  readonly rev: string
  readonly live: boolean
  readonly subject: string | null
  /** The subject without its marks, to find the thread of an answer that names no message; absent when it is empty. */
  readonly subjectKey?: string
  readonly participants: readonly Named[]
  /** Addresses that wrote, and that were written to. */
  readonly senders: readonly string[]
  readonly recipients: readonly string[]
  readonly messageCount: number
  /** The newest message: its id gives the order of threads. */
  readonly lastMessageId: string
  readonly lastMessageAt: Date
  /** Absent without any. */
  readonly labels?: readonly string[]
  readonly awaiting: (typeof awaitingStates)[number]
  /** Of all its messages, wherever they lie. */
  readonly folderIds: readonly string[]
  readonly unread: boolean
  readonly flagged: boolean
  readonly hasAttachment: boolean
  /** Set when its messages are all gone: it stays a while, so that who derived it from them before cannot write it. */
  readonly emptyAt?: Date
}

/** What a message document says of the message itself. */
export type MessageContent = Pick<
  MessageDoc,
  | 'from'
  | 'to'
  | 'cc'
  | 'bcc'
  | 'replyTo'
  | 'subject'
  | 'snippet'
  | 'date'
  | 'messageIdHeader'
  | 'inReplyTo'
  | 'references'
  | 'attachments'
  | 'encrypted'
  | 'sizeBytes'
  | 'blob'
>

export type BlobDoc = {
  /** `<blob id>#<n>`. */
  readonly _id: string
  readonly createdAt: Date
  /** Ids of the messages and the send that use the blob; on chunk 0 only. */
  readonly users?: readonly string[]
  /** Since when users may be gone that are still named. */
  readonly inDoubt?: Date
  readonly zstd: boolean
  readonly data: Binary
}

export type ContactDoc = {
  /** `<mailbox id>:<address>`. */
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  readonly address: string
  readonly name: string
  /** Under which it is found: the words of its name and its address, lower-case. */
  readonly words: readonly string[]
  readonly lastSeenAt: Date
  readonly sent: number
  readonly received: number
  /** Number of the last event that is in `received`. */
  readonly seq?: number
  /** The last sends that are in `sent`. */
  readonly sends?: readonly string[]
}
