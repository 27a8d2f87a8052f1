import {
  createAlias as create,
  type Alias as Found,
  listAliases as list,
  deleteAlias as remove,
} from '../core/mailbox/aliases.ts'
import { Alias, AliasName, Targets } from '../schemas/aliases.ts'
import { Deleted, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object } from '../schemas/infer.ts'
import { operation } from './registry.ts'

export const listAliases = operation({
  name: 'aliases.list',
  summary: 'The aliases of the account, newest first. Account keys only.',
  scope: 'aliases:read',
  http: 'GET /api/v1/aliases',
  tools: [
    {
      name: 'list_aliases',
      description:
        'Additional addresses whose mail is delivered to mailboxes of the account. For the mailboxes use list_mailboxes.',
      effect: 'read',
      expose: ['limit', 'before'],
      preset: { limit: 20 },
      sizedBy: 'limit',
    },
  ],
  input: object(paging),
  output: page('aliases', Alias),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, before }) {
    const { items, next } = await list(ctx, principal, { limit, before })
    return { aliases: items.map(aliasRecord), next }
  },
})

export const createAlias = operation({
  name: 'aliases.create',
  summary:
    'Deliver mail for an address to mailboxes of the account; *@domain catches every address without a mailbox or alias. Account keys only.',
  scope: 'aliases:write',
  http: 'POST /api/v1/aliases',
  status: 201,
  tools: [
    {
      name: 'create_alias',
      description:
        'Deliver mail for one more address to existing mailboxes; *@domain catches addresses without a mailbox or alias. For an address with its own mailbox use create_mailbox.',
      effect: 'create',
      expose: ['alias', 'targets'],
    },
  ],
  input: object({ alias: AliasName, targets: Targets }),
  output: Alias,
  errors: ['domain_not_on_account', 'domain_not_verified', 'mailbox_not_found', 'conflict'],
  idempotent: true,
  async handle({ ctx, principal }, { alias, targets }) {
    return aliasRecord(await create(ctx, principal, { alias, targets }))
  },
})

export const deleteAlias = operation({
  name: 'aliases.delete',
  summary: 'Delete an alias; its address can be reused at once. Account keys only.',
  scope: 'aliases:write',
  http: 'DELETE /api/v1/aliases/{alias}',
  tools: [
    {
      name: 'delete_alias',
      description: 'Delete an alias; mail to it is refused from then on. Mail that already arrived stays.',
      effect: 'delete',
      expose: ['alias'],
    },
  ],
  input: object({ alias: AliasName }),
  output: Deleted,
  errors: ['alias_not_found'],
  async handle({ ctx, principal }, { alias }) {
    await remove(ctx, principal, alias)
    return { deleted: true }
  },
})

function aliasRecord({ alias, targets, createdAt }: Found): Alias {
  return { alias, targets, createdAt: createdAt.toISOString() }
}
