/**
 * The states of an account, and what each refuses (interface.md, States and transitions; decisions.md 3, Suspended). An
 * account may be in several at once: the first one in this order that refuses an act gives the reason.
 */
import type { FailureOfOneCause } from './failures.ts'

/**
 * What an account does: `ask` is any request by REST or MCP, `logIn` a login by SMTP or IMAP, `reply` a send to people who
 * wrote first, `send` one to anybody else, `receive` mail that comes in.
 */
export const acts = ['ask', 'logIn', 'reply', 'send', 'receive'] as const
export type Act = (typeof acts)[number]

type Row = { readonly [A in Act]: FailureOfOneCause | null }

const sendsRefused = (code: FailureOfOneCause): Row => ({
  ask: null,
  logIn: null,
  reply: code,
  send: code,
  receive: null,
})

/** The failure code that answers each act; null: the act is allowed. */
export const accountStates = {
  removed: {
    ask: 'invalid_api_key',
    logIn: 'invalid_api_key',
    reply: 'account_suspended',
    send: 'account_suspended',
    receive: 'mailbox_not_found',
  },
  suspended: { ...sendsRefused('account_suspended'), ask: 'account_suspended', logIn: 'account_suspended' },
  /** Paused by its partner. */
  paused: sendsRefused('account_paused'),
  sendingPaused: sendsRefused('sending_paused'),
  /** Being moved into another account, whose person claimed it: in a moment its keys work there. */
  moved: { ask: 'unavailable', logIn: 'unavailable', reply: null, send: null, receive: null },
  unclaimed: { ...sendsRefused('CLAIM_REQUIRED'), reply: null },
  active: { ask: null, logIn: null, reply: null, send: null, receive: null },
} as const satisfies { readonly [state: string]: Row }

export type AccountState = keyof typeof accountStates

/** Why an account in these states may not do something; null when it may. `states` are in the order of the table. */
export function refusalIn(states: readonly AccountState[], act: Act): FailureOfOneCause | null {
  return states.map((state) => accountStates[state][act]).find((code) => code !== null) ?? null
}
