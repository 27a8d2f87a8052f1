/** The record of an account, as callers see it. */
import type { Plans } from '../../schemas/plans.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'

export type Account = Plans & {
  readonly id: string
  readonly name: string
  readonly status: 'unclaimed' | 'active' | 'paused' | 'suspended'
  readonly sandbox: boolean
  readonly createdAt: Date
  readonly claimExpiresAt: Date | null
  readonly owner: string | null
  readonly sendingPaused: { readonly reason: string; readonly at: Date } | null
  readonly warmUp: AccountDoc['warmUp']
  readonly phoneVerified: boolean
}

/** Makes the record of an account. A removed account is shown as suspended. */
export function accountOf(doc: AccountDoc): Account {
  const {
    _id,
    name,
    status,
    plan,
    agentsPlan,
    sandbox,
    createdAt,
    claimExpiresAt = null,
    owner,
    sendingPaused,
    warmUp,
  } = doc
  return {
    id: _id,
    name,
    status: status === 'removed' ? 'suspended' : status,
    plan,
    agentsPlan,
    sandbox,
    createdAt,
    claimExpiresAt,
    owner,
    sendingPaused,
    warmUp,
    phoneVerified: doc.phoneVerifiedAt !== undefined,
  }
}
