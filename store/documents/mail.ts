/** Documents of mailboxes and what lies in them. Times are Dates (UTC), sizes bytes. */
import type { Binary } from 'mongodb'
import type { authResults } from '../../schemas/messages.ts'

export type Named = { readonly name: string; readonly address: string }

/** Every address that can receive; `_id` is the canonical address. */
export type AddressDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  readonly kind: 'mailbox' | 'alias' | 'catchAll'
  readonly domain: string
  /** Set while the address is only reserved: its mailbox was deleted. */
  readonly releasedAt: Date | null
}

export type AutoReply = {
  readonly enabled: boolean
  readonly subject: string
  readonly text: string
  readonly until: Date | null
}

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
  /** Absent while it lives; its mail is purged 30 days later. */
  readonly deletedAt?: Date
}

export const folderRoles = ['inbox', 'sent', 'drafts', 'trash', 'spam', 'archive'] as const
export type FolderRole = (typeof folderRoles)[number]

export type Reservation = { readonly token: string; readonly uid: number; readonly modseq: number; readonly at: Date }

/**
 * A folder and the numbers it hands out. `open` names the reservations whose messages are not yet written: readers by UID
 * show only what lies below the lowest one, so nobody sees n+1 and then misses n.
 */
export type FolderDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  readonly path: string
  readonly role: FolderRole | null
  readonly uidValidity: number
  readonly uidNext: number
  readonly highestModseq: number
  readonly total: number
  readonly unread: number
  readonly bytes: number
  readonly open: readonly Reservation[]
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
  /** Address it came to, plus tag and all. */
  readonly deliveredTo: string | null
  /** SHA-256 of reverse-path and raw bytes; SMTP arrivals only. */
  readonly fingerprint?: Binary
  /** The send it is the Sent copy of. */
  readonly emailId?: string
  /** Where it was before it went to Trash. */
  readonly deletedFrom?: string
}

export type BlobDoc = {
  /** `<blob id>#<n>`. */
  readonly _id: string
  readonly createdAt: Date
  /** How many messages use the blob; on chunk 0 only. */
  readonly refs?: number
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
  readonly lastSeenAt: Date
  readonly sent: number
  readonly received: number
}
