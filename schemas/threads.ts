/** Folders, labels and threads as callers see them (decisions.md 2, Messages, folders, threads, labels). */
import { identifierMax } from './fields.ts'
import {
  array,
  boolean,
  described,
  extended,
  type Infer,
  integer,
  nullable,
  object,
  oneOf,
  string,
  timestamp,
  untrusted,
} from './infer.ts'
import { Address, ThreadMessage } from './messages.ts'

export const folderRoles = ['inbox', 'sent', 'drafts', 'trash', 'spam', 'archive'] as const
export type FolderRole = (typeof folderRoles)[number]

export const Folder = object({
  path: string({ description: 'Levels are separated by "/".' }),
  role: described('null for a folder that you created.', nullable(oneOf(folderRoles))),
  total: integer({ description: 'Messages in it.' }),
  unread: integer(),
})
export type Folder = Infer<typeof Folder>

/** Longest folder path, longest level of it, and deepest nesting, so that every mail client can show the names. */
export const folderPathMax = 500
export const folderLevelMax = 100
export const folderDepthMax = 10
/** Most folders of one mailbox: they are read together. */
export const foldersMax = 500

export const FolderName = string({
  minLength: 1,
  maxLength: folderPathMax,
  description: 'The path; "/" separates levels, and missing levels are created.',
})
export const FolderPathPart = string({
  minLength: 1,
  maxLength: identifierMax,
  description: 'Path or role of the folder, percent-encoded as one segment.',
})

/** Most labels of one mailbox: they are counted together. */
export const mailboxLabelsMax = 200
export const LabelCount = object({ label: string(), count: integer({ description: 'Messages that have it.' }) })
export type LabelCount = Infer<typeof LabelCount>

export const awaitingStates = ['us', 'them', 'none'] as const

export const Thread = object({
  thread_id: string(),
  subject: untrusted(nullable(string())),
  participants: untrusted(array(Address, { description: 'Senders and recipients, at most 50.' })),
  message_count: integer({
    description: 'Messages outside Trash, Spam and Drafts, or all messages if there are no others. At most 1,000.',
  }),
  last_message_at: timestamp(),
  labels: array(string()),
  awaiting: oneOf(awaitingStates, {
    description:
      'Whose turn it is: us after mail from somebody else, them after ours, none after automatic mail and once the last message was put away.',
  }),
})
export type Thread = Infer<typeof Thread>

export const WholeThread = extended(Thread, {
  messages: array(ThreadMessage, { description: 'A page of its messages, oldest first.' }),
  next: described('Pass as "before" to get earlier messages; null at the beginning.', nullable(string())),
})
export type WholeThread = Infer<typeof WholeThread>

export const Released = object({ released: boolean({ const: true }) })
