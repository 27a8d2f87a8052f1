/** What the plans allow: the contract's two tables (interface.md, Limits), the only place that has these figures. */
const KB = 1024
const GB = KB * KB * KB

export type AgentsPlan = {
  readonly usdPerMonth: number
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
    usdPerMonth: 0,
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
    usdPerMonth: 15,
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
    usdPerMonth: 150,
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
  /** A separate budget, for campaigns. */
  readonly marketingSendsPerMonth: number
  readonly batchRecipientsPerCall: number
  readonly webhookEndpoints: number
  readonly deliveryLogDays: number
  /** Whether `message.received` and `message.sent` are sent. */
  readonly messageEvents: boolean
  readonly intake: boolean
  /** Whether Intake may be set up; it starts working with a plan that includes Intake. */
  readonly intakeSetUp: boolean
  /** Mails that Lens reads in a month; more are counted as extra usage. */
  readonly lensPerMonth: number
  readonly mcp: boolean
}

export const mailPlans = {
  trial: {
    recipientsPerMinute: 10,
    sendsPerMonth: 100,
    sendsPerDay: null,
    marketingSendsPerMonth: 0,
    batchRecipientsPerCall: 0,
    webhookEndpoints: 0,
    deliveryLogDays: 0,
    messageEvents: false,
    intake: false,
    intakeSetUp: true,
    lensPerMonth: 0,
    mcp: true,
  },
  starter: {
    recipientsPerMinute: 10,
    sendsPerMonth: 3_000,
    sendsPerDay: 300,
    marketingSendsPerMonth: 0,
    batchRecipientsPerCall: 0,
    webhookEndpoints: 0,
    deliveryLogDays: 0,
    messageEvents: false,
    intake: false,
    intakeSetUp: false,
    lensPerMonth: 0,
    mcp: false,
  },
  growth: {
    recipientsPerMinute: 60,
    sendsPerMonth: 20_000,
    sendsPerDay: 2_000,
    marketingSendsPerMonth: 3_000,
    batchRecipientsPerCall: 100,
    webhookEndpoints: 10,
    deliveryLogDays: 3,
    messageEvents: false,
    intake: false,
    intakeSetUp: false,
    lensPerMonth: 0,
    mcp: true,
  },
  pro: {
    recipientsPerMinute: 120,
    sendsPerMonth: 50_000,
    sendsPerDay: 5_000,
    marketingSendsPerMonth: 25_000,
    batchRecipientsPerCall: 100,
    webhookEndpoints: 10,
    deliveryLogDays: 7,
    messageEvents: true,
    intake: true,
    intakeSetUp: true,
    lensPerMonth: 500,
    mcp: true,
  },
  business: {
    recipientsPerMinute: 240,
    sendsPerMonth: 100_000,
    sendsPerDay: 10_000,
    marketingSendsPerMonth: 100_000,
    batchRecipientsPerCall: 100,
    webhookEndpoints: 10,
    deliveryLogDays: 30,
    messageEvents: true,
    intake: true,
    intakeSetUp: true,
    lensPerMonth: 2_000,
    mcp: true,
  },
} as const satisfies { readonly [name: string]: MailPlan }

export type MailPlanName = keyof typeof mailPlans
export const mailPlanNames = Object.keys(mailPlans) as readonly MailPlanName[]

/**
 * The figures that an administrator may raise for one account, with what they count. A figure that both kinds of plan have is the
 * larger of the two.
 */
export const figures = {
  requestsPerMinute: 'requests of a key in a minute',
  inboxes: 'mailboxes',
  inboxCreationsPerDay: 'mailboxes that a key creates in 24 hours',
  storagePerInboxBytes: 'bytes of a mailbox',
  ownDomains: 'domains of its own',
  emailsPerMonth: 'emails in a month, sent and received, of an Agents plan',
  sendsPerMonth: 'recipients written to in a month',
  sendsPerDay: 'recipients written to in a day, also while a new account warms up',
  sharedDomainSendsPerDay: 'recipients written to in a day from the free address',
  recipientsPerMinute: 'recipients written to in a minute',
  marketingSendsPerMonth: 'marketing sends in a month',
  batchRecipientsPerCall: 'recipients of a batch',
  webhookEndpoints: 'webhook endpoints',
  deliveryLogDays: 'days of the delivery log',
  lensPerMonth: 'mails that Lens reads in a month before they are extra usage',
} as const
export type Figure = keyof typeof figures
export const figureNames = Object.keys(figures) as readonly Figure[]

/** Figures raised above those of the plans. */
export type Raised = { readonly [figure in Figure]?: number }

/** The plans of one account. Either may be missing; a signup has `{ plan: null, agentsPlan: 'free' }`. */
export type Plans = {
  readonly plan: MailPlanName | null
  readonly agentsPlan: AgentsPlanName | null
  readonly raised?: Raised
}

/** Figures that may be null, which means no limit. */
type Unlimited = 'sendsPerDay' | 'emailsPerMonth'

