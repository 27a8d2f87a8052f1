import { page } from '../schemas/fields.ts'
import { anyOf, boolean, nullable, number, object, oneOf, record, string } from '../schemas/infer.ts'
import { agentsPlans, mailPlans } from '../schemas/plans.ts'
import { operation } from './registry.ts'

const Plan = object({
  kind: oneOf(['agents', 'mail']),
  name: string(),
  figures: record(nullable(anyOf([number(), boolean()])), {
    description: 'What it includes, such as inboxes: 50; null: no limit.',
  }),
})

export const listPlans = operation({
  name: 'plans.list',
  summary: 'The plans that an account may have, with their figures, smallest first.',
  scope: null,
  http: 'GET /api/v1/plans',
  input: object({}),
  output: page('plans', Plan),
  errors: [],
  async handle() {
    const of = (kind: 'agents' | 'mail', plans: object) =>
      Object.entries(plans).map(([name, figures]) => ({ kind, name, figures: figures as Record<string, number> }))
    return { plans: [...of('agents', agentsPlans), ...of('mail', mailPlans)], next: null }
  },
})
