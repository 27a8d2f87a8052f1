/** The filters of a wait, applied to one message: those of the message list, and those that only a wait has. */
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { MessageFilter } from '../../store/messages.ts'
import type { KnownFolder } from '../mailbox/known-folders.ts'
import type { Pattern } from './patterns.ts'

/** Something to verify with: a code to copy, a link to open, or either. */
export const verificationKinds = ['code', 'link', 'any'] as const
export type VerificationKind = (typeof verificationKinds)[number]

/** The filters that only a wait has. */
export type ContentFilter = {
  readonly hasCode?: boolean
  readonly hasLink?: boolean
  /** What the message must contain to verify with. */
  readonly verifies?: VerificationKind
  /** The domain of the author, or a domain above it; the author must be authenticated. */
  readonly fromDomain?: string
}

/** A message must pass every filter. Addresses, label and domain are canonical. */
export type WaitFilters = Omit<MessageFilter, 'since'> &
  ContentFilter & {
    /** Null: every folder except Spam and Trash. */
    readonly folderId: string | null
    readonly regex?: Pattern
  }

/** A received message, with its folder and its text. */
export type Arrived = {
  readonly message: MessageDoc
  readonly folder: KnownFolder
  /** Reads its visible text. */
  text(): Promise<string>
}

/**
 * Returns which filter a message fails, as a sentence that quotes nothing of the message; null when it passes all. The
 * pattern is tested last. Fails as `Pattern.test` does.
 */
export async function mismatchOf(filters: WaitFilters, { message, folder, text }: Arrived): Promise<string | null> {
  const { folderId, hasCode, hasLink, verifies, fromDomain, regex } = filters
  if (folderId === null && (folder.role === 'spam' || folder.role === 'trash'))
    return `folder: it is in ${folder.path}, which is searched only when named.`
  if (folderId !== null && folder._id !== folderId) return 'folder: it is in another folder.'
  const failed = listMismatchOf(filters, message)
  if (failed !== null) return failed
  if (hasCode !== undefined && hasCode !== hasKind(message, 'code'))
    return `has_code: it contains ${hasCode ? 'no' : 'a'} code.`
  if (hasLink !== undefined && hasLink !== hasKind(message, 'link'))
    return `has_link: it contains ${hasLink ? 'no' : 'a'} link.`
  if (verifies !== undefined && !hasKind(message, verifies))
    return `kind: it contains no ${verifies === 'any' ? 'code and no link to verify with' : verifies}.`
  if (fromDomain !== undefined && !isWithin(message.trust?.alignedFrom ?? null, fromDomain))
    return isWithin(domainOf(message), fromDomain)
      ? 'from_domain: its From has the domain, but is not authenticated.'
      : 'from_domain: it is from another domain.'
  if (regex !== undefined && !regex.test(`${message.subject ?? ''}\n${await text()}`))
    return 'regex: neither its subject nor its text matches.'
  return null
}

function hasKind({ verification }: MessageDoc, kind: VerificationKind): boolean {
  const { codes = [], links = [] } = verification ?? {}
  return (kind !== 'link' && codes.length > 0) || (kind !== 'code' && links.length > 0)
}

/** The conditions of `listMessages` (store/messages.ts), applied to one message. */
function listMismatchOf(filters: Omit<MessageFilter, 'since'>, message: MessageDoc): string | null {
  const { label, threadId, unread, flagged, from, to, subject, hasAttachment, until } = filters
  if (label !== undefined && message.labels?.includes(label) !== true) return 'label: it does not have the label.'
  if (threadId !== undefined && message.threadId !== threadId) return 'thread_id: it is in another thread.'
  if (unread !== undefined && message.seen === unread) return `unread: it is ${unread ? 'read' : 'unread'}.`
  if (flagged !== undefined && message.flagged !== flagged) return `flagged: it is ${flagged ? 'not ' : ''}flagged.`
  if (from !== undefined && message.from?.address !== from) return 'from: it is from another address.'
  if (to !== undefined && !message.to.some(({ address }) => address === to)) return 'to: it is addressed to others.'
  if (subject !== undefined && message.subject?.toLowerCase().includes(subject.toLowerCase()) !== true)
    return 'subject: its subject does not contain the text.'
  if (hasAttachment !== undefined && message.attachments.length > 0 !== hasAttachment)
    return `has_attachment: it has ${hasAttachment ? 'no' : 'an'} attachment.`
  if (until !== undefined && message.receivedAt >= until) return 'until: it was received later.'
  return null
}

/** Whether `domain` is `parent` or a sub-domain of it. */
function isWithin(domain: string | null, parent: string): boolean {
  return domain !== null && (domain === parent || domain.endsWith(`.${parent}`))
}

function domainOf({ from }: MessageDoc): string | null {
  return from === null ? null : from.address.slice(from.address.lastIndexOf('@') + 1)
}