/** What an account may do: the larger of its two plans, figure by figure, or what it was raised to. */
export type Allowance = { readonly [figure in Exclude<Figure, Unlimited>]: number } & {
  readonly [figure in Unlimited]: number | null
} & Pick<MailPlan, 'messageEvents' | 'intake' | 'intakeSetUp' | 'mcp'>

/** Figures of keys, mailboxes and domains for accounts without an Agents plan (interface.md, Rate and volume limits). */
export const withoutAgentsPlan = {
  requestsPerMinute: 120,
  inboxCreationsPerDay: 10,
  storagePerInboxBytes: 5 * GB,
  inboxes: 500,
} as const
/** Own domains of an account with a mail plan, which is made for own domains; the contract gives no figure. */
export const ownDomainsOfMailPlans = 50

/** Sends in a day from the free shared domain, once claimed (interface.md, Limits 3). */
export const sharedDomainSendsPerDay = 50
/** Replies in a day of an unclaimed account (interface.md, Unclaimed account). */
export const unclaimedRepliesPerDay = 5
/** Sends on the first day of an account that signed up; twice as many after each clean day (decisions.md 3, Warm-up). */
export const warmUpStart = 50
/**
 * Shares of the sends of the last days that bounced or got complaints. Above `Warm` the warm-up stops rising, above `Max`
 * sending is paused.
 */
export const sendingHealth = {
  days: 7,
  /** Shares of fewer sends than this are not meaningful. */
  sendsMin: 50,
  bounceRateWarm: 0.05,
  bounceRateMax: 0.1,
  complaintRateWarm: 0.001,
  complaintRateMax: 0.003,
} as const
/** Days until an unclaimed account is removed. */
export const unclaimedDays = 7

/** The emails of a month at which sending pauses: 10 % more than the Agents plan includes (decisions.md 3, Counting). */
export function withGrace(emailsPerMonth: number): number {
  return emailsPerMonth + Math.floor(emailsPerMonth / 10)
}

const allowances = new WeakMap<Plans, Allowance>()

/** Returns what the plans of an account allow: the larger figure of the two plans, or what it was raised to. Remembers its results. */
export function allowanceOf(plans: Plans): Allowance {
  const known = allowances.get(plans)
  if (known !== undefined) return known
  const allowance = reckon(plans)
  allowances.set(plans, allowance)
  return allowance
}

function reckon({ plan, agentsPlan, raised = {} }: Plans): Allowance {
  const mail = plan === null ? null : mailPlans[plan]
  const agents = agentsPlan === null ? null : agentsPlans[agentsPlan]
  const keyed = agents ?? withoutAgentsPlan
  const largest = (figure: Figure, ...planned: readonly (number | undefined)[]) =>
    Math.max(raised[figure] ?? 0, ...planned.map((each) => each ?? 0))
  const emailsPerMonth = agents === null ? null : largest('emailsPerMonth', agents.emailsPerMonth)
  return {
    requestsPerMinute: largest('requestsPerMinute', keyed.requestsPerMinute, withoutAgentsPlan.requestsPerMinute),
    inboxes: largest('inboxes', keyed.inboxes),
    inboxCreationsPerDay: largest('inboxCreationsPerDay', keyed.inboxCreationsPerDay),
    storagePerInboxBytes: largest('storagePerInboxBytes', keyed.storagePerInboxBytes),
    ownDomains: largest('ownDomains', mail === null ? 0 : ownDomainsOfMailPlans, agents?.ownDomains),
    emailsPerMonth,
    sendsPerMonth: largest('sendsPerMonth', mail?.sendsPerMonth, emailsPerMonth ?? 0),
    sendsPerDay: mail === null || mail.sendsPerDay === null ? null : largest('sendsPerDay', mail.sendsPerDay),
    sharedDomainSendsPerDay: largest('sharedDomainSendsPerDay', sharedDomainSendsPerDay),
    recipientsPerMinute: largest('recipientsPerMinute', mail?.recipientsPerMinute, agents?.recipientsPerMinute),
    marketingSendsPerMonth: largest('marketingSendsPerMonth', mail?.marketingSendsPerMonth),
    batchRecipientsPerCall: largest(
      'batchRecipientsPerCall',
      mail?.batchRecipientsPerCall,
      agents?.batchRecipientsPerCall,
    ),
    webhookEndpoints: largest('webhookEndpoints', mail?.webhookEndpoints, agents?.webhookEndpoints),
    deliveryLogDays: largest('deliveryLogDays', mail?.deliveryLogDays, agents?.deliveryLogDays),
    // Every Agents plan includes message webhooks (interface.md, Events).
    messageEvents: agents !== null || (mail?.messageEvents ?? false),
    lensPerMonth: largest('lensPerMonth', mail?.lensPerMonth),
    intake: mail?.intake ?? false,
    intakeSetUp: mail?.intakeSetUp ?? false,
    mcp: agents !== null || (mail?.mcp ?? true),
  }
}
