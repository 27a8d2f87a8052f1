import { mintClaimLink, requireInboxKey, usageOf } from '../core/account/accounts.ts'
import { Account, ClaimLink, Usage } from '../schemas/accounts.ts'
import { object } from '../schemas/infer.ts'
import { operation } from './registry.ts'

export const claimAccount = operation({
  name: 'account.claim',
  summary: 'Make a fresh single-use claim link for the person who will own the account; the older link is void.',
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
  tools: [{ name: 'get_account_summary', effect: 'read', expose: [] }],
  input: object({}),
  output: Account,
  errors: [],
  async handle({ principal }) {
    const { id, name, status, plan, agentsPlan, claimExpiresAt, owner, sandbox, createdAt } = principal.account
    return {
      id,
      name,
      status,
      plan,
      agentsPlan,
      ...(claimExpiresAt !== null && { claimExpiresAt: claimExpiresAt.toISOString() }),
      ...(owner !== null && { owner }),
      sandbox,
      createdAt: createdAt.toISOString(),
    }
  },
})

export const getUsage = operation({
  name: 'usage.get',
  summary: 'What the account used and may use.',
  scope: null,
  http: 'GET /api/v1/usage',
  input: object({}),
  output: Usage,
  errors: [],
  async handle({ ctx, principal }) {
    const { period, storage, ...usage } = await usageOf(ctx, principal)
    return {
      ...usage,
      period: { from: period.from.toISOString(), to: period.to.toISOString() },
      storage: { used: storage.usedBytes, limit: storage.limitBytes },
    }
  },
})
