/** The figures of the contract (interface.md, Limits), written down a second time from its two tables and their rules. */
import { expect } from 'chai'
import {
  type Allowance,
  agentsPlanNames,
  agentsPlans,
  allowanceOf,
  type Figure,
  figureNames,
  mailPlanNames,
  mailPlans,
  type Plans,
  sendingHealth,
  unclaimedDays,
  unclaimedRepliesPerDay,
  warmUpStart,
  withGrace,
} from '../../schemas/plans.ts'

const GB = 2 ** 30

describe('plans', () => {
  /** interface.md, Agents plans: Free, Developer, Scale. */
  const agents: readonly (readonly [item: string, figure: keyof typeof agentsPlans.free, ...values: number[]])[] = [
    ['Price per month (USD)', 'usdPerMonth', 0, 15, 150],
    ['Agent inboxes', 'inboxes', 3, 50, 500],
    ['Emails per month (sent plus received)', 'emailsPerMonth', 3_000, 20_000, 300_000],
    ['Storage per inbox', 'storagePerInboxBytes', GB, 2 * GB, 5 * GB],
    ['Own domains', 'ownDomains', 0, 10, 50],
    ['Requests per key per minute', 'requestsPerMinute', 120, 300, 600],
    ['Inbox creations per key per day', 'inboxCreationsPerDay', 10, 100, 500],
    ['Webhook endpoints', 'webhookEndpoints', 2, 10, 25],
    ['Bulk send recipients per call', 'batchRecipientsPerCall', 20, 200, 1_000],
    // decisions.md 3, Plans.
    ['recipients a minute', 'recipientsPerMinute', 10, 60, 240],
    ['days of delivery log', 'deliveryLogDays', 3, 7, 30],
  ]
  for (const [item, figure, ...values] of agents)
    it(`Agents plans: ${item}`, () => {
      expect(agentsPlanNames.map((name) => agentsPlans[name][figure])).to.deep.equal(values)
    })
  it('Agents plans have no other figures', () => {
    expect(agents.map(([, figure]) => figure)).to.have.members(Object.keys(agentsPlans.free))
  })

  /** interface.md, Rate and volume limits: trial, Starter, Growth, Pro, Business; and Events. */
  const mail: readonly (readonly [
    item: string,
    figure: keyof typeof mailPlans.trial,
    ...values: (number | boolean | null)[],
  ])[] = [
    ['Sending rate, recipients per minute', 'recipientsPerMinute', 10, 10, 60, 120, 240],
    ['Transactional emails per month', 'sendsPerMonth', 100, 3_000, 20_000, 50_000, 100_000],
    ['Transactional emails per day', 'sendsPerDay', null, 300, 2_000, 5_000, 10_000],
    ['Marketing sends per month', 'marketingSendsPerMonth', 0, 0, 3_000, 25_000, 100_000],
    ['Bulk send recipients per call', 'batchRecipientsPerCall', 0, 0, 100, 100, 100],
    ['Mail-plan webhooks', 'webhookEndpoints', 0, 0, 10, 10, 10],
    ['The delivery log', 'deliveryLogDays', 0, 0, 3, 7, 30],
    ['message.received and message.sent', 'messageEvents', false, false, false, true, true],
    ['Intake', 'intake', false, false, false, true, true],
    ['Intake may be set up', 'intakeSetUp', true, false, false, true, true],
    ['Lens runs per month', 'lensPerMonth', 0, 0, 0, 500, 2_000],
    ['MCP', 'mcp', true, false, true, true, true],
  ]
  for (const [item, figure, ...values] of mail)
    it(`mail plans: ${item}`, () => {
      expect(mailPlanNames).to.deep.equal(['trial', 'starter', 'growth', 'pro', 'business'])
      expect(mailPlanNames.map((name) => mailPlans[name][figure])).to.deep.equal(values)
    })
  it('mail plans have no other figures', () => {
    expect(mail.map(([, figure]) => figure)).to.have.members(Object.keys(mailPlans.trial))
  })

  it('and the figures beside the tables', () => {
    expect([unclaimedDays, unclaimedRepliesPerDay, warmUpStart]).to.deep.equal([7, 5, 50])
    const { bounceRateWarm, bounceRateMax, complaintRateWarm, complaintRateMax, sendsMin } = sendingHealth
    expect([bounceRateWarm, bounceRateMax, complaintRateWarm, complaintRateMax, sendsMin]).to.deep.equal([
      0.05, 0.1, 0.001, 0.003, 50,
    ])
  })

  const none: Plans = { plan: null, agentsPlan: null }
  const free: Plans = { plan: null, agentsPlan: 'free' }
  /** What an account may do under its plans. */
  const allowances: readonly (readonly [what: string, plans: Plans, Partial<Allowance>])[] = [
    ['no plan: a key has its requests and creations', none, { requestsPerMinute: 120, inboxCreationsPerDay: 10 }],
    ['no plan: nothing is sent, nothing told', none, { sendsPerMonth: 0, recipientsPerMinute: 0, webhookEndpoints: 0 }],
    ['free: the free address only', free, { ownDomains: 0, sharedDomainSendsPerDay: 50 }],
    ['free: its e-mails are its sends', free, { emailsPerMonth: 3_000, sendsPerMonth: 3_000, sendsPerDay: null }],
    ['free: message events', free, { messageEvents: true, intake: false, webhookEndpoints: 2 }],
    ['a mail plan has the requests of a key', { plan: 'business', agentsPlan: null }, { requestsPerMinute: 120 }],
    ['a mail plan has no e-mails of an Agents plan', { plan: 'pro', agentsPlan: null }, { emailsPerMonth: null }],
    ['starter has no batches', { plan: 'starter', agentsPlan: null }, { batchRecipientsPerCall: 0 }],
    ['growth with free: the larger batch', { plan: 'growth', agentsPlan: 'free' }, { batchRecipientsPerCall: 100 }],
    ['starter with free: the batch of free', { plan: 'starter', agentsPlan: 'free' }, { batchRecipientsPerCall: 20 }],
    ['pro with developer: the larger batch', { plan: 'pro', agentsPlan: 'developer' }, { batchRecipientsPerCall: 200 }],
    ['business with scale: batches', { plan: 'business', agentsPlan: 'scale' }, { batchRecipientsPerCall: 1_000 }],
    ['the larger endpoints', { plan: 'growth', agentsPlan: 'scale' }, { webhookEndpoints: 25 }],
    ['the other larger endpoints', { plan: 'growth', agentsPlan: 'free' }, { webhookEndpoints: 10 }],
    ['the larger pace', { plan: 'business', agentsPlan: 'free' }, { recipientsPerMinute: 240 }],
    ['the other larger pace', { plan: 'starter', agentsPlan: 'developer' }, { recipientsPerMinute: 60 }],
    ['the requests of the Agents plan', { plan: 'starter', agentsPlan: 'scale' }, { requestsPerMinute: 600 }],
    ['its creations', { plan: 'starter', agentsPlan: 'developer' }, { inboxCreationsPerDay: 100 }],
    ['its inboxes', { plan: 'business', agentsPlan: 'free' }, { inboxes: 3, storagePerInboxBytes: GB }],
    ['the days of the mail plan', { plan: 'starter', agentsPlan: 'free' }, { sendsPerDay: 300 }],
    ['growth alone hears of no messages', { plan: 'growth', agentsPlan: null }, { messageEvents: false }],
    ['growth with free does', { plan: 'growth', agentsPlan: 'free' }, { messageEvents: true, intake: false }],
    ['starter has no MCP', { plan: 'starter', agentsPlan: null }, { mcp: false }],
    ['starter with an Agents plan has', { plan: 'starter', agentsPlan: 'free' }, { mcp: true }],
    ['raised', { ...free, raised: { inboxes: 7 } }, { inboxes: 7, requestsPerMinute: 120 }],
    ['raised below the plan', { ...free, raised: { inboxes: 2 } }, { inboxes: 3 }],
    ['raised, then a larger plan', { ...free, agentsPlan: 'developer', raised: { inboxes: 7 } }, { inboxes: 50 }],
    ['raised e-mails are sends too', { ...free, raised: { emailsPerMonth: 4_000 } }, { sendsPerMonth: 4_000 }],
    ['raised where there is no limit', { ...free, raised: { sendsPerDay: 9 } }, { sendsPerDay: null }],
    ['raised where the plan has nothing', { ...none, raised: { webhookEndpoints: 1 } }, { webhookEndpoints: 1 }],
  ]
  for (const [what, plans, expected] of allowances)
    it(`allow: ${what}`, () => expect(allowanceOf(plans)).to.deep.include(expected))

  const raisable = figureNames.filter((name) => !['sendsPerDay', 'emailsPerMonth'].includes(name))
  for (const figure of raisable)
    it(`allow: ${figure} can be raised`, () => {
      const raised = { [figure]: 10 ** 12 } as { [name in Figure]?: number }
      expect(allowanceOf({ ...free, raised })).to.deep.equal({ ...allowanceOf(free), [figure]: 10 ** 12 })
    })

  for (const [limit, most] of [
    [3_000, 3_300],
    [20_000, 22_000],
    [300_000, 330_000],
    [0, 0],
    [1, 1],
    [9, 9],
    [10, 11],
    [19, 20],
    [3_005, 3_305],
    [3_009, 3_309],
  ] as const)
    it(`the grace of ${limit} e-mails ends at ${most}`, () => expect(withGrace(limit)).to.equal(most))
})
