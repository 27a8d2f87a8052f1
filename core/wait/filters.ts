/** Which messages a wait is for: the filters of the listing, said of one message, and those only a wait has. */
import type { FolderDoc, MessageDoc } from '../../store/documents/mail.ts'
import type { MessageFilter } from '../../store/messages.ts'
import type { Pattern } from './patterns.ts'

/** What a wait asks of a message besides what a listing does. */
export type ContentFilter = {
  readonly hasCode?: boolean
  /** The domain of an authenticated author, or one above it. */
  readonly fromDomain?: string
}

/** Every part narrows. Addresses, label and domain are canonical. */
export type WaitFilters = Omit<MessageFilter, 'since'> &
  ContentFilter & {
    /** Null: every folder but Spam and Trash. */
    readonly folderId: string | null
    readonly regex?: Pattern
  }

/** A message that came in, and what else there is to know of it. */
export type Arrived = {
  readonly message: MessageDoc
  readonly folder: FolderDoc
  /** Its visible text. */
  text(): Promise<string>
}

/**
 * Which filter a message fails, as a sentence that quotes nothing of the message; null when it passes all. The pattern is
 * tried last. Fails as `Pattern.test` does.
 */
export async function whyNot(filters: WaitFilters, { message, folder, text }: Arrived): Promise<string | null> {
  const { folderId, hasCode, fromDomain, regex } = filters
  if (folderId === null && (folder.role === 'spam' || folder.role === 'trash'))
    return `folder: it lies in ${folder.path}, which counts only when asked for.`
  if (folderId !== null && folder._id !== folderId) return 'folder: it lies in another folder.'
  const failed = failedFilter(filters, message)
  if (failed !== null) return failed
  const hasAny = (message.verification?.codes.length ?? 0) > 0
  if (hasCode !== undefined && hasCode !== hasAny)
    return hasAny ? 'has_code: there is a code in it.' : 'has_code: there is no code in it.'
  if (fromDomain !== undefined && !isWithin(message.trust?.alignedFrom ?? null, fromDomain))
    return isWithin(domainOf(message), fromDomain)
      ? 'from_domain: it says so, but is not authenticated.'
      : 'from_domain: it is from another domain.'
  if (regex !== undefined && !regex.test(`${message.subject ?? ''}\n${await text()}`))
    return 'regex: neither subject nor text match.'
  return null
}

/** The conditions of `listMessages` (store/messages.ts), asked of one message. */
function failedFilter(filters: Omit<MessageFilter, 'since'>, message: MessageDoc): string | null {
  const { label, threadId, unread, flagged, from, to, subject, hasAttachment, until } = filters
  if (label !== undefined && message.labels?.includes(label) !== true) return 'label: it does not have the label.'
  if (threadId !== undefined && message.threadId !== threadId) return 'thread_id: it is in another thread.'
  if (unread !== undefined && message.seen === unread) return `unread: it is ${unread ? 'read' : 'unread'}.`
  if (flagged !== undefined && message.flagged !== flagged) return `flagged: it is ${flagged ? 'not ' : ''}flagged.`
  if (from !== undefined && message.from?.address !== from) return 'from: it is from another address.'
  if (to !== undefined && !message.to.some(({ address }) => address === to)) return 'to: it is to other addresses.'
  if (subject !== undefined && message.subject?.toLowerCase().includes(subject.toLowerCase()) !== true)
    return 'subject: it does not contain the words.'
  if (hasAttachment !== undefined && message.attachments.length > 0 !== hasAttachment)
    return `has_attachment: it has ${hasAttachment ? 'none' : 'one'}.`
  if (until !== undefined && message.receivedAt >= until) return 'until: it came later.'
  return null
}

/** Whether a domain is `whole` or within it. */
function isWithin(domain: string | null, whole: string): boolean {
  return domain !== null && (domain === whole || domain.endsWith(`.${whole}`))
}

function domainOf({ from }: MessageDoc): string | null {
  return from === null ? null : from.address.slice(from.address.lastIndexOf('@') + 1)
}
