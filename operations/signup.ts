import { claimHeaders } from '../core/access/principal.ts'
import { signup } from '../core/account/accounts.ts'
import { SignupResult } from '../schemas/accounts.ts'
import { object, optional, string } from '../schemas/infer.ts'
import { publicOperation } from './registry.ts'

/** Longer than any valid name or local part, so that core refuses those that are too long: its message is clearer than a schema's. */
const nameMax = 200

export const createSignup = publicOperation({
  name: 'signup.create',
  summary: 'Get a free address, an inbox on it and a key bound to that inbox, without an account.',
  http: 'POST /api/v1/signup',
  status: 201,
  tools: [
    {
      name: 'sign_up',
      description:
        'Get an address, an inbox and a key for it, without an account. Use it once, and store api_key: it is shown only here. The key can read, and reply to who wrote first. Give claim_url to the person who will own the inbox; unclaimed, all of it is deleted at expires_at.',
      effect: 'create',
      expose: ['name', 'inbox'],
    },
  ],
  input: object({
    name: optional(string({ maxLength: nameMax, description: 'Account name and DNS label, 3 to 40 of a-z 0-9 -.' })),
    inbox: optional(string({ maxLength: nameMax, description: 'Local part of the inbox. Default: agent.' })),
  }),
  output: SignupResult,
  errors: ['conflict'],
  async handle({ ctx, headers, peerAddress }, { name, inbox }) {
    const { account, address, apiKey, claimUrl, expiresAt } = await signup(ctx, { name, inbox, address: peerAddress })
    Object.assign(headers, claimHeaders(account))
    return {
      address,
      api_key: apiKey,
      claim_url: claimUrl,
      expires_at: expiresAt.toISOString(),
      base_url: `${ctx.baseUrl}/api/v1/mailboxes/${encodeURIComponent(address).replace('%40', '@')}`,
      mcp_url: `${ctx.baseUrl}/api/mcp`,
    }
  },
})
