import { listAudit as list } from '../core/access/audit-list.ts'
import { AuditEntry } from '../schemas/accounts.ts'
import { identifier, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object, optional, timestamp } from '../schemas/infer.ts'
import { operation } from './registry.ts'

export const listAudit = operation({
  name: 'audit.list',
  summary: 'The audit trail of the account, newest first: sends, refusals, sign-ins, changes of keys and settings.',
  by: 'account',
  scope: null,
  http: 'GET /api/v1/audit',
  input: object({
    action: optional(identifier('Only this action, such as messages.send.')),
    outcome: optional(identifier('Only this outcome: done, or the code of a refusal.')),
    key_id: optional(identifier('Only what this key (key_...) or program (gnt_...) did.')),
    user_id: optional(identifier('Only what this person did (usr_...).')),
    since: optional(timestamp({ description: 'From this time on.' })),
    until: optional(timestamp({ description: 'Before this time.' })),
    ...paging,
  }),
  output: page('entries', AuditEntry),
  errors: [],
  async handle(
    { ctx, principal },
    { action, outcome, key_id, user_id, since, until, limit = pageSizeDefault, before },
  ) {
    const { items, next } = await list(ctx, principal, {
      ...(action !== undefined && { action }),
      ...(outcome !== undefined && { outcome }),
      ...(key_id !== undefined && { keyId: key_id }),
      ...(user_id !== undefined && { userId: user_id }),
      ...(since !== undefined && { since: new Date(since) }),
      ...(until !== undefined && { until: new Date(until) }),
      ...(before !== undefined && { before }),
      limit,
    })
    return { entries: items.map(({ at, ...entry }) => ({ ...entry, at: at.toISOString() })), next }
  },
})
