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

/** Whether sends wait for the approval of a person: of a key, or of all that are agents of an account. */
export const approvalModes = ['none', 'required'] as const
export type ApprovalMode = (typeof approvalModes)[number]

/** `void`: the draft was changed or taken away after the agent had asked. */
export const approvalStatuses = ['waiting', 'approved', 'refused', 'expired', 'void'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

export const ApprovalId = identifier('Id of the approval (apr_...).')

const people = array(string())
/** How a send stands with its approval, as who made it sees it. */
export const ApprovalState = object({
  id: string({ description: 'Id of the approval (apr_...).' }),
  status: oneOf(approvalStatuses, {
    description: 'void: its draft was changed or taken away meanwhile; send it again to ask anew.',
  }),
  reason: nullable(string({ description: 'What the person writes to the agent.' })),
})

const approvalFields = {
  id: string(),
  email_id: string({ description: 'The id that the send has (em_...).' }),
  status: oneOf(approvalStatuses),
  hash: string({ description: 'Of the message, its sender, its recipients and its time: repeat it to decide.' }),
  mailbox: nullable(string({ description: 'null when it is sent without one.' })),
  draft_id: nullable(string({ description: 'The message in Drafts (msg_...); null without a mailbox.' })),
  keyId: string({ description: 'The key that asks (key_...).' }),
  from: string(),
  to: people,
  cc: people,
  bcc: people,
  recipients: array(string(), { description: 'All to whom it goes, whatever the header of the message says.' }),
  subject: nullable(string()),
  sendAt: nullable(timestamp({ description: 'When it is to be sent; null: as soon as it is approved.' })),
  createdAt: timestamp(),
  expiresAt: timestamp({ description: 'When it expires if nobody decides.' }),
  decidedAt: nullable(timestamp()),
  decidedBy: nullable(string({ description: 'A person (usr_...) or a key (key_...).' })),
  reason: nullable(string({ description: 'What was written to the agent.' })),
} as const

export const Approval = object(approvalFields)
export type Approval = Infer<typeof Approval>

/** An approval with what is to be approved. */
export const WholeApproval = object({
  ...approvalFields,
  content: described(
    'null when it was decided: approved mail lies in Sent, other mail in Drafts.',
    nullable(
      object({
        text: string({ description: 'The body as a person sees it.' }),
        html: nullable(string({ description: 'The body as sanitised HTML; null without one.' })),
        hidden: array(Hidden, { description: 'Text that a person who reads it does not see.' }),
        attachments: array(object({ name: string(), content_type: string(), size: integer() })),
        truncated: boolean({ description: 'Whether a body is past the limits of reading.' }),
      }),
    ),
  ),
})

/** Longest word of a person to the agent. */
const reasonMax = 1_000
export const decisionFields = {
  decision: oneOf(['approve', 'refuse'], { description: 'Whether it goes out, or stays a draft.' }),
  hash: string({
    maxLength: 64,
    description: 'The hash of the approval, as it was read: another content is `conflict`.',
  }),
  reason: optional(line(reasonMax, 'The price is out of date', { description: 'What the agent is told.' })),
} as const
