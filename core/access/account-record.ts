/** The account of a caller, as the functions of core use it. */
import { type AccountState, type Act, accountStates, refusalIn } from '../../schemas/account-states.ts'
import type { ApprovalMode } from '../../schemas/approvals.ts'
import { Failure } from '../../schemas/failures.ts'
import type { Plans } from '../../schemas/plans.ts'
import type { AccountDoc, Hold } from '../../store/documents/accounts.ts'

export type Account = Plans & {
  readonly id: string
  readonly name: string
  /** The state that callers are shown: the gravest one. */
  readonly status: 'unclaimed' | 'active' | 'paused' | 'suspended'
  /** All states that the account is in, in the order of schemas/account-states.ts. */
  readonly states: readonly AccountState[]
  readonly sandbox: boolean
  readonly createdAt: Date
  readonly claimExpiresAt: Date | null
  readonly owner: string | null
  /** The holds on the account, each with its reason. */
  readonly sendingPaused: Hold | null
  readonly paused: Hold | null
  readonly suspended: Hold | null
  readonly warmUp: AccountDoc['warmUp']
  readonly phoneVerified: boolean
  /** Whether the sends of its agents wait for the approval of a person. */
  readonly approval: ApprovalMode
}

/** The failure for an account that does not exist, or does not exist any more. */
export function noAccount(accountId: string): Failure {
  return new Failure('not_found', `There is no account ${accountId}.`, { fix: useAnAccountId })
}

export const useAnAccountId = 'Use an id from "mailroom account list" (acc_...).'

/** Makes the record of an account. A removed account is shown as suspended, and one that is moving into another as active. */
export function accountOf(doc: AccountDoc): Account {
  const { _id, name, plan, agentsPlan, raised, sandbox, createdAt, claimExpiresAt = null, owner, warmUp } = doc
  const { sendingPaused, paused = null, suspended = null } = doc
  const states = statesOf(doc)
  return {
    id: _id,
    name,
    status: shownAs(states),
    states,
    plan,
    agentsPlan,
    ...(raised !== undefined && { raised }),
    sandbox,
    createdAt,
    claimExpiresAt,
    owner,
    sendingPaused,
    paused,
    suspended,
    warmUp,
    phoneVerified: doc.phoneVerifiedAt !== undefined,
    approval: doc.approval ?? 'none',
  }
}

/** The states that an account is in, in the order of schemas/account-states.ts: its status and its holds. */
export function statesOf({ status, suspended, paused, sendingPaused }: AccountDoc): readonly AccountState[] {
  const isIn = { suspended, paused, sendingPaused }
  const isHeld = (state: AccountState) => isIn[state as keyof typeof isIn] != null
  return (Object.keys(accountStates) as AccountState[]).filter((state) => state === status || isHeld(state))
}

function shownAs(states: readonly AccountState[]): Account['status'] {
  const [gravest] = states.filter((state) => state !== 'sendingPaused')
  if (gravest === 'moved') return 'active'
  return gravest === undefined || gravest === 'removed' ? 'suspended' : gravest
}

/** The document of an account that the service makes for itself, with the largest plans. */
export function ownAccount(name: string, { _id, createdAt }: Pick<AccountDoc, '_id' | 'createdAt'>): AccountDoc {
  return {
    _id,
    name,
    status: 'active',
    plan: 'business',
    agentsPlan: 'scale',
    sandbox: false,
    createdAt,
    owner: null,
    inboxes: 0,
    webhooks: 0,
    eventSeqFloor: 0,
    sendingPaused: null,
  }
}

/** Whether no person has claimed the account yet. */
export const isUnclaimed = ({ states }: Pick<Account, 'states'>): boolean => states.includes('unclaimed')

/** Fails with the code by which the account's states refuse an act (schemas/account-states.ts). */
export function requireAllowed({ states, sendingPaused }: Pick<Account, 'states' | 'sendingPaused'>, act: Act): void {
  const code = refusalIn(states, act)
  if (code === null) return
  if (code === 'sending_paused' && sendingPaused !== null)
    throw new Failure(code, `Sending is paused: ${sendingPaused.reason}.`)
  throw new Failure(code)
}
