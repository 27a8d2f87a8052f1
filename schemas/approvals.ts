/** Approvals: sends of agents that wait for a person (decisions.md 2, People). */
import { identifier, line } from './fields.ts'
import {
  array,
  boolean,
  described,
  type Infer,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from './infer.ts'
import { Hidden } from './messages.ts'

/** Whether sends wait for the approval of a person: the sends of one key, or of all agent keys of an account. */
export const approvalModes = ['none', 'required'] as const
export type ApprovalMode = (typeof approvalModes)[number]

/** `void`: the draft was changed or removed after the agent asked for approval. */
export const approvalStatuses = ['waiting', 'approved', 'refused', 'expired', 'void'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

export const ApprovalId = identifier('Id of the approval (apr_...).')

const people = array(string())
/** The state of the approval of a send, as its sender sees it. */
export const ApprovalState = object({
  id: string({ description: 'Id of the approval (apr_...).' }),
  status: oneOf(approvalStatuses, {
    description: 'void: its draft was changed or removed meanwhile; send it again to request a new approval.',
  }),
  reason: nullable(string({ description: 'The message of the person to the agent.' })),
})

const approvalFields = {
  id: string(),
  email_id: string({ description: 'Id of the send (em_...).' }),
  status: oneOf(approvalStatuses),
  hash: string({ description: 'Hash of the message, its sender, recipients and time: repeat it in the decision.' }),
  mailbox: nullable(string({ description: 'null if it is sent without a mailbox.' })),
  draft_id: nullable(string({ description: 'The message in Drafts (msg_...); null without a mailbox.' })),
  keyId: string({ description: 'The key that sends (key_...).' }),
  from: string(),
  to: people,
  cc: people,
  bcc: people,
  recipients: array(string(), { description: 'Everybody who receives it, whatever the header of the message says.' }),
  subject: nullable(string()),
  sendAt: nullable(timestamp({ description: 'When it is to be sent; null: as soon as it is approved.' })),
  createdAt: timestamp(),
  expiresAt: timestamp({ description: 'When it expires without a decision.' }),
  decidedAt: nullable(timestamp()),
  decidedBy: nullable(string({ description: 'A person (usr_...) or a key (key_...).' })),
  reason: nullable(string({ description: 'The message to the agent.' })),
} as const

export const Approval = object(approvalFields)
export type Approval = Infer<typeof Approval>

/** An approval with the mail to be approved. */
export const WholeApproval = object({
  ...approvalFields,
  content: described(
    'null after a decision: approved mail is in Sent, other mail in Drafts.',
    nullable(
      object({
        text: string({ description: 'The body as a person sees it.' }),
        html: nullable(string({ description: 'The body as sanitised HTML; null without one.' })),
        hidden: array(Hidden, { description: 'Text that a person reading it does not see.' }),
        attachments: array(object({ name: string(), content_type: string(), size: integer() })),
        truncated: boolean({ description: 'Whether a body exceeds the limits for reading.' }),
      }),
    ),
  ),
})

/** Longest message of a person to the agent. */
const reasonMax = 1_000
export const decisionFields = {
  decision: oneOf(['approve', 'refuse'], { description: 'Whether it is sent, or stays a draft.' }),
  hash: string({
    maxLength: 64,
    description: 'The hash of the approval that was reviewed: `conflict` if the content has changed.',
  }),
  reason: optional(line(reasonMax, 'The price is out of date', { description: 'Message to the agent.' })),
} as const
