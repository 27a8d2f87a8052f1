/** Operations for administrators of the service, who call them from the dashboard or with their session. */

import type { Account } from '../core/access/account-record.ts'
import { administrator } from '../core/access/principal.ts'
import { getAccount, usageOf } from '../core/account/accounts.ts'
import { dailyUsage } from '../core/account/daily-usage.ts'
import { changeAccount, listAccounts } from '../core/administration/accounts.ts'
import { listDestinations } from '../core/administration/destinations.ts'
import { type ProcessSample, refusalsSince, vitalsSince } from '../core/administration/processes.ts'
import { answerRequest, listRequests, type RequestOfAccount } from '../core/administration/requests.ts'
import { listMembers } from '../core/people/invitations.ts'
import { after, dayMs, hourMs, minuteMs } from '../core/process/clock.ts'
import type { Context } from '../core/process/context.ts'
import {
  AccountDetails,
  AdministeredAccount,
  accountChange,
  OpenRequest,
  Outbox,
  Processes,
  Refusals,
} from '../schemas/administration.ts'
import { identifier, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { boolean, integer, object, oneOf, optional, string } from '../schemas/infer.ts'
import { requestStates } from '../schemas/requests.ts'
import { accountShown } from './account.ts'
import { administratorOperation } from './registry.ts'
import { requestShown } from './requests.ts'

const AccountId = identifier('Id of the account (acc_...).')
const destinationsMax = 200
/** Most samples returned of one process: as many as a chart can show. */
const samplesMax = 240
/** A process whose newest sample is older than this is shown as not alive. */
const aliveMs = 3 * minuteMs

export const listAllAccounts = administratorOperation({
  name: 'administration.accounts',
  summary: 'The accounts of the service, newest first, or with "q" only those that match.',
  http: 'GET /api/v1/administration/accounts',
  input: object({
    q: optional(
      string({
        maxLength: 320,
        description: 'An id, the beginning of a name, or the address of a member or a mailbox.',
      }),
    ),
    ...paging,
  }),
  output: page('accounts', AdministeredAccount),
  errors: [],
  async handle({ ctx }, { limit = pageSizeDefault, ...rest }) {
    const { items, next } = await listAccounts(ctx, { limit, ...rest })
    return { accounts: items.map(administered), next }
  },
})

export const getAnyAccount = administratorOperation({
  name: 'administration.account',
  summary:
    'One account, with its people, what it used this month, and what it sent and received on each of the last 30 days.',
  http: 'GET /api/v1/administration/accounts/{account_id}',
  input: object({ account_id: AccountId }),
  output: AccountDetails,
  errors: ['not_found', 'conflict'],
  handle: async ({ ctx }, { account_id: id }) => detailsOf(ctx, await getAccount(ctx, id)),
})

export const changeAnyAccount = administratorOperation({
  name: 'administration.change',
  summary:
    'Change the plans or a limit of an account, suspend it, pause its sending, or lift either hold. Takes effect at once.',
  http: 'PATCH /api/v1/administration/accounts/{account_id}',
  input: object({ account_id: AccountId, ...accountChange }),
  output: AccountDetails,
  errors: ['not_found', 'conflict'],
  async handle({ ctx, session: { personId } }, { account_id: accountId, plan, agentsPlan, ...rest }) {
    const change = {
      ...rest,
      ...(plan !== undefined && { plan: plan === 'none' ? null : plan }),
      ...(agentsPlan !== undefined && { agentsPlan: agentsPlan === 'none' ? null : agentsPlan }),
    }
    return detailsOf(ctx, await changeAccount(ctx, { accountId, personId }, change))
  },
})

export const listAllRequests = administratorOperation({
  name: 'administration.requests',
  summary:
    'Requests that accounts made to the administrators: open ones, oldest first, or answered ones, newest first.',
  http: 'GET /api/v1/administration/requests',
  input: object({
    status: optional(oneOf(requestStates, { description: 'State of the requests to list.', default: 'open' })),
  }),
  output: page('requests', OpenRequest),
  errors: [],
  async handle({ ctx }, { status = 'open' }) {
    return { requests: (await listRequests(ctx, status)).map(requestOf), next: null }
  },
})

export const answerAnyRequest = administratorOperation({
  name: 'administration.answer',
  summary:
    'Answer a request; it can be answered only once, and the person is notified by mail. Granting a phone number confirms it. Granting a higher limit does not raise it: change the account for that.',
  http: 'POST /api/v1/administration/requests/{request_id}',
  input: object({
    request_id: identifier('Id of the request (ask_...).'),
    granted: boolean({ description: 'Whether the request is granted.' }),
    answer: string({
      maxLength: 2_000,
      description: 'The text that the person receives. A refusal has to give the reason.',
    }),
  }),
  output: OpenRequest,
  errors: ['not_found'],
  async handle({ ctx, session: { personId } }, { request_id: requestId, granted: isGranted, answer }) {
    return requestOf(await answerRequest(ctx, { requestId, isGranted, answer, answeredBy: personId }))
  },
})

export const getOutbox = administratorOperation({
  name: 'administration.outbox',
  summary: 'Mail that waits for delivery, by destination domain: how much, since when, and what the domain answered.',
  http: 'GET /api/v1/administration/outbox',
  input: object({}),
  output: Outbox,
  errors: [],
  async handle({ ctx }) {
    const { destinations, waiting, isComplete } = await listDestinations(ctx, destinationsMax)
    return {
      destinations: destinations.map(({ oldestAt, nextAt, answers, ...rest }) => ({
        ...rest,
        oldestAt: oldestAt.toISOString(),
        nextAt: nextAt.toISOString(),
        answers: answers.map(({ at, answer }) => ({ at: at.toISOString(), answer })),
      })),
      waiting,
      complete: isComplete,
    }
  },
})

export const getRefusals = administratorOperation({
  name: 'administration.refusals',
  summary: 'Refusals by the SMTP servers per hour, by reply code.',
  http: 'GET /api/v1/administration/refusals',
  input: object({
    days: optional(integer({ minimum: 1, maximum: 30, default: 7, description: 'How many days back, at most 30.' })),
  }),
  output: Refusals,
  errors: [],
  async handle({ ctx }, { days = 7 }) {
    const hours = await refusalsSince(ctx, after(ctx.clock.now(), -days * dayMs))
    return {
      refusals: hours.map(({ from, codes }) => ({ from: from.toISOString(), codes: Object.fromEntries(codes) })),
    }
  },
})

export const getProcesses = administratorOperation({
  name: 'administration.processes',
  summary: 'The processes of the service, with memory use, event loop delay and database latency over time.',
  http: 'GET /api/v1/administration/processes',
  input: object({
    hours: optional(
      integer({ minimum: 1, maximum: 168, default: 24, description: 'How many hours back, at most 168.' }),
    ),
  }),
  output: Processes,
  errors: [],
  async handle({ ctx }, { hours = 24 }) {
    const now = ctx.clock.now()
    const since = after(now, -hours * hourMs)
    const found = await vitalsSince(ctx, since)
    return {
      processes: found.map(({ startedAt, samples, ...process }) => ({
        ...process,
        startedAt: startedAt.toISOString(),
        alive: now.getTime() - samples.at(-1)!.at.getTime() < aliveMs,
        samples: thinned(samples, (hours * hourMs) / samplesMax).map(
          ({ at, memoryBytes, eventLoopMs, databaseMs }) => ({
            at: at.toISOString(),
            memory: memoryBytes,
            eventLoopMs,
            databaseMs,
          }),
        ),
      })),
    }
  },
})

/** Reduces the samples to one for each `spanMs`, with the worst value of each measure. */
function thinned(samples: readonly ProcessSample[], spanMs: number): readonly ProcessSample[] {
  const spans = Map.groupBy(samples, ({ at }) => Math.floor(at.getTime() / spanMs))
  return [...spans.values()].map((own) => ({
    at: own.at(-1)!.at,
    memoryBytes: Math.max(...own.map(({ memoryBytes }) => memoryBytes)),
    eventLoopMs: Math.max(...own.map(({ eventLoopMs }) => eventLoopMs)),
    databaseMs: Math.max(...own.map(({ databaseMs }) => databaseMs)),
  }))
}

async function detailsOf(ctx: Context, account: Account) {
  const [members, usage, days] = await Promise.all([
    listMembers(ctx, account.id),
    usageOf(ctx, account),
    dailyUsage(ctx, administrator(account), {}),
  ])
  return {
    ...administered(account),
    people: members.map(({ email, role, status }) => ({ email, role, status })),
    usage: {
      sent: usage.emails.sent,
      received: usage.emails.received,
      inboxes: usage.inboxes.used,
      webhooks: usage.webhooks.used,
      storage: usage.storage.usedBytes,
    },
    days,
  }
}

function administered(account: Account) {
  const { suspended, sendingPaused, raised = {} } = account
  return {
    ...accountShown(account),
    suspended: holdOf(suspended),
    sendingPaused: holdOf(sendingPaused),
    raised: { ...raised },
  }
}

const holdOf = (hold: Account['suspended']) =>
  hold === null ? null : { reason: hold.reason, at: hold.at.toISOString() }

const requestOf = ({ account, email, ...request }: RequestOfAccount) => ({ ...requestShown(request), account, email })
