import {
  createMailbox as create,
  type Mailbox as Found,
  getMailbox as get,
  listMailboxes as list,
  deleteMailbox as remove,
  updateMailbox as update,
} from '../core/mailbox/mailboxes.ts'
import { AddressPart, Deleted, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { nullable, object, oneOf, optional, string } from '../schemas/infer.ts'
import { AutoReply, DisplayName, Mailbox, Signature } from '../schemas/mailboxes.ts'
import { operation } from './registry.ts'

export const listMailboxes = operation({
  name: 'mailboxes.list',
  summary: 'The mailboxes this key can reach, newest first.',
  scope: 'mailboxes:read',
  http: 'GET /api/v1/mailboxes',
  tools: [
    {
      name: 'list_mailboxes',
      description:
        'The mailboxes that you can use, newest first. Use it to find addresses; for mail use list_messages.',
      effect: 'read',
      expose: ['limit', 'before'],
      preset: { limit: 20 },
      sizedBy: 'limit',
    },
  ],
  input: object(paging),
  output: page('mailboxes', Mailbox),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, before }) {
    const { items, next } = await list(ctx, principal, { limit, before })
    return { mailboxes: items.map(mailboxRecord), next }
  },
})

export const createMailbox = operation({
  name: 'mailboxes.create',
  summary: 'Create a mailbox on one of the domains of the account.',
  scope: 'mailboxes:write',
  http: 'POST /api/v1/mailboxes',
  status: 201,
  tools: [
    {
      name: 'create_mailbox',
      description:
        'Create a mailbox on a domain of the account, when a task needs its own address. To rename one use update_mailbox.',
      effect: 'create',
      expose: ['address', 'displayName'],
    },
  ],
  input: object({
    address: string({ maxLength: 400, description: '<local>@<domain>.' }),
    displayName: optional(nullable(DisplayName)),
    kind: optional(oneOf(['agent', 'person'], { description: 'Account keys only; "person" needs a mail plan.' })),
  }),
  output: Mailbox,
  errors: [
    'conflict',
    'domain_not_on_account',
    'domain_not_verified',
    'plan_required',
    'AGENT_INBOX_LIMIT',
    'mailbox_creation_limit',
  ],
  idempotent: true,
  async handle({ ctx, principal }, { address, displayName, kind }) {
    return mailboxRecord(await create(ctx, principal, { address, displayName, kind }))
  },
})

export const getMailbox = operation({
  name: 'mailboxes.get',
  summary: 'One mailbox.',
  scope: 'mailboxes:read',
  http: 'GET /api/v1/mailboxes/{address}',
  input: object({ address: AddressPart }),
  output: Mailbox,
  errors: [],
  async handle({ ctx, principal }, { address }) {
    return mailboxRecord(await get(ctx, principal, address))
  },
})

export const updateMailbox = operation({
  name: 'mailboxes.update',
  summary: 'Set the display name, signature or automatic reply of a mailbox; null clears a field.',
  scope: 'mailboxes:write',
  http: 'PATCH /api/v1/mailboxes/{address}',
  tools: [
    {
      name: 'update_mailbox',
      description: 'Set the display name, signature or automatic reply of a mailbox; null clears. Omitted fields stay.',
      effect: 'write',
      expose: ['address', 'displayName', 'signature', 'autoReply'],
    },
  ],
  input: object({
    address: AddressPart,
    displayName: optional(nullable(DisplayName)),
    signature: optional(nullable(Signature)),
    autoReply: optional(nullable(AutoReply)),
  }),
  output: Mailbox,
  errors: [],
  async handle({ ctx, principal }, { address, displayName, signature, autoReply }) {
    const set = autoReply && { ...autoReply, until: autoReply.until ? new Date(autoReply.until) : null }
    return mailboxRecord(await update(ctx, principal, { address, displayName, signature, autoReply: set }))
  },
})

export const deleteMailbox = operation({
  name: 'mailboxes.delete',
  summary:
    'Delete a mailbox. It stops receiving at once; its mail is purged after 30 days, and its address stays reserved until then.',
  scope: 'mailboxes:write',
  http: 'DELETE /api/v1/mailboxes/{address}',
  input: object({ address: AddressPart }),
  output: Deleted,
  errors: [],
  async handle({ ctx, principal }, { address }) {
    await remove(ctx, principal, address)
    return { deleted: true }
  },
})

/** The mailbox record (decisions.md 2, Mailboxes). */
export function mailboxRecord(mailbox: Found) {
  const { address, displayName, kind, domain, createdAt, createdBy, signature, autoReply, storage, hint } = mailbox
  return {
    address,
    displayName,
    kind,
    domain,
    createdBy,
    signature,
    createdAt: createdAt.toISOString(),
    autoReply: autoReply && { ...autoReply, until: autoReply.until?.toISOString() ?? null },
    storage: { used: storage.usedBytes, limit: storage.limitBytes },
    ...(hint !== undefined && { hint }),
  }
}
