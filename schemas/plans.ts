/** What the plans allow: the contract's two tables (interface.md, Limits), the only place these figures stand. */
const KB = 1024
const GB = KB * KB * KB

export type AgentsPlan = {
  readonly inboxes: number
  /** Sent plus received in a calendar month (UTC); sending pauses past 10 % more. */
  readonly emailsPerMonth: number
  readonly storagePerInboxBytes: number
  readonly ownDomains: number
  readonly requestsPerMinute: number
  /** Per key in a rolling 24 hours. */
  readonly inboxCreationsPerDay: number
  readonly webhookEndpoints: number
  readonly batchRecipientsPerCall: number
  readonly recipientsPerMinute: number
  readonly deliveryLogDays: number
}

export const agentsPlans = {
  free: {
    inboxes: 3,
    emailsPerMonth: 3_000,
    storagePerInboxBytes: GB,
    ownDomains: 0,
    requestsPerMinute: 120,
    inboxCreationsPerDay: 10,
    webhookEndpoints: 2,
    batchRecipientsPerCall: 20,
    recipientsPerMinute: 10,
    deliveryLogDays: 3,
  },
  developer: {
    inboxes: 50,
    emailsPerMonth: 20_000,
    storagePerInboxBytes: 2 * GB,
    ownDomains: 10,
    requestsPerMinute: 300,
    inboxCreationsPerDay: 100,
    webhookEndpoints: 10,
    batchRecipientsPerCall: 200,
    recipientsPerMinute: 60,
    deliveryLogDays: 7,
  },
  scale: {
    inboxes: 500,
    emailsPerMonth: 300_000,
    storagePerInboxBytes: 5 * GB,
    ownDomains: 50,
    requestsPerMinute: 600,
    inboxCreationsPerDay: 500,
    webhookEndpoints: 25,
    batchRecipientsPerCall: 1_000,
    recipientsPerMinute: 240,
    deliveryLogDays: 30,
  },
} as const satisfies { readonly [name: string]: AgentsPlan }

export type AgentsPlanName = keyof typeof agentsPlans
export const agentsPlanNames = Object.keys(agentsPlans) as readonly AgentsPlanName[]

export type MailPlan = {
  readonly recipientsPerMinute: number
  readonly sendsPerMonth: number
  /** null: no daily figure. */
  readonly sendsPerDay: number | null
  readonly batchRecipientsPerCall: number
  readonly webhookEndpoints: number
  readonly deliveryLogDays: number
}

export const mailPlans = {
  trial: {
    recipientsPerMinute: 10,
    sendsPerMonth: 100,
    sendsPerDay: null,
    batchRecipientsPerCall: 0,
    webhookEndpoints: 0,
    deliveryLogDays: 0,
  },
  starter: {
    recipientsPerMinute: 10,
    sendsPerMonth: 3_000,
    sendsPerDay: 300,
    batchRecipientsPerCall: 0,
    webhookEndpoints: 0,
    deliveryLogDays: 0,
  },
  growth: {
    recipientsPerMinute: 60,
    sendsPerMonth: 20_000,
    sendsPerDay: 2_000,
    batchRecipientsPerCall: 100,
    webhookEndpoints: 10,
    deliveryLogDays: 3,
  },
  pro: {
    recipientsPerMinute: 120,
    sendsPerMonth: 50_000,
    sendsPerDay: 5_000,
    batchRecipientsPerCall: 100,
    webhookEndpoints: 10,
    deliveryLogDays: 7,
  },
  business: {
    recipientsPerMinute: 240,
    sendsPerMonth: 100_000,
    sendsPerDay: 10_000,
    batchRecipientsPerCall: 100,
    webhookEndpoints: 10,
    deliveryLogDays: 30,
  },
} as const satisfies { readonly [name: string]: MailPlan }

export type MailPlanName = keyof typeof mailPlans
export const mailPlanNames = Object.keys(mailPlans) as readonly MailPlanName[]

/** The plans of one account. Either may be missing; a signup has `{ plan: null, agentsPlan: 'free' }`. */
export type Plans = { readonly plan: MailPlanName | null; readonly agentsPlan: AgentsPlanName | null }

/** What an account may do: the larger of its two plans, figure by figure. */
export type Allowance = {
  readonly requestsPerMinute: number
  readonly inboxes: number
  readonly inboxCreationsPerDay: number
  readonly storagePerInboxBytes: number
  readonly recipientsPerMinute: number
  /** null: no such limit. */
  readonly sendsPerDay: number | null
  readonly sendsPerMonth: number
  /** Sent plus received; null without an Agents plan. */
  readonly emailsPerMonth: number | null
  readonly batchRecipientsPerCall: number
  readonly webhookEndpoints: number
  readonly deliveryLogDays: number
}

/** Figures of keys and mailboxes for accounts without an Agents plan (interface.md, Rate and volume limits). */
const withoutAgentsPlan = {
  requestsPerMinute: 120,
  inboxCreationsPerDay: 10,
  storagePerInboxBytes: 5 * GB,
  inboxes: 500,
} as const

/** Sends in a day from the free shared domain, once claimed (interface.md, Limits 3). */
export const sharedDomainSendsPerDay = 50
/** Replies in a day of an unclaimed account (interface.md, Unclaimed account). */
export const unclaimedRepliesPerDay = 5
/** Sends on the first day of an account that signed up; twice as many after each clean day (decisions.md 3, Warm-up). */
export const warmUpStart = 50
/**
 * Shares of the sends of the last days that bounced or drew complaints. Above `Warm` the warm-up stops rising, above `Max`
 * sending is paused.
 */
export const sendingHealth = {
  days: 7,
  /** Shares of fewer sends than this say nothing. */
  sendsMin: 50,
  bounceRateWarm: 0.05,
  bounceRateMax: 0.1,
  complaintRateWarm: 0.001,
  complaintRateMax: 0.003,
} as const
/** Days until an unclaimed account is removed. */
export const unclaimedDays = 7
/** How far past the monthly e-mails an account may still send, as a factor (decisions.md 3, Counting). */
export const emailsGrace = 1.1

export function allowanceOf({ plan, agentsPlan }: Plans): Allowance {
  const mail = plan === null ? null : mailPlans[plan]
  const agents = agentsPlan === null ? null : agentsPlans[agentsPlan]
  const keyed = agents ?? withoutAgentsPlan
  const larger = (a: number | undefined, b: number | undefined) => Math.max(a ?? 0, b ?? 0)
  return {
    requestsPerMinute: Math.max(keyed.requestsPerMinute, withoutAgentsPlan.requestsPerMinute),
    inboxes: keyed.inboxes,
    inboxCreationsPerDay: keyed.inboxCreationsPerDay,
    storagePerInboxBytes: keyed.storagePerInboxBytes,
    recipientsPerMinute: larger(mail?.recipientsPerMinute, agents?.recipientsPerMinute),
    sendsPerDay: mail === null ? null : mail.sendsPerDay,
    sendsPerMonth: larger(mail?.sendsPerMonth, agents?.emailsPerMonth),
    emailsPerMonth: agents === null ? null : agents.emailsPerMonth,
    batchRecipientsPerCall: larger(mail?.batchRecipientsPerCall, agents?.batchRecipientsPerCall),
    webhookEndpoints: larger(mail?.webhookEndpoints, agents?.webhookEndpoints),
    deliveryLogDays: larger(mail?.deliveryLogDays, agents?.deliveryLogDays),
  }
}
