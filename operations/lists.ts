import { getLists as get, setLists as set } from '../core/mailbox/sender-lists.ts'
import { AddressPart } from '../schemas/fields.ts'
import { object, optional } from '../schemas/infer.ts'
import { listFields, MailboxLists } from '../schemas/mailboxes.ts'
import { operation } from './registry.ts'

export const getLists = operation({
  name: 'lists.get',
  summary: 'Whom a mailbox may send to, and whose mail it accepts.',
  scope: 'mailboxes:read',
  http: 'GET /api/v1/mailboxes/{address}/lists',
  input: object({ address: AddressPart }),
  output: MailboxLists,
  errors: [],
  handle: ({ ctx, principal }, { address }) => get(ctx, principal, address),
})

export const setLists = operation({
  name: 'lists.set',
  summary: 'Replace the lists of a mailbox; omitted lists stay unchanged. Not for agent keys.',
  scope: 'mailboxes:write',
  http: 'PUT /api/v1/mailboxes/{address}/lists',
  input: object({
    address: AddressPart,
    sendAllow: optional(listFields.sendAllow),
    sendBlock: optional(listFields.sendBlock),
    receiveAllow: optional(listFields.receiveAllow),
    receiveBlock: optional(listFields.receiveBlock),
  }),
  output: MailboxLists,
  errors: [],
  handle: ({ ctx, principal }, { address, ...lists }) => set(ctx, principal, { address, ...lists }),
})
