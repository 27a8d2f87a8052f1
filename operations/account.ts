import { type Usage as AccountUsage, mintClaimLink, requireInboxKey, usageOf } from '../core/account/accounts.ts'
import { setApproval } from '../core/account/approval.ts'
import { dailyUsage } from '../core/account/daily-usage.ts'
import { setupOf } from '../core/account/setup.ts'
import { requirePasswordOf } from '../core/people/sign-in.ts'
import { beginErasure } from '../core/personal/erase.ts'
import * as exports from '../core/personal/export-jobs.ts'
import {
  Account,
  AccountApproval,
  AccountExport,
  ClaimLink,
  DailyUsage,
  DayOrTime,
  Setup,
  Usage,
} from '../schemas/accounts.ts'
import { AddressPart } from '../schemas/fields.ts'
import { boolean, described, object, optional, string } from '../schemas/infer.ts'
import { Password } from '../schemas/people.ts'
import { type Call, operation } from './registry.ts'

export const claimAccount = operation({
  name: 'account.claim',
  summary:
    'Create a new single-use claim link for the person who will own the account, which voids the previous link. For keys of its inboxes, until the account is claimed.',
  scope: null,
  http: 'POST /api/v1/account/claim',
  status: 201,
  input: object({}),
  output: ClaimLink,
  errors: ['conflict'],
  idempotent: true,
  reach: ({ principal }) => requireInboxKey(principal),
  async handle({ ctx, principal }) {
    const { claimUrl, expiresAt } = await mintClaimLink(ctx, principal)
    return { claim_url: claimUrl, expires_at: expiresAt.toISOString() }
  },
})

export const getAccount = operation({
  name: 'account.get',
  summary: 'The account of the key: name, status, plans.',
  scope: null,
  http: 'GET /api/v1/account',
  tools: [
    {
      name: 'get_account_summary',
      description:
        'The account of your key: status, plans, claim deadline. Use it when an error names the plan or account, not before routine work.',
      effect: 'read',
      expose: [],
    },
  ],
  input: object({}),
  output: Account,
  errors: [],
  handle: async ({ principal }) => accountShown(principal.account),
})

export const getSetup = operation({
  name: 'account.setup',
  summary:
    'The setup steps that are left (claim, name, domain, DNS, first mail, webhook), each with what this caller has to do.',
  scope: null,
  http: 'GET /api/v1/account/setup',
  tools: [
    {
      name: 'get_setup_summary',
      description: 'Setup steps that are left, each with what to do. Use it when an error says what is missing.',
      effect: 'read',
      expose: [],
    },
  ],
  input: object({}),
  output: Setup,
  errors: [],
  handle: async ({ ctx, principal }) => ({ steps: await setupOf(ctx, principal) }),
})

export const updateAccount = operation({
  name: 'account.update',
  summary: 'Set whether sends of agents wait for the approval of a person. Sends that already wait keep waiting.',
  by: 'owner',
  scope: null,
  http: 'PATCH /api/v1/account',
  input: object({ approval: AccountApproval }),
  output: Account,
  errors: [],
  handle: async ({ ctx, principal }, { approval }) =>
    accountShown(await setApproval(ctx, principal.accountId, approval)),
})

/** An account as callers see it. */
export function accountShown(account: Call['principal']['account']) {
  const { id, name, status, plan, agentsPlan, claimExpiresAt, owner, approval, sandbox, createdAt } = account
  return {
    id,
    name,
    status,
    plan,
    agentsPlan,
    ...(claimExpiresAt !== null && { claimExpiresAt: claimExpiresAt.toISOString() }),
    ...(owner !== null && { owner }),
    approval,
    sandbox,
    createdAt: createdAt.toISOString(),
  }
}

/** The scopes for everything that an export contains. */
const readsAll = ['mail:read', 'mail:send', 'mailboxes:read', 'domains:read', 'aliases:read'] as const

export const requestExport = operation({
  name: 'account.export',
  summary:
    'Request a copy of everything in the account: mail as mbox, the rest as JSON, in one zip file. For account keys and owners.',
  by: 'account',
  scope: readsAll,
  http: 'POST /api/v1/account/export',
  status: 202,
  input: object({}),
  output: AccountExport,
  errors: [],
  handle: async ({ ctx, principal }) => exportOf(await exports.requestExport(ctx, principal)),
})

export const getExport = operation({
  name: 'account.getExport',
  summary: 'The progress of the newest export, and the link to its file once it is done. For account keys and owners.',
  by: 'account',
  scope: readsAll,
  http: 'GET /api/v1/account/export',
  input: object({}),
  output: AccountExport,
  errors: ['not_found'],
  handle: async ({ ctx, principal }) => exportOf(await exports.getExport(ctx, principal)),
})

export const eraseAccount = operation({
  name: 'account.erase',
  summary:
    'Erase the account and everything in it permanently, including people who are in no other account. Its keys, sessions, addresses and webhooks stop working at once; the rest is erased within minutes.',
  by: 'owner',
  scope: null,
  http: 'POST /api/v1/account/erase',
  status: 202,
  input: object({
    confirm: string({ maxLength: 255, description: 'The name of the account.' }),
    password: described('Password of the person who makes the request.', Password),
  }),
  output: object({ erasing: boolean() }),
  errors: ['conflict'],
  async handle({ ctx, principal, peerAddress }, { confirm, password }) {
    await requirePasswordOf(ctx, principal.keyId, { password, peerAddress })
    await beginErasure(ctx, principal.account, confirm)
    return { erasing: true }
  },
})

function exportOf({ id, state, written, total, createdAt, file }: exports.ExportState) {
  return {
    id,
    state,
    progress: { written, total },
    createdAt: createdAt.toISOString(),
    url: file?.url ?? null,
    size: file?.sizeBytes ?? null,
    expiresAt: file?.expiresAt.toISOString() ?? null,
  }
}

export const getUsage = operation({
  name: 'usage.get',
  summary: 'What the account has used in the current period, and its limits.',
  scope: null,
  http: 'GET /api/v1/usage',
  input: object({}),
  output: Usage,
  errors: [],
  async handle({ ctx, principal }) {
    return usageRecord(await usageOf(ctx, principal.account))
  },
})

export function usageRecord({ period, storage, ...usage }: AccountUsage) {
  return {
    ...usage,
    period: { from: period.from.toISOString(), to: period.to.toISOString() },
    storage: { used: storage.usedBytes, limit: storage.limitBytes },
  }
}

export const getDailyUsage = operation({
  name: 'usage.daily',
  summary: 'Mail sent and received per day, by all mailboxes that the key reaches or by one of them.',
  scope: 'mail:read',
  http: 'GET /api/v1/usage/daily',
  input: object({
    since: optional(described('The first day (UTC), at most 90 days ago. Default: 29 days ago.', DayOrTime)),
    mailbox: optional(AddressPart),
  }),
  output: DailyUsage,
  errors: ['mailbox_not_found'],
  async handle({ ctx, principal }, { since, mailbox }) {
    const days = await dailyUsage(ctx, principal, {
      ...(since !== undefined && { since: new Date(since) }),
      ...(mailbox !== undefined && { mailbox }),
    })
    return { days }
  },
})
