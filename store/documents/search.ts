/** Documents of the search index (store/postings.ts says what is in the bytes). */
import type { Binary } from 'mongodb'

/**
 * A segment: some messages of a mailbox and the words in them. Never changed once it is there; larger ones take the place of
 * several. Whether a message still exists, and is as it was, is asked of the message itself.
 */
export type SegmentDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  /** Ids of its newest and its oldest message. */
  readonly newest: string
  readonly oldest: string
  readonly count: number
  /** The first word of each block. */
  readonly words: readonly string[]
  /** The newest message of each page of the table of messages. */
  readonly pages: readonly string[]
  /** When it is to be written anew without what is gone. */
  readonly tidyAt: Date
  /** The only block, and the only page, of a small segment. */
  readonly block?: Binary
  readonly page?: Binary
  /** The segments whose place it takes, while they may still be there. */
  readonly replaces?: readonly SegmentParts[]
}

/** Which documents a segment has. */
export type SegmentParts = { readonly id: string; readonly blocks: number; readonly pages: number }

/** A block of words (`<segment id>#w<n>`) or a page of the table of messages (`<segment id>#p<n>`). */
export type SearchBlockDoc = { readonly _id: string; readonly data: Binary }

/** The visible text of a blob: to show where something was found. `_id` is the blob's id. */
export type SearchTextDoc = { readonly _id: string; readonly data: Binary }

/** Who is merging the segments of a mailbox, so that nobody else does. */
export type SearchMergeDoc = {
  /** Id of the mailbox. */
  readonly _id: string
  readonly token: string
  readonly until: Date
  /** The segment being written. */
  readonly output: string
}
