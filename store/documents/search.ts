/** Documents of the search index. store/postings.ts and store/segment-table.ts describe the format of the bytes. */
import type { Binary } from 'mongodb'

/**
 * A segment: an index of the words in some messages of a mailbox. Its index is immutable; several segments are merged into
 * a larger one that replaces them. The segment does not know whether a message was deleted or changed since it was indexed:
 * readers check the message document.
 */
export type SegmentDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  /** The ids of the newest and the oldest message in the segment. */
  readonly newest: string
  readonly oldest: string
  readonly count: number
  /** The first word of each block. */
  readonly words: readonly string[]
  /** The id of the newest message on each page of the segment's table of messages. */
  readonly pages: readonly string[]
  /** When the segment is due to be checked and rewritten without the messages that no longer exist. */
  readonly tidyAt: Date
  /** A small segment stores its only block and its only page here instead of in documents of their own. */
  readonly block?: Binary
  readonly page?: Binary
  /** The segments that this one replaces; present until they are deleted. */
  readonly replaces?: readonly SegmentParts[]
}

/** How many block and page documents a segment has besides its own document. */
export type SegmentParts = { readonly id: string; readonly blocks: number; readonly pages: number }

/** A block of words (`_id` is `<segment id>#w<n>`) or a page of the table of messages (`<segment id>#p<n>`). */
export type SearchBlockDoc = { readonly _id: string; readonly data: Binary }

/** The visible text of a blob, kept to show the surroundings of a search hit. `_id` is the blob's id. */
export type SearchTextDoc = { readonly _id: string; readonly data: Binary }

/** The claim of the process that merges the segments of a mailbox, so that no other process merges them at the same time. */
export type SearchMergeDoc = {
  /** The id of the mailbox. */
  readonly _id: string
  readonly token: string
  readonly until: Date
  /** The id of the segment that is being written. */
  readonly output: string
}
